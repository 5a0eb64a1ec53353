import { mostFeatures, pairCount, pairFeatures, wordSignature } from './features.ts';
import type { Gazetteer } from './gazetteer.ts';
import { isBegin, kindOfLabel, labelCount, type TagKind } from './labels.ts';
import { highOf, lowOf, packedWords, scoreOfSum } from './packedScores.ts';
import type { Model } from './model.ts';
import { RowSums, sumsLength } from './rowSums.ts';
import { Tokens } from './tokens.ts';
import { spreadOf, Viterbi } from './viterbi.ts';
import { perSlot, WordScores } from './wordScores.ts';

/**
 * Receives one tagged span; tokens are numbered from 0. The margin is the mean lead of its labels over O, in units of training
 * margin.
 */
export type EmitTag = (kind: TagKind, firstToken: number, lastToken: number, margin: number) => void;

/** Tokens whose memory is loaded concurrently: their cache lines leave room for others in the processor's second-level cache. */
const CHUNK = 64;
/** Tokens of which the pair features are computed before the rows of any of them are added. */
const PAIR_CHUNK = 16;

/**
 * The lead of O from word scores alone, in units of training margin, that labels a token O without pair features and
 * without decoding. The token and both its neighbours must have this lead. This applies to about three quarters of the
 * tokens of prose and code, and to a quarter of those of forms and addresses. It changes the label of about one token in
 * two thousand, for better or worse equally often.
 */
const confidentMargin = 0.5;

/**
 * Finds names, places, organisations and addresses in a text: a linear sequence model over hashed features with Viterbi
 * decoding. An instance processes one text at a time and reuses its memory.
 */
export class Tagger {
  readonly tokens = new Tokens();
  private readonly transitions: Int16Array;
  private readonly scale: number;
  private readonly words: WordScores;
  private readonly rows: RowSums;
  private readonly viterbi = new Viterbi();
  private readonly spread: number;
  /** See {@link WordScores.prefetch}. */
  private read = 0;
  private scores = new Int32Array(1024 * labelCount);
  /** Tokens of which the pair features are computed. */
  private readonly chunk = new Int32Array(PAIR_CHUNK);
  private signatures = new Int32Array(1024);
  private slotOfToken = new Int32Array(1028);
  private confidentO = new Uint8Array(1026);
  private labels = new Uint8Array(1024);
  private packedScores = new Int32Array(1024 * packedWords);

  /** @param slots size of the cache of word scores: see {@link WordScores}. */
  constructor({ rows, transitions, scale }: Model, gazetteer: Gazetteer, slots?: number) {
    this.transitions = transitions;
    this.scale = scale;
    this.rows = new RowSums(rows, Math.max(mostFeatures, PAIR_CHUNK * pairCount), PAIR_CHUNK);
    this.words = new WordScores(this.rows, gazetteer, slots);
    this.spread = spreadOf(transitions);
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
    const { tokens, signatures, slotOfToken, words } = this;
    const { count } = tokens;
    // The two positions before the text and the two after it are empty.
    slotOfToken[0] = slotOfToken[1] = slotOfToken[count + 2] = slotOfToken[count + 3] = words.empty;
    for (let token = 0; token < count; token++) {
      if (token % CHUNK === 0) this.read ^= words.prefetch(tokens, token, Math.min(token + CHUNK, count));
      const own = words.slotOf(text, tokens, token, slotOfToken);
      slotOfToken[token + 2] = own;
      const known = words.known[own] ?? 0;
      tokens.known[token] = known;
      signatures[token] = wordSignature(tokens.shape[token] ?? 0, known);
      // A slot can be replaced as soon as no neighbour needs it, so a token is added up when the second token after it is read.
      if (token >= 2) this.sumUp(token - 2);
    }
    if (count > 1) this.sumUp(count - 2);
    this.sumUp(count - 1);
  }

  private sumUp(token: number): void {
    const { slotOfToken, packedScores } = this;
    const { sums } = this.words;
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
    this.confidentO[token + 1] = -most > confidentMargin * this.scale ? 1 : 0;
  }

  /** Labels every token. Decodes each run of tokens that are not confidently O by itself. */
  private label(): void {
    const { tokens, confidentO, labels } = this;
    const { count } = tokens;
    // No name extends beyond the text.
    confidentO[0] = confidentO[count + 1] = 1;
    labels.fill(0, 0, count);
    this.sumAllPairs();
    for (let from = 0; from < count; from++) {
      if (this.isConfidentO(from)) continue;
      let to = from;
      while (to < count && !this.isConfidentO(to)) to++;
      this.decode(from, to);
      from = to;
    }
  }

  private decode(from: number, to: number): void {
    const { viterbi, tokens, scores, transitions, labels, spread } = this;
    viterbi.decode(from, to, tokens.count, scores, tokens.gap, transitions, labels, spread);
  }

  /** Whether a token and both its neighbours are confidently O. */
  private isConfidentO(token: number): boolean {
    return this.confidentO[token] === 1 && this.confidentO[token + 1] === 1 && this.confidentO[token + 2] === 1;
  }

  /** Adds the scores of word pairs of all tokens that are decoded. */
  private sumAllPairs(): void {
    const { tokens, rows, chunk } = this;
    let size = 0;
    for (let token = 0; token < tokens.count; token++) {
      if (this.isConfidentO(token)) continue;
      pairFeatures(tokens, this.signatures, token, rows.features, size * pairCount);
      chunk[size++] = token;
      if (size < PAIR_CHUNK) continue;
      this.sumChunk(size);
      size = 0;
    }
    if (size > 0) this.sumChunk(size);
  }

  private sumChunk(size: number): void {
    this.rows.add(0, size * pairCount, pairCount);
    for (let at = 0; at < size; at++) this.addPairs(this.chunk[at] ?? 0, at * sumsLength);
  }

  /** Adds the scores of word pairs, and writes the scores of all labels of a token. @param at where the sums of its pairs begin */
  private addPairs(token: number, at: number): void {
    const { packedScores, scores, rows } = this;
    const { sum } = rows;
    const own = token * packedWords;
    const s0 = ((packedScores[own] ?? 0) + scoreOfSum(sum[at] ?? 0, pairCount)) | 0;
    const s1 = ((packedScores[own + 1] ?? 0) + scoreOfSum(sum[at + 1] ?? 0, pairCount)) | 0;
    const s2 = ((packedScores[own + 2] ?? 0) + scoreOfSum(sum[at + 2] ?? 0, pairCount)) | 0;
    const s3 = ((packedScores[own + 3] ?? 0) + scoreOfSum(sum[at + 3] ?? 0, pairCount)) | 0;
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
      const mean = margin / (last - token + 1) / this.scale;
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
