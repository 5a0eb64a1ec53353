import { escapeJson, type TextKind } from '../messages/messages.ts';
import { LoadedAddresses, Place, type OpenEnds, type SavedAddresses } from './autoload/autoload.ts';
import type { Pseudonym } from '../ids.ts';
import { Contexts, depthOf, NO_CONTEXT, type Context, type SavedContexts } from './contexts.ts';
import { encodeAt, type Stored } from './encoding.ts';
import type { PseudonymMatch } from './grammar.ts';
import { Guesses, type Budget } from './limits.ts';

/** Counts what a {@link Restorer} does. */
export interface Tally {
  /** Number of pseudonyms replaced by values. */
  restored: number;
  /** Number of known pseudonyms kept because they are in an address that a renderer loads. */
  withheld: number;
}

/** What a {@link Restorer} has to know of the text before a pseudonym. */
export interface Reading {
  /** Reads the contexts in the original text. Absent: they make no difference. */
  readonly contexts?: Contexts | undefined;
  /** Reads the addresses in the restored text. Absent: it has none, or they make no difference. */
  readonly addresses?: LoadedAddresses | undefined;
}

/** The state of a {@link Restorer}. */
export interface SavedRestorer {
  /** The unknown pseudonyms of rare forms. */
  readonly guesses: readonly Pseudonym[];
  readonly originalBytes: number;
  readonly restoredBytes: number;
  readonly contexts?: SavedContexts | undefined;
  readonly addresses?: SavedAddresses | undefined;
}

/**
 * The reading of a text of which nothing is known in advance. No client displays arguments.
 * @param saved the state from which to continue
 * @param before the ends of other texts of the answer
 */
export function readingOf(kind: TextKind, saved?: SavedRestorer, before?: OpenEnds): Required<Reading> {
  return {
    contexts: new Contexts(saved?.contexts),
    addresses: kind === 'arguments' ? undefined : new LoadedAddresses(saved?.addresses, before),
  };
}

/** The reading of a text that continues from a state, with the parts that the state has. */
export function readingFrom({ contexts, addresses }: SavedRestorer): Reading {
  return {
    contexts: contexts && new Contexts(contexts),
    addresses: addresses && new LoadedAddresses(addresses),
  };
}

/** Whether a text may be arguments, in which a pseudonym in square brackets may have replaced a JSON number. */
export function mayBeArguments(kind: TextKind): boolean {
  return kind === 'arguments' || kind === 'either';
}

/**
 * Writes a text with values in the place of pseudonyms, in one pass from its beginning to its end. What it writes for a
 * part depends only on the text before this part and, for a number in arguments, on the quotation mark after it.
 *
 * The value is written for its context, such as with JSON escapes inside a JSON string, both in text and in arguments. A client displays text: no
 * value is inserted into an address that the client's renderer loads, unless the value is that address. Arguments go to a
 * tool and are not displayed.
 */
export class Restorer {
  private readonly kind: TextKind;
  private readonly reading: Reading;
  readonly tally: Tally;
  private readonly budget: Budget | undefined;
  /** Many unknown codes of rare forms are numbers of products rather than a search: only these forms stay then. */
  private guesses = new Guesses();
  private written = '';
  private originalBytes = 0;
  private restoredBytes = 0;
  private context = NO_CONTEXT;

  constructor(kind: TextKind, reading: Reading, tally: Tally, budget?: Budget) {
    this.kind = kind;
    this.reading = reading;
    this.tally = tally;
    this.budget = budget;
  }

  /**
   * Continues a text, whose reading must be of the same state: see {@link readingOf}.
   * @throws ResponseTooLargeError
   */
  resume({ originalBytes, restoredBytes, guesses }: SavedRestorer): void {
    this.guesses = new Guesses(guesses);
    this.spend(originalBytes, restoredBytes);
  }

  /** @returns the state, which can be written as JSON. Everything written must be taken. */
  save(): SavedRestorer {
    const { originalBytes, restoredBytes } = this;
    const { contexts, addresses } = this.reading;
    const guesses = this.guesses.save();
    return { guesses, originalBytes, restoredBytes, contexts: contexts?.save(), addresses: addresses?.save() };
  }

  /**
   * Adds the states in which the text leaves what a client joins to its end.
   * @param rest what the text has besides what is written
   */
  addEnds(ends: OpenEnds, rest = ''): void {
    this.reading.addresses?.addEnds(ends, rest);
  }

