import { flags, type Gazetteer } from './gazetteer.ts';
import { mostFeatures, nameFlagBits } from '../kernel/numbers.ts';
import { bytesAt, numbersAt, type Kernel } from '../kernelInstance.ts';
import { kindNames, type TagKind } from './labels.ts';
import { knownFlags, reserveKnownNames } from './knownNames.ts';
import { nameParticles } from './nameParticles.ts';
import { FIRST_WORDS, type TextContext } from './textContext.ts';
import { shapes, type Tokens } from './tokens.ts';

/** A span that the tagger found. */
export interface Candidate {
  readonly kind: TagKind;
  /** First token. */
  readonly first: number;
  /** Last token, inclusive. */
  readonly last: number;
  /** The mean lead of the tagger's labels over O, in units of training margin. */
  readonly margin: number;
}

const ordinaryOrName = flags.ordinary | flags.given | flags.family;

/** The step of a margin: whole units, within these limits. */
const LEAST_STEP = -4;
const MOST_STEP = 12;

/**
 * Computes the features of candidates, and what else is known of them. An instance processes one text at a time, whose tokens are
 * in the memory of a kernel.
 */
export class SpanFeatures {
  /** The buckets of the last candidate. */
  out = new Int32Array();
  private readonly kernel: Kernel;
  private candidates: readonly Candidate[] = [];
  /** What is known of each candidate, in the memory of the kernel like the following. */
  private known = new Int32Array();
  private kinds = new Uint8Array();
  private firsts = new Int32Array();
  private lasts = new Int32Array();
  private steps = new Int32Array();
  private firstWords = new Int32Array();
  private viewedWith: Int32Array | undefined;

  /**
   * @param knownNames see {@link reserveKnownNames}.
   * @param kernel that of the tokens.
   */
  constructor(knownNames: Gazetteer, kernel: Kernel) {
    reserveKnownNames(kernel, knownNames);
    this.kernel = kernel;
  }

  /**
   * Sets the candidates, and the properties of the whole text of which theirs may be a piece.
   * @param tokens as the tagger left them.
   * @param candidates in the order of the text
   */
  readText(tokens: Tokens, candidates: readonly Candidate[], { size, marks, firstWords }: TextContext): void {
    // The arrays of the tokens and of the candidates move together.
    if (this.viewedWith !== tokens.start) this.view(tokens);
    this.candidates = candidates;
    for (const [index, { kind, first, last, margin }] of candidates.entries()) {
      this.kinds[index] = kindNames.indexOf(kind);
      this.firsts[index] = first;
      this.lasts[index] = last;
      this.steps[index] = Math.max(LEAST_STEP, Math.min(MOST_STEP, Math.floor(margin)));
    }
    this.firstWords.set(firstWords);
    this.kernel.readSpans(tokens.count, candidates.length, size, marks, firstWords.length);
  }

  /** @returns the number of features, whose buckets are in {@link out}. */
  of(index: number): number {
    return this.kernel.spanFeatures(index);
  }

  /** What is known of the name of a candidate: see `knownName`. */
  knownOf(index: number): number {
    return this.known[index] ?? 0;
  }

  private view({ start }: Tokens): void {
    const { kernel } = this;
    this.viewedWith = start;
    const capacity = kernel.capacity.value;
    this.out = numbersAt(kernel, kernel.featuresAt, mostFeatures);
    this.known = numbersAt(kernel, kernel.spanKnownAt, capacity);
    this.kinds = bytesAt(kernel, kernel.spanKindAt, capacity);
    this.firsts = numbersAt(kernel, kernel.spanFirstAt, capacity);
    this.lasts = numbersAt(kernel, kernel.spanLastAt, capacity);
    this.steps = numbersAt(kernel, kernel.spanStepAt, capacity);
    this.firstWords = numbersAt(kernel, kernel.firstWordsAt, FIRST_WORDS);
  }

  /** Whether a candidate as a whole is a known name, has an ordinary word that is no name, or has a digit within a word. */
  isCommon(tokens: Tokens, index: number): boolean {
    const known = this.known[index] ?? 0;
    const candidate = this.candidates[index];
    if (candidate === undefined || known > 0) return known > 0 && known < 1 << nameFlagBits;
    let words = 0;
    for (let at = candidate.first; at <= candidate.last; at++) {
      const shape = tokens.shape[at];
      if (shape === shapes.mark || shape === shapes.initial) continue;
      words++;
      if (shape === shapes.upperDigits || shape === shapes.lowerDigits) return true;
      const isOrdinary = ((tokens.known[at] ?? 0) & ordinaryOrName) === flags.ordinary;
      if (isOrdinary && !nameParticles.has(tokens.word[at] ?? 0)) return true;
    }
    return words === 0;
  }

  /** Whether a candidate is the name of a thing of one word that is no name of people. */
  isProduct(tokens: Tokens, index: number): boolean {
    const { first, last } = this.candidates[index] ?? { first: 0, last: -1 };
    const isName = ((tokens.known[first] ?? 0) & (flags.given | flags.family)) !== 0;
    return first === last && !isName && this.known[index] === knownFlags.thing;
  }

  /** Whether a candidate contains a number. */
  hasNumber(tokens: Tokens, index: number): boolean {
    const { first, last } = this.candidates[index] ?? { first: 0, last: -1 };
    for (let at = first; at <= last; at++) if ((tokens.shape[at] ?? 0) >= shapes.digit1) return true;
    return false;
  }
}
