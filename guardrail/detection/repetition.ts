import { createYielder } from '../eventLoop.ts';
import type { Span } from './contract.ts';
import { Phrases } from './policy/phrases.ts';

interface Known {
  readonly type: string;
  readonly score: number;
  readonly detector: string;
}

/** The lowest score of a name that is searched elsewhere. */
const sureEnough = 0.6;
/** A span with more names is a list of people, which does not occur again as a whole. */
const MOST_NAMES = 8;
const part = /\p{Lu}[\p{L}\p{M}]{2,}/gu;

/** Words written small, as they stand in prose: not those of addresses (`ruth@…`, `/ruth`), which names are in, too. */
const smallWord = /(?<![\p{L}\p{N}@._/-])\p{Ll}[\p{Ll}\p{M}]{2,}(?![\p{L}\p{N}@_/]|[.-][\p{L}\p{N}])/gu;

/** How much text is searched between two yields to the event loop, in UTF-16 code units: some milliseconds. */
const STRETCH = 1 << 15;

/**
 * Finds each name of a conversation wherever it occurs again: names, places and organisations as they were written, and
 * the parts of a person's name ("Anna" of "Anna Schmidt") that are not also words of the conversation. Full names are also
 * found in capitals, as in forms. Yields to the event loop in long texts.
 * @param spans of each text; disjoint.
 * @returns the spans with those added that overlap none.
 */
export async function repeat(texts: readonly string[], spans: readonly (readonly Span[])[]): Promise<Span[][]> {
  const breathe = createYielder();
  const phrases = new Phrases<Known>({ exact: true });
  for (const [index, text] of texts.entries()) {
    for (const span of spans[index] ?? []) {
      addPhrases(phrases, text.slice(span.start, span.end), span);
      await breathe();
    }
  }
  if (phrases.size === 0) return spans.map((list) => [...list]);
  const small = new Set<string>();
  for (const text of texts) {
    addSmallWords(small, text);
    await breathe();
  }
  const isAmbiguous = (value: string): boolean => small.has(value.toLowerCase());
  const repeated: Span[][] = [];
  for (const [index, text] of texts.entries()) {
    const own = spans[index] ?? [];
    const added: Span[] = [];
    const add = adder(text, own, isAmbiguous, added);
    for (let at = 0; at < text.length; await breathe())
      at = phrases.find(text, add, at, Math.min(at + STRETCH, text.length));
    repeated.push(added.length === 0 ? [...own] : [...own, ...added].sort((a, b) => a.start - b.start));
  }
  return repeated;
}

function addPhrases(phrases: Phrases<Known>, value: string, { type, score, detector }: Span): void {
  if (score < sureEnough || (type !== 'PERSON' && type !== 'LOCATION' && type !== 'ORGANIZATION')) return;
  if (value.length < 3 || !/^\p{Lu}/u.test(value)) return;
  const names = type === 'PERSON' ? (value.match(part) ?? []) : [];
  const isList = names.length > MOST_NAMES;
  if (!isList && (type === 'PERSON' || value.length > 3)) phrases.add(value, { type, score, detector });
  if (names.length < 2) return;
  if (!isList) phrases.add(value.toUpperCase(), { type, score, detector });
  for (const name of names) {
    phrases.add(name, { type, score: score * 0.9, detector });
    if (!isList) phrases.add(name.toUpperCase(), { type, score: score * 0.9, detector });
  }
}

/** Adds words one by one: a list of all words of a long text is large. */
function addSmallWords(small: Set<string>, text: string): void {
  smallWord.lastIndex = 0;
  for (let found = smallWord.exec(text); found; found = smallWord.exec(text)) small.add(found[0]);
}

/** Adds spans that overlap none that was found before. Positions must be ascending. */
function adder(
  text: string,
  own: readonly Span[],
  isAmbiguous: (value: string) => boolean,
  added: Span[],
): (start: number, end: number, known: Known) => void {
  let next = 0;
  return (start, end, known) => {
    while (next < own.length && (own[next]?.end ?? 0) <= start) next++;
    const isFree = (own[next]?.start ?? text.length) >= end;
    if (isFree && !isAmbiguous(text.slice(start, end))) added.push({ start, end, ...known });
  };
}
