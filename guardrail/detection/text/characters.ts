import { kindDigit, kindLetter, kindLower, kindMark, kindNewline, kindSpace, kindUpper } from '../kernel/numbers.ts';

/** Kinds of UTF-16 code units, as the tagger distinguishes them. Half of a surrogate pair is a mark. */
export const kinds = {
  mark: kindMark,
  lower: kindLower,
  upper: kindUpper,
  digit: kindDigit,
  space: kindSpace,
  newline: kindNewline,
  letter: kindLetter,
} as const;

/** The first code unit of the range in which no script of names has case. */
const firstUncased = 0x2e80;
/** CJK, Hangul and the ranges after it, without punctuation, surrogates, private use, and specials. */
const uncased: readonly (readonly [number, number])[] = [
  [0x2e80, 0x2fff],
  [0x3040, 0xd7ff],
  [0xf900, 0xfdff],
  [0xfe70, 0xfefe],
  [0xff10, 0xffef],
];
/** Scripts with case, in order: Latin, Greek, Cyrillic, Armenian, Georgian, Cherokee, Coptic, letter-like symbols. */
const cased: readonly (readonly [number, number])[] = [
  [0x41, 0x58f],
  [0x10a0, 0x10ff],
  [0x13a0, 0x13ff],
  [0x1c80, 0x1cbf],
  [0x1d79, 0x1d8e],
  [0x1e00, 0x1fff],
  [0x2100, 0x24ff],
  [0x2c00, 0x2dff],
];

/**
 * Computes the kind and the base letter of all code units, so that each character costs a table look-up instead of a
 * pattern match. `folded` is the lower-case letter without diacritics: `Müller`, `MÜLLER` and `Muller` are one word in
 * gazetteers.
 */
function tables(): { kind: Uint8Array; folded: Uint16Array } {
  const kind = new Uint8Array(65_536);
  const folded = new Uint16Array(65_536);
  const letter = /\p{L}|\p{M}/u;
  for (let code = 0; code < 65_536; code++) folded[code] = code;
  for (const [from, to] of uncased) kind.fill(kinds.letter, from, to + 1);
  let range = 0;
  for (let code = 0; code < firstUncased; code++) {
    // Steps along the ranges. A search in all of them for each code unit would allocate ten megabytes.
    if (code > (cased[range]?.[1] ?? Infinity)) range++;
    if (code >= 48 && code <= 57) kind[code] = kinds.digit;
    else if (code === 10 || code === 13 || code === 0x2028 || code === 0x2029) kind[code] = kinds.newline;
    else if (code === 32 || code === 9 || code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f) {
      kind[code] = kinds.space;
    } else if (code < (cased[range]?.[0] ?? Infinity)) {
      if (code >= 0xaa && letter.test(String.fromCharCode(code))) kind[code] = kinds.letter;
    } else {
      const character = String.fromCharCode(code);
      const lower = character.toLowerCase();
      if (lower === character.toUpperCase()) {
        if (code >= 0xaa && letter.test(character)) kind[code] = kinds.letter;
        continue;
      }
      if (code >= 0xaa && !letter.test(character)) continue;
      kind[code] = lower === character ? kinds.lower : kinds.upper;
      folded[code] = (code < 128 ? lower : lower.normalize('NFD')).charCodeAt(0);
    }
  }
  for (const [from, to] of ['ıi', 'øo', 'łl', 'đd', 'ðd', 'þt', 'æa', 'œo', 'ßs'].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ])) {
    for (const code of [
      from ?? 0,
      String.fromCharCode(from ?? 0)
        .toUpperCase()
        .charCodeAt(0),
    ]) {
      if (code >= 128) folded[code] = to ?? 0;
    }
  }
  return { kind, folded };
}

const { kind, folded } = tables();
export { kind as kindOf, folded as foldedOf };
