import type { Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';

/** How far behind a name the dwelling may end, in UTF-16 code units. */
const WIDTH = 40;

/** The dwelling of a person directly behind the name: "Mr Price, flat 9", "bei Holzapfel im 2. OG". */
const dwelling = new RegExp(
  String.raw`^,? (?:(?:${contextWords('dwellingPreposition')}) )?\(?(${contextWords('dwelling')})(?![\p{L}\p{N}]|[.,:]\d)`,
  'iu',
);
/** The number of a district behind a town, as in "Praha 5". What is counted would stand behind it. */
const district = new RegExp(
  String.raw`^ \d{1,2}(?=\s{0,2}(?:[.,;:!?)"'\]](?!\d)|$|\n)| (?:${contextWords('homePreposition')}) \p{Lu})`,
  'u',
);
const fromTown = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${contextWords('homePreposition')}) $`, 'u');

/**
 * Finds what says in a few words where a person lives: a flat or a floor behind the name, and the district of a town that is
 * named beside a person.
 */
export function withDwellings(text: string, spans: readonly Span[]): readonly Span[] {
  const persons = spans.filter(({ type }) => type === 'PERSON');
  if (persons.length === 0) return spans;
  const found = spans.map((span) => withDistrict(text, span));
  for (const person of persons) {
    const behind = text.slice(person.end, person.end + WIDTH);
    if (!/^,? .*\d/.test(behind)) continue;
    const { 0: all = '', 1: value = '' } = dwelling.exec(behind) ?? [];
    const end = person.end + all.length;
    if (value !== '') found.push({ ...person, type: 'ADDRESS', rule: 'dwelling', start: end - value.length, end });
  }
  return found;
}

function withDistrict(text: string, span: Span): Span {
  if (span.type !== 'LOCATION' && span.type !== 'ADDRESS') return span;
  if (text.charAt(span.end) !== ' ' || !/\d/.test(text.charAt(span.end + 1))) return span;
  const [number] = district.exec(text.slice(span.end, span.end + WIDTH)) ?? [];
  if (number === undefined || /\d/.test(text.slice(span.start, span.end))) return span;
  if (!fromTown.test(text.slice(Math.max(0, span.start - 8), span.start))) return span;
  return { ...span, type: 'ADDRESS', rule: 'dwelling.district', end: span.end + number.length };
}
