import { createYielder } from '../eventLoop.ts';
import type { Span } from './contract.ts';
import { Phrases } from './policy/phrases.ts';

interface Known {
  readonly type: string;
  readonly score: number;
  readonly detector: string;
}

/** Below this a name is too doubtful to be looked for elsewhere. */
const sureEnough = 0.6;
/** More names than a person has: a list of people, which is not repeated as it stands, and may be long. */
const MOST_NAMES = 8;
const part = /\p{Lu}[\p{L}\p{M}]{2,}/gu;

/** Words written small, as they stand in prose: not those of addresses (`ruth@…`, `/ruth`), which names are in, too. */
const smallWord = /(?<![\p{L}\p{N}@._/-])\p{Ll}[\p{Ll}\p{M}]{2,}(?![\p{L}\p{N}@_/]|[.-][\p{L}\p{N}])/gu;

/** How much of a text is looked through at once, in UTF-16 code units: some milliseconds. */
const STRETCH = 1 << 15;

/**
 * What was found once in a conversation is found wherever it stands in it: names, places and organisations as they
 * were written, and the parts of a person's name ("Anna" of "Anna Schmidt") that are no words of the conversation, too;
 * people of several names also in capitals, as forms have them. Lets go of the event loop where there is much of it.
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

/** Without a list of all words: a long text has many, and few of them differ. */
function addSmallWords(small: Set<string>, text: string): void {
  smallWord.lastIndex = 0;
  for (let found = smallWord.exec(text); found; found = smallWord.exec(text)) small.add(found[0]);
}

/** Takes what stands apart from what was found already. To be called with places in order. */
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
