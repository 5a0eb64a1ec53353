/**
 * Corrects OCR errors that hide entities from detectors: a space within an address, a letter instead of a digit, a
 * wrong digit. A wrong digit breaks a checksum, so a number in the form of a card or account number counts as one.
 * Pure.
 */
import { luhn, decimalModulo } from '../detection/detection.ts';
import type { Line, Word } from './contract.ts';
import { separatorBetween, gapOf, LINE_END, joinPieces, type TextPiece, type OcrText } from './ocrText.ts';

/** The maximum gap, as a share of the word height, that is ignored next to punctuation such as a full stop. */
const NO_GAP = 0.35;

/** Letters that OCR confuses with digits. */
const DIGITS: Readonly<Record<string, string>> = {
  ...{ O: '0', o: '0', Q: '0', D: '0', I: '1', l: '1', '|': '1', i: '1', Z: '2', z: '2' },
  ...{ A: '4', S: '5', s: '5', G: '6', b: '6', T: '7', B: '8', g: '9', q: '9' },
};

/**
 * Forms that count without a valid checksum. A valid example replaces each match before detection. No pattern can match
 * a text in two ways: senders of images control the input, and the patterns run on the event loop.
 */
const FORMS: readonly { readonly pattern: RegExp; readonly accepts: (text: string) => boolean; readonly as: string }[] =
  [
    {
      // ISO 13616: a country, two check digits, up to 30 letters and digits in groups. The bank code can consist of
      // letters.
      pattern: /\b[A-Z]{2}[0-9A-Z]{2,32}\b(?: [A-Z]{4}\b)?(?: (?=[0-9A-Z]{0,3}[0-9])[0-9A-Z]{1,30}\b){0,8}/g,
      accepts: (text) => digitsIn(text) >= 12 && text.replaceAll(' ', '').length >= 15 && !isIban(text),
      as: 'DE89370400440532013000',
    },
    {
      // ISO/IEC 7812: a payment card number, which begins with 3 to 6. It has 14 to 17 digits here, since OCR may
      // double or drop one. A match within a longer number, such as an account number, does not count.
      pattern: /(?<![\w.,-]|[0-9A-Z]{4} )[3-6](?:[ -]?[0-9]){13,16}(?![\w,-]| ?[0-9])/g,
      accepts: (text) => !luhn(text.replace(/[^0-9]/g, '')),
      as: '4111111111111111',
    },
    {
      // An email address: from the start of a word, over its first letter or digit, to the last one after an at sign.
      pattern:
        /(?<![^\s<>()@©®])[^\s<>()@©®\p{L}\p{N}]*[\p{L}\p{N}][^\s<>()@©®]*(?:(?:\(?[@©®])+[^\s<>@©®]*[\p{L}\p{N}])+/gu,
      accepts: (text) => !/^[\w.+'-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}$/i.test(text) && /@|\.[a-z]{2,}$/i.test(text),
      as: 'someone@example.org',
    },
  ];

/** Returns the corrected form of the lines that contain an OCR error. Wide gaps stay separators. */
export function correctConfusions(lines: readonly Line[]): OcrText {
  const written = (words: readonly string[]): string => words.join(' ').replace(/\s+/g, ' ');
  return joinPieces(
    lines.flatMap((line) => {
      const pieces = applyForms(line.flatMap((word, at) => [...gapBefore(line[at - 1], word), withDigits(word)]));
      const isAsRead = written([joinPieces(pieces).text]) === written(line.map(({ text }) => text));
      return isAsRead ? [] : [...pieces, LINE_END];
    }),
  );
}

function gapBefore(before: Word | undefined, word: Word): readonly TextPiece[] {
  if (!before) return [];
  const isNarrow = gapOf(before, word) < NO_GAP * Math.max(before.box.height, word.box.height);
  const isJoint = /[\p{L}\p{N}][.@_-]$/u.test(before.text)
    ? /^[\p{Ll}\p{N}@]/u.test(word.text)
    : /^[.@_]\w/.test(word.text);
  return isNarrow && isJoint ? [] : [separatorBetween(before, word)];
}

/** Corrects a word that consists mostly of digits and whose letters all resemble digits. */
function withDigits(word: Word): TextPiece {
  const { text } = word;
  const letters = text.replace(/[^\p{L}|]/gu, '');
  if (letters === '' || digitsIn(text) < 2 * letters.length) return { text, words: [word] };
  if (!Array.from(letters).every((letter) => letter in DIGITS)) return { text, words: [word] };
  return { text: text.replace(/[\p{L}|]/gu, (letter) => DIGITS[letter] ?? letter), words: [word] };
}

/** Replaces each match of a form by its example. The replacement belongs to all words that the match touches. */
function applyForms(pieces: readonly TextPiece[]): readonly TextPiece[] {
  return FORMS.reduce(applyForm, pieces);
}

function applyForm(
  before: readonly TextPiece[],
  { pattern, accepts, as }: (typeof FORMS)[number],
): readonly TextPiece[] {
  const text = before.map((piece) => piece.text).join('');
  const matches = [...text.matchAll(pattern)].filter(([match]) => accepts(match));
  if (matches.length === 0) return before;
  const result: TextPiece[] = [];
  let next = 0;
  /** The unused rest of the next piece. */
  let rest = before[0]?.text ?? '';
  let at = 0;
  const takeTo = (end: number): TextPiece[] => {
    const taken: TextPiece[] = [];
    for (let piece = before[next]; piece && at < end; piece = before[next]) {
      const part = rest.slice(0, end - at);
      taken.push({ ...piece, text: part });
      at += part.length;
      rest = rest.slice(part.length);
      if (rest !== '') continue;
      next += 1;
      rest = before[next]?.text ?? '';
    }
    return taken;
  };
  for (const match of matches) {
    result.push(...takeTo(match.index));
    result.push({ text: as, words: takeTo(match.index + match[0].length).flatMap(({ words }) => words) });
  }
  return [...result, ...takeTo(text.length)];
}

function digitsIn(text: string): number {
  return text.replace(/[^0-9]/g, '').length;
}

/** ISO 7064, mod 97-10. */
function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '');
  return decimalModulo(compact.slice(4) + compact.slice(0, 4), 97) === 1;
}
