import type { Span } from './contract.ts';
import { courtesyTitle, isOffice } from './titles.ts';

/** Titles of learning between a courtesy title and the name: "Frau Prof. Dr. Sommer". */
const learned = String.raw`(?:(?:Dr|Prof|Mag|Dipl|Ing|med|jur|rer|nat|h\.c)\.[ -]?){0,4}`;
/** The word behind a courtesy title: "Herrn Winter", "Mrs. O'Brien-Field". */
const titled = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${courtesyTitle}\.? ${learned}(\p{Lu}['’]?[\p{L}\p{M}]{1,24}(?:[-'’]\p{Lu}[\p{L}\p{M}]{1,24}){0,2})(?![\p{L}\p{N}])`,
  'gu',
);
/** Units, verbs and other names begin like these titles: "12 ms. TLS", "Miss Universe", "Pan Am". */
const doubtful = /^(?:m[rs]|sr|[Mm][Xx]|[Mm]iss|MISS|[Pp]an|PAN|[Dd]ona)\b|^Madame (?:Bovary|Tussauds?|Butterfly)$/;
const SCORE = 0.8;

/**
 * Finds the names behind courtesy titles that are ordinary words: "Herrn Winter", "Mme Blanc". Others are found already.
 * @param spans all that was found in the text
 */
export function withTitledNames(text: string, spans: readonly Span[]): readonly Span[] {
  const found: Span[] = [];
  titled.lastIndex = 0;
  for (let match = titled.exec(text); match; match = titled.exec(text)) {
    const { 0: all, 1: name = '' } = match;
    const end = match.index + all.length;
    const start = end - name.length;
    if (doubtful.test(all) || isOffice(name)) continue;
    if (spans.some((span) => span.start < end && span.end > start)) continue;
    found.push({ start, end, type: 'PERSON', score: SCORE, detector: 'builtin' });
  }
  return found.length === 0 ? spans : [...spans, ...found];
}
