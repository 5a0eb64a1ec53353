import { TooManyValuesError } from '../detection/detection.ts';
import type { Pseudonym } from '../ids.ts';
import type { TextKind } from '../messages/messages.ts';
import type { AnswerCounts, AnswerStream, TextStream } from './contract.ts';
import type { Stored } from './encoding.ts';
import type { Grammar, PseudonymMatch } from './grammar.ts';
import { Budget, Guesses } from './limits.ts';
import { JoinedStreams, RestoredTextStream, type SavedText, type SharedAnswer } from './textStream.ts';

export interface AnswerOptions {
  readonly grammar: Grammar;
  /** Reads the values of pseudonyms, without those that the session does not know. @throws StoreUnavailableError */
  readonly lookUp: (pseudonyms: ReadonlySet<Pseudonym>) => Promise<ReadonlyMap<Pseudonym, Stored>>;
  /** Maximum size of all texts of the answer, restored. */
  readonly maxBytes: number;
}

export function createAnswerStream(options: AnswerOptions): AnswerStream {
  return new RestoredAnswer(options);
}

/** Parts of an answer that are remembered. More than the choices of an answer: each line of a file is a part. */
const MAX_PARTS = 1024;

/** The state of a {@link PausedText}. */
export interface SavedAnswer {
  readonly found: number;
  readonly guesses: readonly Pseudonym[];
  readonly text: SavedText;
}

/** An answer of one text, whose state is kept elsewhere between its pieces. */
export interface PausedText extends TextStream {
  /** The numbers since the state was saved. An enumeration counts once: when the limit is exceeded. */
  counts(): AnswerCounts;
  /** @returns the state between two calls, which can be written as JSON */
  save(): SavedAnswer;
}

/**
 * @param saved the state from which to continue, of a text of the same kind
 * @throws ResponseTooLargeError
 */
export function createPausedText(kind: TextKind, saved: SavedAnswer | undefined, options: AnswerOptions): PausedText {
  const answer = new RestoredAnswer(options, saved);
  const text = new RestoredTextStream(kind, answer, undefined, saved?.text);
  const wasEnumeration = answer.counts().isEnumeration;
  return {
    push: (piece) => text.push(piece),
    end: () => text.end(),
    counts() {
      const counts = answer.counts();
      return { ...counts, isEnumeration: counts.isEnumeration && !wasEnumeration };
    },
    save: () => ({ ...answer.save(), text: text.save() }),
  };
}

/** An answer in which nothing is restored. */
export function unchangedAnswer(): AnswerStream {
  return {
    text: () => UNCHANGED,
    counts: () => ({ restored: 0, withheld: 0, unknown: 0, isEnumeration: false }),
  };
}

const UNCHANGED: TextStream = { push: (piece) => piece, end: () => '' };

class RestoredAnswer implements AnswerStream, SharedAnswer {
  readonly grammar: Grammar;
  readonly budget: Budget;
  readonly tally = { restored: 0, withheld: 0 };
  private readonly lookUp: AnswerOptions['lookUp'];
  /**
   * The values of pseudonyms when they were read last; undefined for unknown ones, and for those whose mapping was erased since.
   * Made for the first pseudonym.
   */
  private values: Map<Pseudonym, Stored | undefined> | undefined;
  /** Pseudonyms that had a value earlier in this answer. They are no guesses. */
  private erased: Set<Pseudonym> | undefined;
  private readonly guesses: Guesses;
  private found: number;
  private unknown = 0;
  private readonly joined = new Map<string, JoinedStreams>();

  constructor({ grammar, lookUp, maxBytes }: AnswerOptions, saved?: Omit<SavedAnswer, 'text'>) {
    this.grammar = grammar;
    this.lookUp = lookUp;
    this.budget = new Budget(maxBytes);
    this.guesses = new Guesses(saved?.guesses);
    this.found = saved?.found ?? 0;
  }

  save(): Omit<SavedAnswer, 'text'> {
    return { found: this.found, guesses: this.guesses.save() };
  }

  /** An address is never restored: a client may load it. */
  text(kind: TextKind, part = ''): TextStream {
    if (kind === 'address') return UNCHANGED;
    const joined = this.joined.get(part) ?? new JoinedStreams();
    if (this.joined.size >= MAX_PARTS && !this.joined.has(part)) this.joined.clear();
    this.joined.set(part, joined);
    return new RestoredTextStream(kind, this, joined);
  }

  counts(): AnswerCounts {
    return { ...this.tally, unknown: this.unknown, isEnumeration: this.guesses.isSearch };
  }

  async prepare(matches: readonly PseudonymMatch[]): Promise<void> {
    this.found += matches.length;
    TooManyValuesError.check(this.found);
    const pseudonyms = new Set(matches.map((match) => match.pseudonym));
    // Each piece is read anew: an erasure ends the restoring of the answers that still arrive.
    const values = await this.lookUp(pseudonyms);
    const known = (this.values ??= new Map());
    for (const pseudonym of pseudonyms) {
      const value = values.get(pseudonym);
      if (value === undefined && known.get(pseudonym) !== undefined) (this.erased ??= new Set()).add(pseudonym);
      known.set(pseudonym, value);
    }
  }

  decide({ pseudonym, isRare }: PseudonymMatch, isGuess: boolean): Stored | undefined {
    const stored = this.values?.get(pseudonym);
    if (!stored && isRare) return undefined;
    if (!stored) {
      this.unknown++;
      if (isGuess && this.erased?.has(pseudonym) !== true) this.guesses.add(pseudonym);
    } else if (this.guesses.isSearch) this.tally.withheld++;
    return this.guesses.isSearch ? undefined : stored;
  }
}
