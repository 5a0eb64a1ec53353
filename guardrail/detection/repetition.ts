import { createYielder } from '../eventLoop.ts';
import { unitAt } from '../unitAt.ts';
import type { EntityType, Span } from './contract.ts';
import { Phrases } from './policy/phrases.ts';
import { generalTypeOf } from './publicTypes.ts';

/** Types of names: they can occur again where no detector finds them. */
const repeatedTypes: ReadonlySet<EntityType> = new Set([
  'PERSON',
  'PUBLIC_PERSON',
  'LOCATION',
  'ADDRESS',
  'ORGANIZATION',
]);

/** A name that is searched in the whole conversation, and what an occurrence of it is. */
export interface KnownName {
  readonly type: string;
  readonly score: number;
  readonly detector: string;
}

/** The lowest score of a name that is searched in the rest of the conversation. */
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

/**
 * Adds all other occurrences of the names, places and organisations of a conversation. Also adds the parts of a
 * person's name ("Anna" of "Anna Schmidt") unless they are also words of the conversation, and full names in capitals,
 * as in forms. Yields to the event loop in long texts.
 * @param spans the disjoint spans of each text.
 * @param kept other spans of each text. No occurrence is added in them.
 * @param yieldIfDue awaited between two steps
 * @returns the spans of each text and the added ones, disjoint.
 */
export async function addRepetitions(
  texts: readonly string[],
  spans: readonly (readonly Span[])[],
  kept: readonly (readonly Span[])[] = [],
  yieldIfDue = createYielder(),
): Promise<Span[][]> {
  // Most calls name nobody.
  if (!spans.some((list) => list.some(isRepeated))) return spans.map((list) => [...list]);
  const names = new Names();
  for (const [index, text] of texts.entries()) {
    for (const span of spans[index] ?? []) {
      addNames(names, text.slice(span.start, span.end), span);
      await yieldIfDue();
    }
  }
  if (names.isEmpty) return spans.map((list) => [...list]);
  const free: Span[][] = [];
  for (const [index, text] of texts.entries()) {
    const added: Span[] = [];
    const occupied = [...(spans[index] ?? []), ...(kept[index] ?? [])].sort((a, b) => a.start - b.start);
    const add = createAdder(text, occupied, added);
    for (let at = 0; at < text.length; await yieldIfDue())
      at = names.find(text, add, at, Math.min(at + SLICE, text.length));
    free.push(added);
  }
  // In most calls, the detector has found each occurrence, and no word decides about one.
  const lowercaseWords = new Set<string>();
  for (const text of free.some(({ length }) => length > 0) ? texts : []) {
    addLowercaseWords(lowercaseWords, text);
    await yieldIfDue();
  }
  const isAmbiguous = (text: string, { start, end }: Span): boolean =>
    lowercaseWords.has(text.slice(start, end).toLowerCase());
  return texts.map((text, index) => {
    const added = (free[index] ?? []).filter((span) => !isAmbiguous(text, span));
    const all = [...(spans[index] ?? []), ...added];
    return added.length === 0 ? all : all.sort((a, b) => a.start - b.start);
  });
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
  if (value.length < 3 || !/^\p{Lu}/u.test(value)) return;
  const isPerson = generalTypeOf(type) === 'PERSON';
  const names = isPerson ? (value.match(namePart) ?? []) : [];
  const isList = names.length > MOST_NAMES;
  if (!isList && (isPerson || value.length > 3)) phrases.add(value, { type, score, detector });
  if (names.length < 2) return;
  if (!isList) phrases.add(value.toUpperCase(), { type, score, detector });
  for (const name of names) {
    phrases.add(name, { type, score: score * 0.9, detector });
    if (!isList) phrases.add(name.toUpperCase(), { type, score: score * 0.9, detector });
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
