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
/** One more slot, always zero, for what lies outside the text. */
const emptySlot = slots;

const sum5 = (sums: Int32Array, a: number, b: number, c: number, d: number, e: number, label: number): number =>
  (sums[a + label] ?? 0) +
  (sums[b + label] ?? 0) +
  (sums[c + label] ?? 0) +
  (sums[d + label] ?? 0) +
  (sums[e + label] ?? 0);

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
  private readonly sums = new Int32Array((slots + 1) * perSlot);
  private readonly known = new Uint8Array(slots);
  private readonly features = new Int32Array(mostFeatures);
  private scores = new Int32Array(1024 * labelCount);
  private look = new Int32Array(1024);
  private slot = new Int32Array(1028);
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
    if (this.look.length >= count) return;
    this.look = new Int32Array(count * 2);
    this.slot = new Int32Array(count * 2 + 4);
    this.labels = new Uint8Array(count * 2);
    this.scores = new Int32Array(count * 2 * labelCount);
  }

  private score(text: string, bias: number): void {
    const { tokens, look, slot } = this;
    const { count } = tokens;
    // Two places before the text and two after it hold nothing.
    slot[0] = slot[1] = slot[count + 2] = slot[count + 3] = emptySlot;
    for (let token = 0; token < count; token++) {
      const own = this.slotOf(text, token);
      slot[token + 2] = own;
      look[token] = lookOf(tokens.shape[token] ?? 0, this.known[own] ?? 0);
      // A slot may be used again as soon as no neighbour needs it: so a token is summed up when the second after it is in.
      if (token >= 2) this.sumUp(token - 2, bias);
    }
    if (count > 1) this.sumUp(count - 2, bias);
    this.sumUp(count - 1, bias);
  }

  /** All that speaks for each label of a token, in nine local numbers: this is where the time goes. */
  private sumUp(token: number, bias: number): void {
    const { sums, slot, scores, features } = this;
    const { weights, used } = this.model;
    const a = (slot[token] ?? 0) * perSlot;
    const b = (slot[token + 1] ?? 0) * perSlot + labelCount;
    const c = (slot[token + 2] ?? 0) * perSlot + 2 * labelCount;
    const d = (slot[token + 3] ?? 0) * perSlot + 3 * labelCount;
    const e = (slot[token + 4] ?? 0) * perSlot + 4 * labelCount;
    let s0 = sum5(sums, a, b, c, d, e, 0) - bias;
    let s1 = sum5(sums, a, b, c, d, e, 1);
    let s2 = sum5(sums, a, b, c, d, e, 2);
    let s3 = sum5(sums, a, b, c, d, e, 3);
    let s4 = sum5(sums, a, b, c, d, e, 4);
    let s5 = sum5(sums, a, b, c, d, e, 5);
    let s6 = sum5(sums, a, b, c, d, e, 6);
    let s7 = sum5(sums, a, b, c, d, e, 7);
    let s8 = sum5(sums, a, b, c, d, e, 8);
    const found = pairFeatures(this.tokens, this.look, token, features);
    for (let index = 0; index < found; index++) {
      const feature = features[index] ?? 0;
      // Most pairs of words were never seen: a bit says so without a visit to far memory.
      if (((used[feature >> 3] ?? 0) & (1 << (feature & 7))) === 0) continue;
      const from = feature * labelCount;
      s0 += weights[from] ?? 0;
      s1 += weights[from + 1] ?? 0;
      s2 += weights[from + 2] ?? 0;
      s3 += weights[from + 3] ?? 0;
      s4 += weights[from + 4] ?? 0;
      s5 += weights[from + 5] ?? 0;
      s6 += weights[from + 6] ?? 0;
      s7 += weights[from + 7] ?? 0;
      s8 += weights[from + 8] ?? 0;
    }
    const to = token * labelCount;
    scores[to] = s0;
    scores[to + 1] = s1;
    scores[to + 2] = s2;
    scores[to + 3] = s3;
    scores[to + 4] = s4;
    scores[to + 5] = s5;
    scores[to + 6] = s6;
    scores[to + 7] = s7;
    scores[to + 8] = s8;
  }

  /** The cache slot of a token, filled; never one that one of the four tokens before still needs. */
  private slotOf(text: string, token: number): number {
    const { tokens, features, sums, slot: inUse } = this;
    const { weights, used } = this.model;
    const exact = tokens.exact[token] ?? 0;
    const exact2 = tokens.exact2[token] ?? 0;
    let slot = (exact ^ (exact >>> 15)) & (slots - 1);
    if (this.key[slot] === exact && this.key2[slot] === exact2) return slot;
    while (
      inUse[token + 1] === slot ||
      inUse[token] === slot ||
      (token > 0 && inUse[token - 1] === slot) ||
      (token > 1 && inUse[token - 2] === slot)
    ) {
      slot = (slot + 1) & (slots - 1);
    }
    this.key[slot] = exact;
    this.key2[slot] = exact2;
    const gazetteer = this.gazetteer.lookup(tokens.word[token] ?? 0);
    this.known[slot] = gazetteer;
    for (let offset = 0; offset < offsets; offset++) {
      const to = slot * perSlot + offset * labelCount;
      sums.fill(0, to, to + labelCount);
      const found = wordFeatures(text, tokens, token, gazetteer, offset, features);
      for (let index = 0; index < found; index++) {
        const feature = features[index] ?? 0;
        if (((used[feature >> 3] ?? 0) & (1 << (feature & 7))) === 0) continue;
        const from = feature * labelCount;
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
      if (!isBegin(label)) continue;
      const kind = kindOfLabel(label);
      if (!kind) continue;
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
