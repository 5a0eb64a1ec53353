import { contextWords } from '../../languages/languages.ts';
import { smallWords } from '../../languages/smallWords.ts';
import { streetWords } from '../../languages/streetWords.ts';
import { afterKeyword, anywhere, contextAfter, contextBefore, contextWidth, type Recognizer } from '../recognizer.ts';

const letter = '[A-Za-z]';
/** In this order: a spelled code, and codes of the United Kingdom, Canada, Ireland, the Netherlands, and of digits alone. */
const code = [
  String.raw`[A-Z](?:(?:-|,? )[A-Z\d](?![A-Za-z\d])){4,6}`,
  String.raw`${letter}{1,2}\d[A-Za-z\d]? ?\d${letter}{2}`,
  String.raw`${letter}\d${letter}[ -]?\d${letter}\d`,
  String.raw`${letter}\d[\dWw] ?[A-Za-z\d]{4}`,
  String.raw`\d{4}(?:${letter}{2}| [A-Z]{2})`,
  String.raw`(?:${letter}{1,2}-)?(?:\d{3}-\d{4}|\d{5}-\d{3,4}|\d{4}-\d{3}|\d{2}-\d{3}|\d{3} \d{2,3}|\d{3,8})`,
].join('|');

const word = (words: string): string => String.raw`(?<![\p{L}\p{N}])(?:${words})(?![\p{L}\p{N}])`;
const filler = String.raw`(?:[\s:=>"'’\]]|(?<!\p{L})(?:${contextWords('is')}|${contextWords('documentFiller')}|s)(?!\p{L})){1,12}`;
/** In a dialogue, the answer stands on the next line, behind the name of the speaker. */
const answer = String.raw`\?\s{0,2}\n{1,2}[^\n:]{1,20}: ?(?:[^\d\n]{0,16} )?`;
const label = new RegExp(`${word(contextWords('postalCode'))}(?:${filler}|${answer})$`, 'u');
const key = new RegExp(String.raw`${word(contextWords('postalCodeKey'))}["'\]]{0,2}\s?[:=>]{1,2}\s?["']?$`, 'u');
const anyLabel = word(`${contextWords('postalCode')}|${contextWords('postalCodeKey')}`);
const beforeCode = new RegExp(String.raw`${anyLabel}\s$`, 'u');

/** A code that no other number looks like. */
const unmistakable = /^\d{5}-\d{3}$/;
/** A number that people choose: as the limit or the size of something. */
const chosen = /00$|^(?:1024|2048|4096|8192|16384|32768|65536)$/;
/** What a number counts. */
const counted = new RegExp(String.raw`^ ?(?:%|(?:[kmg]i?b|${smallWords('counted')})\b)`);

function score(value: string, text: string, start: number): number {
  if (counted.test(contextAfter(text, start + value.length))) return 0;
  const before = contextBefore(text, start);
  if (label.test(before)) return 0.9;
  // Programs call other things so in small letters: `cap=4096`.
  if (key.test(before)) return isSetting(value, text, start) ? 0 : 0.9;
  return unmistakable.test(value) && beforeCode.test(before) ? 0.9 : 0;
}

/** Whether a number behind a key in small letters, without quotes, is a size or a limit. */
const isSetting = (value: string, text: string, start: number): boolean =>
  chosen.test(value) && /\p{Ll}\s?[:=]{1,2}\s?$/u.test(text.slice(Math.max(0, start - 6), start));

/** A postal code behind a word for it: it says where a person lives, without the rest of the address. */
const postalCode = afterKeyword('postalCode', contextWidth, [
  {
    type: 'ADDRESS',
    rule: 'address.postalCode',
    pattern: new RegExp(String.raw`(?=[A-Za-z\d])(?<![\p{L}\p{N}_.,/-])(?:${code})(?![\p{L}\p{N}_/]|[.,:-]\d)`, 'gu'),
    mayMatch: ({ digits }) => digits > 0,
    score: (value, { text, start }) => score(value, text, start),
  },
]);

/** A street and its number behind the Spanish abbreviation: `C/ Señores Curas 88`. */
const calle = anywhere({
  type: 'ADDRESS',
  rule: 'address.calle',
  pattern: new RegExp(
    String.raw`(?<![\p{L}\p{N}/:])[Cc]\/ (?:(?:${streetWords('article')}) ){0,2}\p{Lu}[\p{L}\p{M}'’-]{1,20}(?: (?:${streetWords('article')}|y|e|\p{Lu}[\p{L}\p{M}'’-]{1,20})){0,5},? (?:n\.?[.º°] ?)?\d{1,4}(?![\p{L}\p{N}]|:\d)`,
    'gu',
  ),
  mayMatch: ({ digits, keywords }) => digits > 0 && keywords.of('calle').length > 0,
  score: () => 0.85,
});

export const postalCodes: readonly Recognizer[] = [postalCode, calle];
