import type { TextKind } from '../messages/messages.ts';
import type { TextStream } from './contract.ts';
import type { Stored } from './encoding.ts';
import type { Grammar, PseudonymMatch, Unfinished } from './grammar.ts';
import { CONTEXT, isHighSurrogate, settledPlace } from './held.ts';
import type { Budget } from './limits.ts';
import { OpenEnds } from './autoload/autoload.ts';
import { isDisplayed } from './joinedTexts.ts';
import { isComplete } from './restore.ts';
import { readingOf, Restorer, type SavedRestorer, type Tally } from './restorer.ts';

/** What the texts of one answer share. */
export interface SharedAnswer {
  readonly grammar: Grammar;
  readonly budget: Budget;
  readonly tally: Tally;
  /** Reads the values of pseudonyms, as the store has them now. @throws StoreUnavailableError | TooManyValuesError */
  prepare(matches: readonly PseudonymMatch[]): Promise<void>;
  /** Decides and counts a pseudonym that was prepared. @returns its value; undefined if it stays as it is */
  decide(match: PseudonymMatch, isGuess: boolean): Stored | undefined;
}

/** The texts of an answer that a client can join, in the order in which they begin. */
export class JoinedStreams {
  private readonly ended = new OpenEnds();
  private readonly open = new Set<RestoredTextStream>();

  /** @returns the ends of the texts before the one that begins now */
  before(): OpenEnds {
    const ends = new OpenEnds(this.ended);
    for (const text of this.open) text.addEnds(ends);
    return ends;
  }

  begin(text: RestoredTextStream): void {
    this.open.add(text);
  }

  end(text: RestoredTextStream): void {
    this.open.delete(text);
    text.addEnds(this.ended);
  }
}

/** The state of a {@link RestoredTextStream}. */
export interface SavedText {
  readonly text: string;
  readonly from: number;
  readonly half: string;
  readonly restorer: SavedRestorer;
}

/** A short string can keep a long one in memory. What is left of a text of this length is copied. */
const MAX_RETAINED = 1024;

/** Finds the pseudonyms of one text as they become complete, and writes the text up to the first undecided place. */
export class RestoredTextStream implements TextStream {
  private readonly kind: TextKind;
  private readonly answer: SharedAnswer;
  private readonly restorer: Restorer;
  private readonly joined: JoinedStreams | undefined;
  /** The end of the text so far: {@link CONTEXT}, and from `from` on what is held back. */
  private text = '';
  private from = 0;
  /** The first half of a surrogate pair, at the end of a value. */
  private half = '';
  /** The last call that is running; undefined: none. */
  private turn: Promise<string> | undefined;

  /**
   * @param joined the other texts, to which a client can join this one
   * @param saved the state from which to continue, of a text of the same kind
   * @throws ResponseTooLargeError
   */
  constructor(kind: TextKind, answer: SharedAnswer, joined?: JoinedStreams, saved?: SavedText) {
    this.kind = kind;
    this.answer = answer;
    this.restorer = new Restorer(kind, readingOf(kind, saved?.restorer, joined?.before()), answer.tally, answer.budget);
    this.joined = isDisplayed(kind) ? joined : undefined;
    this.joined?.begin(this);
    if (!saved) return;
    this.restorer.resume(saved.restorer);
    ({ text: this.text, from: this.from, half: this.half } = saved);
  }

  /** Adds the states in which the text so far leaves what a client joins to it. */
  addEnds(ends: OpenEnds): void {
    this.restorer.addEnds(ends, this.text.slice(this.from));
  }

  /** @returns the state between two calls, which can be written as JSON */
  save(): SavedText {
    const { text, from, half } = this;
    return { text, from, half, restorer: this.restorer.save() };
  }

  push(piece: string): string | Promise<string> {
    return this.enqueue(() => this.read(piece, false));
  }

  end(): string | Promise<string> {
    return this.enqueue(() => this.read('', true));
  }

  /** Runs the calls in order. After one that fails, all fail. Most pieces wait for nothing, and have no promise. */
  private enqueue(call: () => string | Promise<string>): string | Promise<string> {
    if (this.turn) return this.await(this.turn.then(call));
    try {
      const result = call();
      return typeof result === 'string' ? result : this.await(result);
    } catch (error) {
      return this.await(Promise.reject(asError(error)));
    }
  }

  private async await(turn: Promise<string>): Promise<string> {
    this.turn = turn;
    const result = await turn;
    // The result would stay in memory until the next call.
    if (this.turn === turn) this.turn = undefined;
    return result;
  }

  private read(piece: string, isEnd: boolean): string | Promise<string> {
    const { grammar } = this.answer;
    const text = this.text + piece;
    const found = grammar.find(text, this.from);
    const settled = isEnd ? text.length : settledPlace(grammar, this.kind, text, found, this.from);
    const matches = found.filter(({ start }) => start < settled);
    const unfinished = isEnd ? grammar.unfinished(text, found, this.from) : [];
    const write = (): string => {
      const at = this.restore(text, matches, unfinished);
      // The quotation mark after a number was written with the number, and may be behind the settled place.
      const end = Math.max(at, settled);
      this.restorer.copy(text, at, end);
      this.keep(text, end);
      if (isEnd) this.joined?.end(this);
      return this.take(isEnd);
    };
    return matches.length === 0 ? write() : this.answer.prepare(matches).then(write);
  }

  /** Writes the text up to the last known pseudonym. @returns the end of what is written */
  private restore(text: string, matches: readonly PseudonymMatch[], unfinished: readonly Unfinished[]): number {
    let at = this.from;
    for (const match of matches) {
      const stored = this.answer.decide(match, isComplete(match, unfinished));
      if (stored) at = this.restorer.put(text, at, match, stored);
      else this.restorer.pass(match);
    }
    return at;
  }

  private keep(text: string, from: number): void {
    const kept = text.slice(Math.max(0, from - CONTEXT));
    this.text = text.length > MAX_RETAINED ? copyOf(kept) : kept;
    this.from = Math.min(from, CONTEXT);
  }

  private take(isEnd: boolean): string {
    const text = this.half + this.restorer.take();
    const isSplit = !isEnd && isHighSurrogate(text.charCodeAt(text.length - 1));
    this.half = isSplit ? text.slice(-1) : '';
    return isSplit ? text.slice(0, -1) : text;
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('A text could not be restored.', { cause: thrown });
}

function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
