/** Characters that stand for others: variants in Unicode, digits of other scripts, look-alike letters. */
import type { Folding } from './folding.ts';

/** Characters without a width. */
export const invisible: Folding = {
  needs: 'special',
  // One class: alternatives take five times as long.
  pattern: /[\u034f\ufe00-\ufe0f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/g,
  replace: () => '',
};

/** Letters with combining marks behind them, as macOS and PDF write them: Unicode's decomposed form (UAX 15). */
export const decomposed: Folding = {
  needs: 'special',
  mayApply: (text) => /[\u0300-\u036f]/.test(text),
  pattern: /[A-Za-z\u00c0-\u024f\u0370-\u04ff](?:[\u0300-\u036f]){1,4}/g,
  replace: ([value]) => value.normalize('NFC'),
};

/** The zeros of all scripts but ASCII. The digits of a script are adjacent, in ascending order. */
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
  0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
];
const hex = (code: number): string => String.raw`\u${code.toString(16).padStart(4, '0')}`;
const digits = ZEROS.map((zero) => `${hex(zero)}-${hex(zero + 9)}`).join('');
const spaces = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000`;
const dashes = String.raw`\u2010-\u2015\u2212`;
/** The ones of digits in circles. Their zeros stand elsewhere. */
const ONES = [0x2460, 0x2776, 0x2780, 0x278a];
const ones = ONES.map((one) => `${hex(one)}-${hex(one + 8)}`).join('') + String.raw`\u24ea\u24ff`;
/**
 * Full-width and small forms, ideographic full stops, ligatures, letters and digits in circles, and the mathematical letters and
 * digits (a high surrogate).
 */
const forms = String.raw`\uff01-\uff5e\uff61\u3002\ufe50-\ufe6b\ufb00-\ufb06\u24b6-\u24e9${ones}]|\ud835[\udc00-\udfff`;

/** Variants of spaces, dashes, digits and letters: Unicode's compatibility forms (UAX 15), and digits of other scripts. */
export const variants: Folding = {
  needs: 'special',
  pattern: new RegExp(`[${spaces}${dashes}${digits}${forms}]`, 'g'),
  replace: ({ 0: value, index }, text) => {
    const code = value.charCodeAt(0);
    if ((code >= 0x2012 && code <= 0x2015) || code === 0x2212) {
      // A dash with a space beside it, or between words, is punctuation.
      const isInside = /[\p{L}\p{N}]/u.test(text.charAt(index - 1)) && /[\p{L}\p{N}]/u.test(text.charAt(index + 1));
      return isInside ? '-' : undefined;
    }
    if (code === 0x2010 || code === 0x2011) return '-';
    if (/^\s$/.test(value)) return ' ';
    // The ideographic full stop ends sentences, and within the name of a host it is a dot (UTS 46).
    if (code === 0x3002 || code === 0xff61) {
      return /[A-Za-z\d]/.test(text.charAt(index - 1)) && /[A-Za-z\d]/.test(text.charAt(index + 1)) ? '.' : undefined;
    }
    if (code === 0x24ea || code === 0x24ff) return '0';
    const one = ONES.find((first) => code >= first && code <= first + 8);
    if (one !== undefined) return String(code - one + 1);
    const zero = ZEROS.find((first) => code >= first && code <= first + 9);
    return zero === undefined ? value.normalize('NFKC') : String(code - zero);
  },
};

/** Cyrillic and Greek letters that look like the Latin letter beside them, in Unicode's list of confusables (UTS 39). */
const CONFUSABLES = new Map(
  Object.entries({
    a: 'аα',
    c: 'сϲ',
    d: 'ԁ',
    e: 'е',
    h: 'һ',
    i: 'іι',
    j: 'ј',
    k: 'кκ',
    l: 'ӏ',
    m: 'м',
    n: 'пη',
    o: 'оο',
    p: 'рρ',
    q: 'ԛ',
    r: 'г',
    s: 'ѕ',
    t: 'тτ',
    u: 'υ',
    v: 'ѵν',
    w: 'ԝω',
    x: 'хχ',
    y: 'уγ',
    A: 'АΑ',
    B: 'ВΒ',
    C: 'СϹ',
    E: 'ЕΕ',
    G: 'Ԍ',
    H: 'НΗ',
    I: 'ІΙ',
    J: 'Ј',
    K: 'КΚ',
    M: 'МΜ',
    N: 'Ν',
    O: 'ОΟ',
    P: 'РΡ',
    S: 'Ѕ',
    T: 'ТΤ',
    X: 'ХΧ',
    Y: 'УΥ',
    Z: 'Ζ',
  }).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)),
);
const other = [...CONFUSABLES.keys()].join('');

/** Look-alike letters within a Latin word. */
export const confusables: Folding = {
  needs: 'special',
  // The first pattern alone is much faster, and most texts have no such letter.
  mayApply: (text) => /[\u0370-\u052f]/.test(text) && /[\u0370-\u052f](?:[A-Za-z]|(?<=[A-Za-z].))/.test(text),
  pattern: new RegExp(`(?<=[A-Za-z])[${other}]+|[${other}]+(?=[A-Za-z])`, 'g'),
  replace: ([letters]) => Array.from(letters, (letter) => CONFUSABLES.get(letter) ?? letter).join(''),
};