  /** The size of the original text or, if it is larger, of the text with all values: an upper bound of the result. */
  get bytes(): number {
    return Math.max(this.originalBytes, this.restoredBytes);
  }

  /** The context of the last pseudonym. */
  get lastContext(): Context {
    return this.context;
  }

  /** The length of the text written since {@link take}. */
  get length(): number {
    return this.written.length;
  }

  /** @returns the text written since the last call */
  take(): string {
    const { written } = this;
    this.written = '';
    return written;
  }

  /** Writes a part of a text as it is. @throws ResponseTooLargeError */
  copy(text: string, from: number, to: number): void {
    const part = text.slice(from, to);
    if (part === '') return;
    this.reading.contexts?.feedAll(part);
    const bytes = Buffer.byteLength(part);
    this.spend(bytes, bytes);
    this.write(part);
  }

  /** Notes a pseudonym that has no value, and stays in the text. */
  pass({ pseudonym, isRare }: PseudonymMatch): void {
    if (isRare) this.guesses.add(pseudonym);
  }

  /**
   * Writes the part of a text up to a pseudonym, and the value of the pseudonym.
   * @param from where the part begins: the end of what was written before
   * @returns the end of what is written now: the end of the pseudonym, or of the quotation mark after it
   * @throws ResponseTooLargeError
   */
  put(text: string, from: number, match: PseudonymMatch, stored: Stored): number {
    const { start, end, before, after, form } = match;
    const { contexts, addresses } = this.reading;
    contexts?.feedAll(text.slice(from, start));
    const context = contexts?.context ?? NO_CONTEXT;
    this.context = context;
    const quote = mayBeArguments(this.kind) ? quoteAroundNumber(text, match, stored, depthOf(context)) : 0;
    const to = end + quote;
    contexts?.feedAll(text.slice(start, to));
    const lead = text.slice(from, Math.max(from, start - quote));
    const value = encodeAt(stored, context, form);
    const leadBytes = Buffer.byteLength(lead);
    const replaced = Buffer.byteLength(text.slice(from + lead.length, to));
    this.spend(leadBytes + replaced, leadBytes + bytesIn(before) + Buffer.byteLength(value) + bytesIn(after));
    this.write(lead);
    // The opening bracket of a pseudonym can also begin an address.
    const isSearch = match.isRare === true && this.guesses.isSearch;
    if (isSearch || addresses?.beginsAddress(text.charCodeAt(start)))
      return this.withhold(text, from + lead.length, to);
    this.write(before);
    if (addresses && isLoadedAt(addresses.place, stored)) return this.withhold(text, start + before.length, to);
    this.tally.restored++;
    this.write(value + after);
    return to;
  }

  private withhold(text: string, from: number, to: number): number {
    this.tally.withheld++;
    this.write(text.slice(from, to));
    return to;
  }

  private write(part: string): void {
    this.reading.addresses?.feed(part);
    this.written += part;
  }

  private spend(originalBytes: number, restoredBytes: number): void {
    const before = this.bytes;
    this.originalBytes += originalBytes;
    this.restoredBytes += restoredBytes;
    this.budget?.spend(this.bytes - before);
  }
}

/** Most matches have nothing before and after their value. */
function bytesIn(part: string): number {
  return part === '' ? 0 : Buffer.byteLength(part);
}

function isLoadedAt(place: Place, stored: Stored): boolean {
  return place === Place.inside || (place === Place.start && !hasCompleteHost(stored));
}

/**
 * Whether a value is an address with a complete host. Loading it reaches only that host, so it can be restored: an
 * image in a user's document is kept. Without a delimiter behind the host, the text that follows could extend the host.
 */
function hasCompleteHost(stored: Stored): boolean {
  return stored.kind === 'value' && /^https?:\/\/[a-z0-9.-]+(?::\d+)?[/?#]/i.test(stored.value);
}

/**
 * The length of each quotation mark around a pseudonym that replaced a JSON number; 0 for other pseudonyms. Such a
 * pseudonym is a complete JSON string in square brackets, and its value is a number.
 */
function quoteAroundNumber(text: string, match: PseudonymMatch, stored: Stored, depth: number): number {
  const isNumber = stored.kind === 'value' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(stored.value);
  if (depth === 0 || match.form !== 'square' || !isNumber) return 0;
  const quote = escapeJson('"', depth - 1);
  const start = match.start - quote.length;
  const isString =
    text.startsWith(quote, start) && text.startsWith(quote, match.end) && text.charAt(start - 1) !== '\\';
  return isString ? quote.length : 0;
}
