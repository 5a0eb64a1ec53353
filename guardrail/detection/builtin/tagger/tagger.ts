import { lookOf, mostFeatures, offsets, pairFeatures, wordFeatures } from './features.ts';
import type { Gazetteer } from './gazetteer.ts';
import { isBegin, kindOfLabel, labelCount, type TagKind } from './labels.ts';
import type { Model } from './model.ts';
import { Tokens } from './tokens.ts';
import { Viterbi } from './viterbi.ts';

/** Takes one tagged stretch of text; tokens are numbered from 0. */
export type EmitTag = (kind: TagKind, firstToken: number, lastToken: number, confidence: number) => void;

/** Slots of the cache of words; a word that returns costs nothing but its sums. */
const slots = 1 << 14;
const perSlot = offsets * labelCount;

/**
 * Finds names, places, organisations and addresses in text: a linear tagger over hashed features, decoded as a whole.
 * What a word contributes by itself is kept in a direct-mapped cache, so that usual words cost additions only.
 * One instance works on one text at a time and reuses its memory.
 */
export class Tagger {
  readonly tokens = new Tokens();
  private readonly model: Model;
  private readonly gazetteer: Gazetteer;
  private readonly viterbi = new Viterbi();
  private readonly key = new Int32Array(slots);
  private readonly key2 = new Int32Array(slots).fill(-1);
  private readonly sums = new Int32Array(slots * perSlot);
  private readonly known = new Uint8Array(slots);
  private readonly features = new Int32Array(mostFeatures);
  private scores = new Int32Array(1024 * labelCount);
  private look = new Int32Array(1024);
  private labels = new Uint8Array(1024);

  constructor(model: Model, gazetteer: Gazetteer) {
    this.model = model;
    this.gazetteer = gazetteer;
  }

  /** Gazetteer flags of a token of the text last read. */
  flagsOf(token: number): number {
    return (this.look[token] ?? 0) >> 4;
  }

  /**
   * @param bias taken off the score of every label O: the higher, the more is found.
   */
  tag(text: string, bias: number, emit: EmitTag): void {
    const { tokens } = this;
    tokens.read(text);
    if (tokens.count === 0) return;
    this.reserve(tokens.count);
    this.score(text, bias);
    this.viterbi.decode(this.scores, tokens.count, tokens.gap, this.model.transitions, this.labels);
    this.collect(emit, bias);
  }

  private reserve(count: number): void {
    if (this.look.length < count) {
      this.look = new Int32Array(count * 2);
      this.labels = new Uint8Array(count * 2);
      this.scores = new Int32Array(count * 2 * labelCount);
    }
    this.scores.fill(0, 0, count * labelCount);
  }

  private score(text: string, bias: number): void {
    const { tokens, scores, sums, look, features } = this;
    const { weights } = this.model;
    const { count } = tokens;
    for (let token = 0; token < count; token++) {
      const slot = this.slotOf(text, token);
      look[token] = lookOf(tokens.shape[token] ?? 0, this.known[slot] ?? 0);
      // Seen from place 0 (two before) it counts for the token two after, and so on.
      for (let offset = 0; offset < offsets; offset++) {
        const target = token + 2 - offset;
        if (target < 0 || target >= count) continue;
        const to = target * labelCount;
        const from = slot * perSlot + offset * labelCount;
        for (let label = 0; label < labelCount; label++) {
          scores[to + label] = (scores[to + label] ?? 0) + (sums[from + label] ?? 0);
        }
      }
    }
    for (let token = 0; token < count; token++) {
      const to = token * labelCount;
      const found = pairFeatures(tokens, look, token, features);
      for (let index = 0; index < found; index++) {
        const from = (features[index] ?? 0) * labelCount;
        for (let label = 0; label < labelCount; label++) {
          scores[to + label] = (scores[to + label] ?? 0) + (weights[from + label] ?? 0);
        }
      }
      scores[to] = (scores[to] ?? 0) - bias;
    }
  }

  /** The cache slot of a token, filled. */
  private slotOf(text: string, token: number): number {
    const { tokens, features, sums } = this;
    const { weights } = this.model;
    const exact = tokens.exact[token] ?? 0;
    const exact2 = tokens.exact2[token] ?? 0;
    const slot = (exact ^ (exact >>> 15)) & (slots - 1);
    if (this.key[slot] === exact && this.key2[slot] === exact2) return slot;
    this.key[slot] = exact;
    this.key2[slot] = exact2;
    const gazetteer = this.gazetteer.lookup(tokens.word[token] ?? 0);
    this.known[slot] = gazetteer;
    for (let offset = 0; offset < offsets; offset++) {
      const to = slot * perSlot + offset * labelCount;
      sums.fill(0, to, to + labelCount);
      const found = wordFeatures(text, tokens, token, gazetteer, offset, features);
      for (let index = 0; index < found; index++) {
        const from = (features[index] ?? 0) * labelCount;
        for (let label = 0; label < labelCount; label++) {
          sums[to + label] = (sums[to + label] ?? 0) + (weights[from + label] ?? 0);
        }
      }
    }
    return slot;
  }

  private collect(emit: EmitTag, bias: number): void {
    const { labels, tokens } = this;
    for (let token = 0; token < tokens.count; token++) {
      const label = labels[token] ?? 0;
      const kind = kindOfLabel(label);
      if (!kind || !isBegin(label)) continue;
      let last = token;
      while (last + 1 < tokens.count && labels[last + 1] === label + 1) last++;
      let margin = 0;
      for (let inside = token; inside <= last; inside++) margin += this.marginOf(inside, bias);
      const mean = margin / (last - token + 1) / this.model.scale;
      emit(kind, token, last, 1 / (1 + Math.exp(-mean)));
      token = last;
    }
  }

  /** By how much a token's label beats O, as the model sees it without any bias. */
  private marginOf(token: number, bias: number): number {
    const from = token * labelCount;
    return (this.scores[from + (this.labels[token] ?? 0)] ?? 0) - (this.scores[from] ?? 0) - bias;
  }
}
