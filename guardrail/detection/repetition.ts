import { unitAt } from '../unitAt.ts';
import type { EntityType, RuleId, Span } from './contract.ts';
import type { MessageRange } from './messageRanges.ts';
import { Phrases } from './policy/phrases.ts';
import { generalTypeOf } from '../entityTypes.ts';
import type { Trace } from './trace.ts';

/** Types of names: they can occur again where no detector finds them. */
const repeatedTypes: ReadonlySet<EntityType> = new Set([
  'PERSON',
  'PUBLIC_PERSON',
  'LOCATION',
  'ADDRESS',
  'ORGANIZATION',
]);

/** A name that is searched from its message on, and what an occurrence of it is. */
export interface KnownName {
  readonly type: string;
  readonly score: number;
  readonly detector: string;
  readonly rule: RuleId;
}

/** The lowest score of a name that is searched elsewhere. */
const MIN_SCORE = 0.6;
/** A span with more names is a list of people. Lists do not occur again as a whole. */
const MOST_NAMES = 8;
const namePart = /\p{Lu}[\p{L}\p{M}]{2,}/gu;

/** Lower-case words of prose. Excludes the words of addresses (`ruth@…`, `/ruth`), which can be names. */
const lowercaseWord = /(?<![\p{L}\p{N}@._/-])\p{Ll}[\p{Ll}\p{M}]{2,}(?![\p{L}\p{N}@_/]|[.-][\p{L}\p{N}])/gu;

/**
 * Length of the text that is searched between two yields to the event loop, in UTF-16 code units: a few milliseconds.
 */
const SLICE = 1 << 15;

/** The texts of a call, and what is found in them. */
interface FoundTexts {
  readonly texts: readonly string[];
  /** The disjoint spans of each text. */
  readonly spans: readonly (readonly Span[])[];
  /** Other spans of each text. No occurrence is added in them. */
  readonly kept: readonly (readonly Span[])[];
  /** The texts of each message. */
  readonly ranges: readonly MessageRange[];
  /** Collects the occurrences that are not added. */
  readonly trace?: Trace | undefined;
}

/**
 * Adds all other occurrences of the names, places and organisations that a message or one before it has. Also adds the parts
 * of a person's name ("Anna" of "Anna Schmidt") unless they are also words of these messages, and full names in capitals, as in
 * forms. A message is read without those after it, so that it stays as it is when a conversation goes on. Yields to the event
 * loop in long texts.
 * @param yieldIfDue awaited between two steps
 * @returns the spans of each text and the added ones, disjoint.
 */
export async function addRepetitions(
  { texts, spans, kept, ranges, trace }: FoundTexts,
  yieldIfDue: () => Promise<void> | undefined,
): Promise<Span[][]> {
  const all = spans.map((list) => [...list]);
  // Most calls name nobody.
  if (!spans.some((list) => list.some(isRepeated))) return all;
  const names = new Names();
  const words = new LowercaseWords(texts);
  for (const { from, to } of ranges) {
    for (let index = from; index < to; index++) {
      for (const span of spans[index] ?? []) {
        addNames(names, textAt(texts, index).slice(span.start, span.end), span);
        await yieldIfDue();
      }
    }
    if (names.isEmpty) continue;
    for (let index = from; index < to; index++) {
      const text = textAt(texts, index);
      const free: Span[] = [];
      const occupied = [...(spans[index] ?? []), ...(kept[index] ?? [])].sort((a, b) => a.start - b.start);
      const add = createAdder(text, occupied, free);
      for (let at = 0; at < text.length; await yieldIfDue())
        at = names.find(text, add, at, Math.min(at + SLICE, text.length));
      // In most calls, the detector has found each occurrence, and no word decides about one.
      if (free.length === 0) continue;
      await words.readUntil(to, yieldIfDue);
      const added = free.filter(({ start, end }) => !words.has(text.slice(start, end).toLowerCase()));
      trace?.pass(free, added, 'ordinaryWord');
      if (added.length > 0) all[index] = [...(spans[index] ?? []), ...added].sort((a, b) => a.start - b.start);
    }
  }
  return all;
}

const textAt = (texts: readonly string[], index: number): string => texts[index] ?? '';

/** The lower-case words of the messages that are read so far. */
class LowercaseWords {
  private readonly texts: readonly string[];
  private readonly words = new Set<string>();
  private next = 0;

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  has(word: string): boolean {
    return this.words.has(word);
  }

  /** Adds the words of the texts before an index. */
  async readUntil(end: number, yieldIfDue: () => Promise<void> | undefined): Promise<void> {
    for (; this.next < end; this.next++) {
      addLowercaseWords(this.words, textAt(this.texts, this.next));
      await yieldIfDue();
    }
  }
}

/** The names that are searched in the texts of a call. */
class Names {
  private readonly phrases = new Phrases<KnownName>({ exact: true });
  /** For each low byte of a code unit, whether a name may begin with such a code unit. Skips most of a text. */
  private readonly beginnings = new Uint8Array(0x100);

  get isEmpty(): boolean {
    return this.phrases.size === 0;
  }

  add(name: string, known: KnownName): void {
    this.phrases.add(name, known);
    this.beginnings[name.charCodeAt(0) & 0xff] = 1;
  }

  /** As {@link Phrases.find}. */
  find(
    text: string,
    found: (start: number, end: number, known: KnownName) => void,
    from: number,
    until: number,
  ): number {
    let at = from;
    while (at < until) {
      if (this.beginnings[unitAt(text, at) & 0xff] === 0) at++;
      else at = this.phrases.find(text, found, at, at + 1);
    }
    return at;
  }
}

function isRepeated({ type, score }: Span): boolean {
  return score >= MIN_SCORE && repeatedTypes.has(type);
}

/** Adds the names of a span. A name that is added twice keeps its first type. */
export function addNames(phrases: { add(phrase: string, known: KnownName): void }, value: string, span: Span): void {
  if (!isRepeated(span)) return;
  const { type, score, detector } = span;
  const known = (share: number): KnownName => ({ type, score: score * share, detector, rule: 'repetition' });
  if (value.length < 3 || !/^\p{Lu}/u.test(value)) return;
  const isPerson = generalTypeOf(type) === 'PERSON';
  const names = isPerson ? (value.match(namePart) ?? []) : [];
  const isList = names.length > MOST_NAMES;
  if (!isList && (isPerson || value.length > 3)) phrases.add(value, known(1));
  if (names.length < 2) return;
  if (!isList) phrases.add(value.toUpperCase(), known(1));
  for (const name of names) {
    phrases.add(name, known(0.9));
    if (!isList) phrases.add(name.toUpperCase(), known(0.9));
  }
}

/** Adds the lower-case words one by one, because a list of all words of a long text is large. */
function addLowercaseWords(lowercaseWords: Set<string>, text: string): void {
  lowercaseWord.lastIndex = 0;
  for (let found = lowercaseWord.exec(text); found; found = lowercaseWord.exec(text)) lowercaseWords.add(found[0]);
}

/**
 * Creates a function that adds a span unless it overlaps an existing one. Calls must be in ascending order.
 * @param own the existing spans, sorted by start; they may overlap.
 */
function createAdder(
  text: string,
  own: readonly Span[],
  added: Span[],
): (start: number, end: number, known: KnownName) => void {
  let next = 0;
  return (start, end, known) => {
    while (next < own.length && (own[next]?.end ?? 0) <= start) next++;
    const isFree = (own[next]?.start ?? text.length) >= end;
    if (isFree) added.push({ start, end, ...known });
  };
}
