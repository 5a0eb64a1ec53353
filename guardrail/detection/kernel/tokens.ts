/** Splits a text into tokens: words (letters and digits) and single marks. */
import {
  endAt,
  exact2At,
  exactAt,
  foldedAt,
  gapAt,
  kindsAt,
  lineCaseAt,
  shapeAt,
  startAt,
  textAt,
  wordAt,
} from './memory';
import {
  caseLower,
  caseUpper,
  caseUsual,
  gapNewline,
  gapNone,
  gapParagraph,
  gapSpace,
  kindDigit,
  kindLetter,
  kindLower,
  kindMark,
  kindNewline,
  kindSpace,
  kindUpper,
  shapeCamel,
  shapeCapitalized,
  shapeDigit1,
  shapeDigits,
  shapeInitial,
  shapeLower,
  shapeLowerDigits,
  shapeMark,
  shapeMixed,
  shapeUncased,
  shapeUpper,
  shapeUpperDigits,
} from './numbers';

/** Reads a text of `length` code units. @returns the number of its tokens */
export function readTokens(length: i32): i32 {
  let count = 0;
  let newlines = 2;
  let spaces = 0;
  let at = 0;
  let lineStart = 0;
  let uppers = 0;
  let lowers = 0;
  let capitals = 0;
  while (at < length) {
    const code = codeAt(at);
    const kind = kindOf(code);
    if (kind == kindSpace) {
      spaces++;
      at++;
      continue;
    }
    if (kind == kindNewline) {
      newlines++;
      at++;
      closeLine(lineStart, count, uppers, lowers, capitals);
      lineStart = count;
      uppers = lowers = capitals = 0;
      continue;
    }
    const token = count++;
    const gap = newlines > 1 ? gapParagraph : newlines == 1 ? gapNewline : spaces > 0 ? gapSpace : gapNone;
    store<u8>(gapAt + token, gap);
    newlines = spaces = 0;
    store<i32>(startAt + 4 * token, at);
    if (kind == kindMark) {
      store<i32>(exactAt + 4 * token, (code + 1) * 0x9e3779b1);
      store<i32>(exact2At + 4 * token, code);
      store<i32>(wordAt + 4 * token, (code + 1) * 0x85ebca6b);
      store<u8>(shapeAt + token, shapeMark);
      store<i32>(endAt + 4 * token, ++at);
      continue;
    }
    let exact = 0x811c9dc5;
    let exact2 = 0x1234567;
    let word = 0x2f0b4c27;
    let upper = 0;
    let lower = 0;
    let digit = 0;
    const begin = at;
    for (; at < length; at++) {
      const next = codeAt(at);
      const nextKind = kindOf(next);
      if (nextKind == kindLower) lower++;
      else if (nextKind == kindUpper) upper++;
      else if (nextKind == kindDigit) digit++;
      else if (nextKind != kindLetter) break;
      exact = (exact ^ next) * 0x01000193;
      exact2 = exact2 * 31 + next;
      word = (word ^ (<i32>load<u16>(foldedAt + 2 * next))) * 0x5bd1e995;
      word ^= word >>> 15;
    }
    store<i32>(endAt + 4 * token, at);
    store<i32>(exactAt + 4 * token, exact);
    store<i32>(exact2At + 4 * token, exact2);
    store<i32>(wordAt + 4 * token, word);
    const first = kind == kindUpper;
    store<u8>(shapeAt + token, shapeOf(at - begin, upper, lower, digit, first));
    if (digit == 0) {
      if (first && lower > 0) capitals++;
      if (upper > 1 && lower == 0) uppers++;
      if (lower > 0 && upper == 0) lowers++;
    }
  }
  closeLine(lineStart, count, uppers, lowers, capitals);
  return count;
}

/** A code unit of the text. */
export function codeAt(at: i32): i32 {
  return load<u16>(textAt + 2 * at);
}

function kindOf(code: i32): i32 {
  return load<u8>(kindsAt + code);
}

/** Sets the case of the line. In a line of capitals (`MEETING WITH JOHN`) the case of a word carries no information. */
function closeLine(first: i32, count: i32, uppers: i32, lowers: i32, capitals: i32): void {
  const written =
    uppers > 1 && lowers == 0 && capitals == 0
      ? caseUpper
      : lowers > 1 && capitals == 0 && uppers == 0
        ? caseLower
        : caseUsual;
  for (let token = first; token < count; token++) store<u8>(lineCaseAt + token, written);
}

function shapeOf(length: i32, upper: i32, lower: i32, digit: i32, first: bool): i32 {
  if (digit == length) return length > 5 ? shapeDigits : shapeDigit1 + length - 1;
  if (digit > 0) return upper > 0 ? shapeUpperDigits : shapeLowerDigits;
  if (upper == 0) return lower == 0 ? shapeUncased : shapeLower;
  if (lower == 0) return length == 1 ? shapeInitial : shapeUpper;
  if (upper == 1 && first) return shapeCapitalized;
  return first ? shapeCamel : shapeMixed;
}
