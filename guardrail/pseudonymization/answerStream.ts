import { TooManyValuesError } from '../detection/detection.ts';
import type { Pseudonym } from '../ids.ts';
import type { TextKind } from '../messages/messages.ts';
import type { AnswerCounts, AnswerStream, TextStream } from './contract.ts';
import type { Stored } from './encoding.ts';
import type { Grammar, PseudonymMatch } from './grammar.ts';
import { Budget, Guesses } from './limits.ts';
import { RestoredTextStream, type SharedAnswer } from './textStream.ts';

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

/** An answer in which nothing is restored. */
export function unchangedAnswer(): AnswerStream {
  return {
    text: () => UNCHANGED,
    counts: () => ({ restored: 0, withheld: 0, unknown: 0, isEnumeration: false }),
  };
}

const UNCHANGED: TextStream = { push: (piece) => Promise.resolve(piece), end: () => Promise.resolve('') };

class RestoredAnswer implements AnswerStream, SharedAnswer {
  readonly grammar: Grammar;
  readonly budget: Budget;
  readonly tally = { restored: 0, withheld: 0 };
  private readonly lookUp: AnswerOptions['lookUp'];
  /** The values read so far; undefined for unknown pseudonyms. */
  private readonly values = new Map<Pseudonym, Stored | undefined>();
  private readonly guesses = new Guesses();
  private found = 0;
  private unknown = 0;

  constructor({ grammar, lookUp, maxBytes }: AnswerOptions) {
    this.grammar = grammar;
    this.lookUp = lookUp;
    this.budget = new Budget(maxBytes);
  }

  /** An address is never restored: a client may load it. */
  text(kind: TextKind): TextStream {
    return kind === 'address' ? UNCHANGED : new RestoredTextStream(kind, this);
  }

  counts(): AnswerCounts {
    return { ...this.tally, unknown: this.unknown, isEnumeration: this.guesses.isSearch };
  }

  async prepare(matches: readonly PseudonymMatch[]): Promise<void> {
    this.found += matches.length;
    TooManyValuesError.check(this.found);
    const missing = new Set(matches.map((match) => match.pseudonym).filter((pseudonym) => !this.values.has(pseudonym)));
    if (missing.size === 0) return;
    const values = await this.lookUp(missing);
    for (const pseudonym of missing) this.values.set(pseudonym, values.get(pseudonym));
  }

  decide(pseudonym: Pseudonym, isGuess: boolean): Stored | undefined {
    const stored = this.values.get(pseudonym);
    if (!stored) {
      this.unknown++;
      if (isGuess) this.guesses.add(pseudonym);
    } else if (this.guesses.isSearch) this.tally.withheld++;
    return this.guesses.isSearch ? undefined : stored;
  }
}
