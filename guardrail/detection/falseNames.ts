import { unitAt } from '../unitAt.ts';
import type { Span } from './contract.ts';
import { isLabelledPerson } from './introductions.ts';
import {
  ACRONYMS,
  BEFORE_NAME,
  COMMON_WORD,
  HEAD_OF,
  ON_BEHALF,
  POSSESSIVE,
  RELATIVE,
  RELATIVE_BEFORE,
  TIME,
  UNIT,
  WEEKDAY,
} from './notNames.ts';
import { courtesyTitle, isOffice } from './titles.ts';

/** The length of the longest word that is no name. */
const LONGEST = 'Oberbürgermeister'.length;
/** The length of the longest abbreviated unit: "J.". */
const LONGEST_UNIT = 2;
const LAST_CAPITAL = 0x5a;

/** A word before a name: "Herr DEV". Like the other patterns of what is before a name, it looks back from there. */
const TITLE = new RegExp(String.raw`(?<=(?<![\p{L}\p{N}])(?:${courtesyTitle}|[dD]r|[pP]rof)\.? )`, 'uy');

/** The Chinese particle for "of". The detector can take it for the end of a name. */
const OF = '的';
/** A name of two characters has no particle. */
const SHORTEST_WITH_OF = 3;

/**
 * Removes persons that are acronyms, days of the week, offices, members of the family or other common words. In a line of capitals,
 * acronyms can be names. Cuts words off that stand before a name, and a Chinese particle behind it. A name after the label of a
 * person stays: people are called Case, Sick and Nat.
 * @param spans names that the tagger found in running text. Those of recognizers are never removed by a list of words.
 */
export function withoutFalseNames(text: string, spans: readonly Span[]): readonly Span[] {
  const isBefore = (pattern: RegExp, start: number): boolean => {
    pattern.lastIndex = start;
    return pattern.test(text);
  };
  const isListed = ({ start, end }: Span): boolean => {
    const name = text.slice(start, end);
    if (name.length <= LONGEST_UNIT && isBefore(UNIT, start)) return true;
    if (HEAD_OF.test(name)) return true;
    if (name.length > LONGEST) return false;
    // Names have a small letter there. To look a part of a text up in a set takes longer.
    if (unitAt(name, 1) <= LAST_CAPITAL)
      return ACRONYMS.has(name) && !isBefore(TITLE, start) && /\p{Ll}/u.test(lineAround(text, start));
    if (isBefore(TITLE, start)) return isOffice(name);
    return (
      COMMON_WORD.test(name) ||
      (RELATIVE.test(name) && isBefore(POSSESSIVE, start)) ||
      (WEEKDAY.test(name) && isBefore(TIME, start))
    );
  };
  const isFalse = (span: Span): boolean => span.type === 'PERSON' && isListed(span) && !isLabelledPerson(text, span);
  const trimmed = (span: Span): Span => {
    if (span.type !== 'PERSON') return span;
    const { start, end } = span;
    const name = text.slice(start, end);
    ON_BEHALF.lastIndex = start;
    const [prefix = ''] = BEFORE_NAME.exec(name) ?? ON_BEHALF.exec(text) ?? [];
    const [relative = ''] = RELATIVE_BEFORE.exec(name) ?? [];
    const cut = relative !== '' && isBefore(POSSESSIVE, start) ? relative.length : prefix.length;
    const isPossessed = name.length >= SHORTEST_WITH_OF && name.endsWith(OF);
    return cut === 0 && !isPossessed ? span : { ...span, start: start + cut, end: end - (isPossessed ? OF.length : 0) };
  };
  if (!spans.some(({ type }) => type === 'PERSON')) return spans;
  const named = spans.map(trimmed);
  return named.some(isFalse) ? named.filter((span) => !isFalse(span)) : named;
}

/** How much of a line is read before and behind a place, in UTF-16 code units. */
const LINE = 80;

function lineAround(text: string, at: number): string {
  const start = Math.max(0, at - LINE, text.lastIndexOf('\n', at - 1) + 1);
  const [line = ''] = text.slice(start, at + LINE).split('\n', 1);
  return line;
}
