import { wordSignature, mostFeatures, offsets, pairFeatures, wordFeatures } from './features.ts';
import type { Gazetteer } from './gazetteer.ts';
import { isBegin, kindOfLabel, labelCount, type TagKind } from './labels.ts';
import { clamped, firstOf, highOf, scoreOfSum, packedWords, rowWords, lowOf, otherOf } from './packedScores.ts';
import type { Model } from './model.ts';
import { Tokens } from './tokens.ts';
import { spreadOf, Viterbi } from './viterbi.ts';

/**
 * Receives one tagged span; tokens are numbered from 0. The margin is the mean lead of its labels over O, in units of training
 * margin.
 */
export type EmitTag = (kind: TagKind, firstToken: number, lastToken: number, margin: number) => void;

/** Default size of the cache of word scores. */
const defaultSlots = 1 << 15;
const perSlot = offsets * packedWords;

/**
 * The lead of O from word scores alone, in units of training margin, that labels a token O without pair features and
 * without decoding. The token and both its neighbours must have this lead. This applies to about three quarters of the
 * tokens of prose and code, and to a quarter of those of forms and addresses. It changes the label of about one token in
 * two thousand, for better or worse equally often.
 */
const confidentMargin = 0.5;

/**
 * Finds names, places, organisations and addresses in a text: a linear sequence model over hashed features with Viterbi
 * decoding. A cache keeps the scores of each word, so that a frequent word costs additions only. An instance processes one
 * text at a time and reuses its memory.
 */
export class Tagger {
  readonly tokens = new Tokens();
  private readonly model: Model;
  private readonly gazetteer: Gazetteer;
  private readonly viterbi = new Viterbi();
  private readonly spread: number;
  private readonly slots: number;
  /** Two numbers per slot, which identify a word. A word is in one of the two slots of its pair. */
  private readonly keys: Int32Array;
  /** The slot of each pair that was used last. The other one is replaced. */
  private readonly recent: Uint8Array;
  /** Scores of each slot, and of one more slot that is always zero, for positions outside the text. */
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

  /** @param slots size of the word cache: a power of two, at least 8. */
  constructor(model: Model, gazetteer: Gazetteer, slots = defaultSlots) {
    this.model = model;
    this.gazetteer = gazetteer;
    this.spread = spreadOf(model.transitions);
    this.slots = slots;
    this.keys = new Int32Array(2 * slots).fill(-1);
    this.recent = new Uint8Array(slots >> 1);
    this.sums = new Int32Array((slots + 1) * perSlot);
    this.known = new Uint8Array(slots);
  }

  tag(text: string, emit: EmitTag): void {
    const { tokens } = this;
    tokens.read(text);
    if (tokens.count === 0) return;
    this.reserve(tokens.count);
    this.sumWords(text);
    this.label();
    this.collect(emit);
  }

