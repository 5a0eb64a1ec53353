import { streetWords } from '../../languages/streetWords.ts';
import { eachNumber, type Recognizer } from '../recognizer.ts';
import type { DigitWindow } from '../textStats.ts';

/** The number of a house, of a part of it, and of a flat: "12", "12a", "88a/15", "43-45". */
const HOUSE = String.raw`\d{1,4}(?:(?: ?[A-Z]|[a-z])(?![\p{L}\p{N}]))?(?:[\/\-]\d{1,4}[A-Za-z]?){0,2}`;
/** A floor and a side of the stairs, or a flat: "3. th", "2. OG links", "3.º B", "m. 4", "lgh 1102", "apto 302". */
const FLAT = String.raw`(?:,? (?:${streetWords('flat')})\.?(?: (?:${streetWords('side')})(?!\p{L}))?){0,2}`;
const CODE = String.raw`(?:(?:[A-Z]{1,2}-)?(?:\d{4} ?[A-Z]{2}|\d{4,5}|\d{3} \d{2}|\d{2}-\d{3}|\d{4}-\d{3}) )?`;
/** What stands between a street and a postal code in place of a comma: a line end, also that of LaTeX or with a line number, a slash or a dash. */
const BREAK = String.raw`(?:\r?\n(?:[ \t]*\d{1,6}[→|\t][ \t]*)?| ?\\\\ ?\n?| [\/–\-] |; ?)`;
const WORD = String.raw`\p{Lu}[\p{L}\p{M}'’.\-]`;
const TOWN = String.raw`(?:St\. )?\p{Lu}[\p{L}\p{M}'’\-]{1,20}`;
/** The line of an address with the postal code and the town: "75002 Paris", "Leeds LS1 4DY", "Springfield, IL 62704". */
export const postalLine = String.raw`(?:${CODE.slice(0, -1)}${TOWN}(?: ${TOWN})?|${TOWN}(?: ${TOWN})?,? (?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]{2},? \d{5}))`;
/** The end of a word and of a number. */
const END = String.raw`(?![\p{L}\p{N}]|[.:]\d)`;
const ENDINGS = streetWords('ending');
const LAST_WORDS = streetWords('lastWord');
const WORDS_BEFORE = streetWords('before');
const ABBREVIATIONS = streetWords('abbreviation');
const BOXES = streetWords('box');
const LABELS = streetWords('label');

const patterns: readonly RegExp[] = [
  // A name that ends with a word for a street, its number, and the town: "Hauptstr. 12, Köln", "Vestergade 4, 8000 Aarhus C".
  String.raw`(?=\p{Lu})(?<![\p{L}\p{N}\-])(?!(?:${streetWords('determiner')}) )(?:${WORD}{1,16}(?:${ENDINGS})|${WORD}{1,14} (?:${LAST_WORDS})) ${HOUSE}${FLAT}(?:, ?\n?(?:(?:${streetWords('townPreposition')}) )?${CODE}|${BREAK}${CODE.slice(0, -1)})${TOWN}(?: [CKNSVØ][SV]?)?${END}`,
  // A name behind a word for a street, and its number: "ul. Długa 5/12", "Rua das Flores, 55".
  String.raw`(?<![\p{L}\p{N}.\-])(?:(?:${ABBREVIATIONS})\. (?:${WORD}{1,20} ){1,3}|(?:${WORDS_BEFORE}) (?:(?:${streetWords('particle')}) |${WORD}{1,20} ){0,4}${WORD}{1,20},? (?:n\.? ?[º°o] ?)?)${HOUSE}${FLAT}(?:, ${CODE}${TOWN}(?: ${TOWN})?)?${END}(?! (?:${streetWords('years')})(?!\p{L}))`,
  // Czech and Slovak streets have no word for one: "bytem Lipová 8, Brno".
  String.raw`(?<=(?<!\p{L})(?:${LABELS})[: ] ?)${TOWN}(?: \p{L}{1,16}){0,2} ${HOUSE}(?:, ${CODE}${TOWN}(?: \d{1,2}(?!\d))?)?${END}`,
].map((source) => new RegExp(source, 'gu'));
/** "PO Box 442", "Postfach 12 34 56" */
const box = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${BOXES}) \d{1,6}(?: \d{2}){0,2}(?![\p{L}\p{N}]|[.,:]\d)`, 'gu');

/** What one of the patterns needs. */
const mayHaveStreet = new RegExp(
  String.raw`(?:${ENDINGS}|${LAST_WORDS}|${BOXES}) \d|(?:${ABBREVIATIONS})\. \p{Lu}|(?:${WORDS_BEFORE}) |(?:${LABELS})[: ]`,
  'u',
);
const mayContain = ({ text }: DigitWindow): boolean => mayHaveStreet.test(text);

/** A year behind a name: "Plaza Mayor 1619". */
const YEAR = / (?:1[5-9]|20)\d\d$/;
const SCORE = 0.85;

/** Addresses that their form shows. The tagger finds others by the words around them. */
export const streets: Recognizer = {
  type: 'ADDRESS',
  rule: 'address.street',
  needsDigit: true,
  mayMatch: ({ digits }) => digits > 0,
  find(_text, emit, stats) {
    const windows = stats.windows.filter(mayContain);
    if (windows.length === 0) return;
    for (const pattern of [...patterns, box]) {
      eachNumber(
        pattern,
        { ...stats, windows },
        () => true,
        ({ 0: value, index }, windowStart) => {
          const start = windowStart + index;
          if (pattern === box || !YEAR.test(value)) emit(start, start + value.length, SCORE);
        },
      );
    }
  },
};
