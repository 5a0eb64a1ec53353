import { wordSignature, mostFeatures, offsets, pairFeatures, wordFeatures } from './features.ts';
import type { Gazetteer } from './gazetteer.ts';
import { isBegin, kindOfLabel, labelCount, type TagKind } from './labels.ts';
import { clamped, firstOf, highOf, unbiased, packedWords, lowOf, otherOf } from './packedScores.ts';
import type { Model } from './model.ts';
import { Tokens } from './tokens.ts';
import { spreadOf, Viterbi } from './viterbi.ts';

/** Takes one tagged stretch of text; tokens are numbered from 0. */
export type EmitTag = (kind: TagKind, firstToken: number, lastToken: number, confidence: number) => void;

/** Words that the cache holds at most; one that returns costs nothing but its sums. */
const usualSlots = 1 << 15;
const perSlot = offsets * packedWords;

/**
 * By how much, in margins of training, O must lead by the words alone, at a token and at both its neighbours, for the
 * token to be O without a look at pairs of words and without decoding. Of the tokens of prose and code that holds for
 * about three quarters, of those of forms and addresses for a quarter. About one token in two thousand would have been
 * labelled otherwise; for better or worse equally often.
 */
const confidentMargin = 0.5;

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
  private readonly spread: number;
  private readonly slots: number;
  /** Two numbers a slot: together a word's identity. A word is kept in one of the two slots of its pair. */
  private readonly keys: Int32Array;
  /** Which slot of a pair was used last: the other one is given away. */
  private readonly recent: Uint8Array;
  /** One slot more than there are, always zero, for what lies outside the text. */
  private readonly sums: Int32Array;
  private readonly known: Uint8Array;
  private readonly features = new Int32Array(mostFeatures);
  private readonly ends = new Int32Array(offsets);
  private readonly sum = new Int32Array(packedWords);
  private scores = new Int32Array(1024 * labelCount);
  private signatures = new Int32Array(1024);
  private slotOfToken = new Int32Array(1028);
  private confidentO = new Uint8Array(1026);
  private labels = new Uint8Array(1024);
  private packedScores = new Int32Array(1024 * packedWords);

  /** @param slots of the cache of words: a power of two, at least 8. */
  constructor(model: Model, gazetteer: Gazetteer, slots = usualSlots) {
    this.model = model;
    this.gazetteer = gazetteer;
    this.spread = spreadOf(model.transitions);
    this.slots = slots;
    this.keys = new Int32Array(2 * slots).fill(-1);
    this.recent = new Uint8Array(slots >> 1);
    this.sums = new Int32Array((slots + 1) * perSlot);
    this.known = new Uint8Array(slots);
  }

  /**
   * @param bias taken off the score of every label O: the higher, the more is found.
   */
  tag(text: string, bias: number, emit: EmitTag): void {
    const { tokens } = this;
    tokens.read(text);
    if (tokens.count === 0) return;
    this.reserve(tokens.count);
    this.sumWords(text, bias);
    this.label(bias);
    this.collect(emit, bias);
  }

  private reserve(count: number): void {
    if (this.signatures.length >= count) return;
    this.signatures = new Int32Array(count * 2);
    this.slotOfToken = new Int32Array(count * 2 + 4);
    this.confidentO = new Uint8Array(count * 2 + 2);
    this.labels = new Uint8Array(count * 2);
    this.packedScores = new Int32Array(count * 2 * packedWords);
    this.scores = new Int32Array(count * 2 * labelCount);
  }

  /** What the words at and around each token say by themselves. */
  private sumWords(text: string, bias: number): void {
    const { tokens, signatures, slotOfToken } = this;
    const { count } = tokens;
    // Two places before the text and two after it hold nothing.
    slotOfToken[0] = slotOfToken[1] = slotOfToken[count + 2] = slotOfToken[count + 3] = this.slots;
    for (let token = 0; token < count; token++) {
      const own = this.slotOf(text, token);
      slotOfToken[token + 2] = own;
      signatures[token] = wordSignature(tokens.shape[token] ?? 0, this.known[own] ?? 0);
      // A slot may be used again as soon as no neighbour needs it: so a token is summed up when the second after it is in.
      if (token >= 2) this.sumUp(token - 2, bias);
    }
    if (count > 1) this.sumUp(count - 2, bias);
    this.sumUp(count - 1, bias);
  }

  private sumUp(token: number, bias: number): void {
    const { sums, slotOfToken, packedScores } = this;
    const a = (slotOfToken[token] ?? 0) * perSlot;
    const b = (slotOfToken[token + 1] ?? 0) * perSlot + packedWords;
    const c = (slotOfToken[token + 2] ?? 0) * perSlot + 2 * packedWords;
    const d = (slotOfToken[token + 3] ?? 0) * perSlot + 3 * packedWords;
    const e = (slotOfToken[token + 4] ?? 0) * perSlot + 4 * packedWords;
    const s0 = sum5(sums, a, b, c, d, e, 0);
    const s1 = sum5(sums, a, b, c, d, e, 1);
    const s2 = sum5(sums, a, b, c, d, e, 2);
    const s3 = sum5(sums, a, b, c, d, e, 3);
    const to = token * packedWords;
    packedScores[to] = s0;
    packedScores[to + 1] = s1;
    packedScores[to + 2] = s2;
    packedScores[to + 3] = s3;
    const most = Math.max(
      Math.max(Math.max(lowOf(s0), highOf(s0)), Math.max(lowOf(s1), highOf(s1))),
      Math.max(Math.max(lowOf(s2), highOf(s2)), Math.max(lowOf(s3), highOf(s3))),
    );
    this.confidentO[token + 1] = -bias - most > confidentMargin * this.model.scale ? 1 : 0;
  }

  /** Labels every token: stretches where O is not sure are decoded by themselves. */
  private label(bias: number): void {
    const { tokens, confidentO, labels, scores } = this;
    const { count } = tokens;
    // Nothing stands before the text or after it that could belong to a name.
    confidentO[0] = confidentO[count + 1] = 1;
    let from = 0;
    while (from < count) {
      if (this.isConfidentO(from)) {
        labels[from++] = 0;
        continue;
      }
      let to = from;
      while (to < count && !this.isConfidentO(to)) this.sumPairs(to++, bias);
      this.viterbi.decode(from, to, count, scores, tokens.gap, this.model.transitions, labels, this.spread);
      from = to;
    }
  }

  /** Whether O is sure at a token and at both its neighbours. */
  private isConfidentO(token: number): boolean {
    return this.confidentO[token] === 1 && this.confidentO[token + 1] === 1 && this.confidentO[token + 2] === 1;
  }

  /** Adds what pairs of words say, and sets out the scores of all labels of a token. */
  private sumPairs(token: number, bias: number): void {
    const { packedScores, scores, features, sum } = this;
    const own = token * packedWords;
    const found = pairFeatures(this.tokens, this.signatures, token, features);
    this.model.index.find(features, found);
    this.sumRows(0, found);
    const s0 = ((packedScores[own] ?? 0) + (sum[0] ?? 0)) | 0;
    const s1 = ((packedScores[own + 1] ?? 0) + (sum[1] ?? 0)) | 0;
    const s2 = ((packedScores[own + 2] ?? 0) + (sum[2] ?? 0)) | 0;
    const s3 = ((packedScores[own + 3] ?? 0) + (sum[3] ?? 0)) | 0;
    const to = token * labelCount;
    scores[to] = -bias;
    scores[to + 1] = lowOf(s0);
    scores[to + 2] = highOf(s0);
    scores[to + 3] = lowOf(s1);
    scores[to + 4] = highOf(s1);
    scores[to + 5] = lowOf(s2);
    scores[to + 6] = highOf(s2);
    scores[to + 7] = lowOf(s3);
    scores[to + 8] = highOf(s3);
  }

  /** The cache slot of a token, filled; never one that one of the four tokens before still needs. */
  private slotOf(text: string, token: number): number {
    const { tokens, slots, keys, recent } = this;
    const exact = tokens.exact[token] ?? 0;
    const exact2 = tokens.exact2[token] ?? 0;
    const pair = (exact ^ (exact >>> 15)) & ((slots >> 1) - 1);
    const at = 4 * pair;
    if (keys[at] === exact && keys[at + 1] === exact2) {
      recent[pair] = 0;
      return 2 * pair;
    }
    if (keys[at + 2] === exact && keys[at + 3] === exact2) {
      recent[pair] = 1;
      return 2 * pair + 1;
    }
    let slot = 2 * pair + 1 - (recent[pair] ?? 0);
    while (this.isNeeded(slot, token)) slot = (slot + 1) & (slots - 1);
    recent[slot >> 1] = slot & 1;
    keys[2 * slot] = exact;
    keys[2 * slot + 1] = exact2;
    this.fill(slot, text, token);
    return slot;
  }

  /** Whether one of the four tokens before a token uses the slot. */
  private isNeeded(slot: number, token: number): boolean {
    const { slotOfToken: inUse } = this;
    return (
      inUse[token + 1] === slot ||
      inUse[token] === slot ||
      (token > 0 && inUse[token - 1] === slot) ||
      (token > 1 && inUse[token - 2] === slot)
    );
  }

  private fill(slot: number, text: string, token: number): void {
    const { tokens, features, ends, sum, sums } = this;
    const gazetteer = this.gazetteer.lookup(tokens.word[token] ?? 0);
    this.known[slot] = gazetteer;
    const found = wordFeatures(text, tokens, token, gazetteer, features, ends);
    this.model.index.find(features, found);
    let from = 0;
    for (let offset = 0; offset < offsets; offset++) {
      const end = ends[offset] ?? 0;
      this.sumRows(from, end);
      from = end;
      const to = slot * perSlot + offset * packedWords;
      for (let word = 0; word < packedWords; word++) sums[to + word] = clamped(sum[word] ?? 0);
    }
  }

  /** Adds up rows of the list, found before: all are looked up before the first is read, so that they come together. */
  private sumRows(from: number, end: number): void {
    const { features, sum } = this;
    const { rows } = this.model;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let at = from; at < end; at++) {
      const row = features[at] ?? 0;
      const first = rows[row] ?? 0;
      const second = rows[row + 1] ?? 0;
      a = (a + firstOf(first)) | 0;
      b = (b + otherOf(first)) | 0;
      c = (c + firstOf(second)) | 0;
      d = (d + otherOf(second)) | 0;
    }
    const count = end - from;
    sum[0] = unbiased(a, count);
    sum[1] = unbiased(b, count);
    sum[2] = unbiased(c, count);
    sum[3] = unbiased(d, count);
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

/** One number of a token's lanes, of the words from two before it to two after it. */
const sum5 = (sums: Int32Array, a: number, b: number, c: number, d: number, e: number, word: number): number =>
  ((sums[a + word] ?? 0) +
    (sums[b + word] ?? 0) +
    (sums[c + word] ?? 0) +
    (sums[d + word] ?? 0) +
    (sums[e + word] ?? 0)) |
  0;