  /** Whether a token of the last text is in a span. */
  isTagged(token: number): boolean {
    return this.labels[token] !== 0;
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

  /** Adds up the word scores of each token and its neighbours. */
  private sumWords(text: string): void {
    const { tokens, signatures, slotOfToken } = this;
    const { count } = tokens;
    // The two positions before the text and the two after it are empty.
    slotOfToken[0] = slotOfToken[1] = slotOfToken[count + 2] = slotOfToken[count + 3] = this.slots;
    for (let token = 0; token < count; token++) {
      const own = this.slotOf(text, token);
      slotOfToken[token + 2] = own;
      const known = this.known[own] ?? 0;
      tokens.known[token] = known;
      signatures[token] = wordSignature(tokens.shape[token] ?? 0, known);
      // A slot can be replaced as soon as no neighbour needs it, so a token is added up when the second token after it is read.
      if (token >= 2) this.sumUp(token - 2);
    }
    if (count > 1) this.sumUp(count - 2);
    this.sumUp(count - 1);
  }

  private sumUp(token: number): void {
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
    this.confidentO[token + 1] = -most > confidentMargin * this.model.scale ? 1 : 0;
  }

  /** Labels every token. Decodes each run of tokens that are not confidently O by itself. */
  private label(): void {
    const { tokens, confidentO, labels } = this;
    // No name extends beyond the text.
    confidentO[0] = confidentO[tokens.count + 1] = 1;
    labels.fill(0, 0, tokens.count);
    const { count } = this.tokens;
    for (let from = 0; from < count; from++) {
      if (this.isConfidentO(from)) continue;
      let to = from;
      for (; to < count && !this.isConfidentO(to); to++) this.sumPairs(to);
      this.decode(from, to);
      from = to;
    }
  }

  private decode(from: number, to: number): void {
    const { viterbi, tokens, scores, model, labels, spread } = this;
    viterbi.decode(from, to, tokens.count, scores, tokens.gap, model.transitions, labels, spread);
  }

  /** Whether a token and both its neighbours are confidently O. */
  private isConfidentO(token: number): boolean {
    return this.confidentO[token] === 1 && this.confidentO[token + 1] === 1 && this.confidentO[token + 2] === 1;
  }

  /** Adds the scores of word pairs, and writes the scores of all labels of a token. */
  private sumPairs(token: number): void {
    const { packedScores, scores, features, sum } = this;
    const own = token * packedWords;
    const found = pairFeatures(this.tokens, this.signatures, token, features);
    this.sumRows(0, found);
    const s0 = ((packedScores[own] ?? 0) + (sum[0] ?? 0)) | 0;
    const s1 = ((packedScores[own + 1] ?? 0) + (sum[1] ?? 0)) | 0;
    const s2 = ((packedScores[own + 2] ?? 0) + (sum[2] ?? 0)) | 0;
    const s3 = ((packedScores[own + 3] ?? 0) + (sum[3] ?? 0)) | 0;
    const to = token * labelCount;
    scores[to] = 0;
    scores[to + 1] = lowOf(s0);
    scores[to + 2] = highOf(s0);
    scores[to + 3] = lowOf(s1);
    scores[to + 4] = highOf(s1);
    scores[to + 5] = lowOf(s2);
    scores[to + 6] = highOf(s2);
    scores[to + 7] = lowOf(s3);
    scores[to + 8] = highOf(s3);
  }

  /** Finds or fills the cache slot of a token. Does not replace a slot that one of the four tokens before it uses. */
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
    wordFeatures(text, tokens, token, gazetteer, features, ends);
    let from = 0;
    for (let offset = 0; offset < offsets; offset++) {
      const end = ends[offset] ?? 0;
      this.sumRows(from, end);
      from = end;
      const to = slot * perSlot + offset * packedWords;
      for (let word = 0; word < packedWords; word++) sums[to + word] = clamped(sum[word] ?? 0);
    }
  }

  /** Adds up rows. The caller computes all features first, so that the processor loads their rows concurrently. */
  private sumRows(from: number, end: number): void {
    const { features, sum } = this;
    const { rows } = this.model;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let at = from; at < end; at++) {
      const row = (features[at] ?? 0) * rowWords;
      const first = rows[row] ?? 0;
      const second = rows[row + 1] ?? 0;
      a = (a + firstOf(first)) | 0;
      b = (b + otherOf(first)) | 0;
      c = (c + firstOf(second)) | 0;
      d = (d + otherOf(second)) | 0;
    }
    const count = end - from;
    sum[0] = scoreOfSum(a, count);
    sum[1] = scoreOfSum(b, count);
    sum[2] = scoreOfSum(c, count);
    sum[3] = scoreOfSum(d, count);
  }

  private collect(emit: EmitTag): void {
    const { labels, tokens } = this;
    for (let token = 0; token < tokens.count; token++) {
      const label = labels[token] ?? 0;
      if (!isBegin(label)) continue;
      const kind = kindOfLabel(label);
      if (!kind) continue;
      let last = token;
      while (last + 1 < tokens.count && labels[last + 1] === label + 1) last++;
      let margin = 0;
      for (let inside = token; inside <= last; inside++)
        margin += this.scores[inside * labelCount + (labels[inside] ?? 0)] ?? 0;
      const mean = margin / (last - token + 1) / this.model.scale;
      emit(kind, token, last, mean);
      token = last;
    }
  }
}

/** Adds one packed number of the five words from two before a token to two after it. */
const sum5 = (sums: Int32Array, a: number, b: number, c: number, d: number, e: number, word: number): number =>
  ((sums[a + word] ?? 0) +
    (sums[b + word] ?? 0) +
    (sums[c + word] ?? 0) +
    (sums[d + word] ?? 0) +
    (sums[e + word] ?? 0)) |
  0;
