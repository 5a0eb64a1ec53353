import type { Span } from './contract.ts';
import { Phrases } from './policy/phrases.ts';

interface Known {
  readonly type: string;
  readonly score: number;
  readonly detector: string;
}

/** Below this a name is too doubtful to be looked for elsewhere. */
const sureEnough = 0.6;
const part = /\p{Lu}[\p{L}\p{M}]{2,}/gu;

/** Words written small, as they stand in prose: not those of addresses (`ruth@…`, `/ruth`), which names are in, too. */
const smallWord = /(?<![\p{L}\p{N}@._/-])\p{Ll}[\p{Ll}\p{M}]{2,}(?![\p{L}\p{N}@_/]|[.-][\p{L}\p{N}])/gu;

/**
 * What was found once in a conversation is found wherever it stands in it: names, places and organisations as they
 * were written, and the parts of a person's name ("Anna" of "Anna Schmidt") that are no words of the conversation, too;
 * people of several names also in capitals, as forms have them.
 * @param spans of each text; disjoint.
 * @returns the spans with those added that overlap none.
 */
export function repeat(texts: readonly string[], spans: readonly (readonly Span[])[]): Span[][] {
  const phrases = new Phrases<Known>({ exact: true });
  texts.forEach((text, index) => {
    for (const span of spans[index] ?? []) {
      const { type, score, detector } = span;
      if (score < sureEnough || (type !== 'PERSON' && type !== 'LOCATION' && type !== 'ORGANIZATION')) continue;
      const value = text.slice(span.start, span.end);
      if (value.length < 3 || !/^\p{Lu}/u.test(value)) continue;
      if (type === 'PERSON' || value.length > 3) phrases.add(value, { type, score, detector });
      if (type !== 'PERSON') continue;
      const names = value.match(part) ?? [];
      if (names.length < 2) continue;
      phrases.add(value.toUpperCase(), { type, score, detector });
      for (const name of names) {
        phrases.add(name, { type, score: score * 0.9, detector });
        phrases.add(name.toUpperCase(), { type, score: score * 0.9, detector });
      }
    }
  });
  if (phrases.size === 0) return spans.map((list) => [...list]);
  const small = smallWordsIn(texts);
  const isAmbiguous = (value: string): boolean => small.has(value.toLowerCase());
  return texts.map((text, index) => withRepeated(text, spans[index] ?? [], phrases, isAmbiguous));
}

/** Without a list of all words: a long text has many, and few of them differ. */
function smallWordsIn(texts: readonly string[]): Set<string> {
  const small = new Set<string>();
  for (const text of texts) {
    smallWord.lastIndex = 0;
    for (let found = smallWord.exec(text); found; found = smallWord.exec(text)) small.add(found[0]);
  }
  return small;
}

function withRepeated(
  text: string,
  own: readonly Span[],
  phrases: Phrases<Known>,
  isAmbiguous: (value: string) => boolean,
): Span[] {
  const added: Span[] = [];
  let next = 0;
  phrases.find(text, (start, end, known) => {
    while (next < own.length && (own[next]?.end ?? 0) <= start) next++;
    const isFree = (own[next]?.start ?? text.length) >= end;
    if (isFree && !isAmbiguous(text.slice(start, end))) added.push({ start, end, ...known });
  });
  return added.length === 0 ? [...own] : [...own, ...added].sort((a, b) => a.start - b.start);
}
