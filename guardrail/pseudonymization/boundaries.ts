/**
 * Decides where further occurrences of a value may be replaced: not inside a word ("Ann" in "Announcement"), inside base64
 * or inside a character.
 */
import { unitAt } from '../unitAt.ts';

const Kind = { other: 0, word: 1, mark: 2, unspaced: 3 } as const;
type Kind = (typeof Kind)[keyof typeof Kind];

/** Scripts without spaces between words, or (Hangul) with particles attached to names. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;

function kindOf(codePoint: number): Kind {
  if (codePoint < 0x80) {
    const isWord =
      (codePoint >= 0x30 && codePoint <= 0x39) ||
      (codePoint >= 0x41 && codePoint <= 0x5a) ||
      (codePoint >= 0x61 && codePoint <= 0x7a);
    return isWord ? Kind.word : Kind.other;
  }
  const char = String.fromCodePoint(codePoint);
  // Marks, joiners, variation selectors and skin tones modify the preceding character.
  if (/[\p{M}\u200d\p{Emoji_Modifier}]/u.test(char)) return Kind.mark;
  if (UNSPACED.test(char)) return Kind.unspaced;
  return /[\p{L}\p{N}]/u.test(char) ? Kind.word : Kind.other;
}

/** Whether a value may begin or end at this place of a text: not inside a word, a character or a surrogate pair. */
export function isBoundary(text: string, place: number): boolean {
  if (place === 0 || place === text.length) return true;
  const low = unitAt(text, place);
  const before = unitAt(text, place - 1);
  const isLow = low >= 0xdc00 && low <= 0xdfff;
  if (isLow && before >= 0xd800 && before <= 0xdbff) return false;
  const right = kindOf(text.codePointAt(place) ?? 0);
  if (right === Kind.mark) return false;
  if (right !== Kind.word) return true;
  return kindOf(codePointBefore(text, place)) !== Kind.word && !isMarkOnWord(text, place);
}

/** Whether the place follows a combining mark inside a word: e, combining acute, s. */
function isMarkOnWord(text: string, place: number): boolean {
  let at = place;
  for (let looked = 0; looked < 8 && at > 0; looked++) {
    const codePoint = codePointBefore(text, at);
    const kind = kindOf(codePoint);
    if (kind !== Kind.mark) return looked > 0 && kind === Kind.word;
    at -= codePoint > 0xffff ? 2 : 1;
  }
  return false;
}

/** Whether a letter, digit or mark of a script with spaces between words ends at a place. */
export function isInWord(text: string, place: number): boolean {
  const kind = place === 0 ? Kind.other : kindOf(codePointBefore(text, place));
  return kind === Kind.word || kind === Kind.mark;
}

/** Whether a letter of a script without spaces between words ends at a place. */
export function isInUnspaced(text: string, place: number): boolean {
  return place > 0 && kindOf(codePointBefore(text, place)) === Kind.unspaced;
}

function codePointBefore(text: string, place: number): number {
  const unit = unitAt(text, place - 1);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return (isLow && place > 1 ? text.codePointAt(place - 2) : undefined) ?? unit;
}

/** Minimum length of a run of base64. One line of a PEM file has 64 characters. */
const MIN_BLOB = 60;
/** Base64 has a + or / (or - or _) about every 32 characters. Paths and identifiers have one far more often. */
const MAX_SEPARATOR_SHARE = 1 / 12;

/**
 * Returns a function that reports whether a place of the text is a part of a run of base64, but not the whole run:
 * replacing it would break the base64. Calls must have ascending ends. Each run is read once, however many calls ask.
 */
export function createBlobGuard(text: string): (start: number, end: number) => boolean {
  let from = 0;
  let to = 0;
  let isBlob = false;
  return (start, end) => {
    if (end > to) {
      const lowest = to;
      from = end - 1;
      while (from > lowest && isBlobUnit(unitAt(text, from - 1))) from--;
      to = end;
      while (to < text.length && isBlobUnit(unitAt(text, to))) to++;
      isBlob = to - from >= MIN_BLOB && looksRandom(text.slice(from, to));
    }
    return isBlob && start >= from && end - start < to - from;
  };
}

function isBlobUnit(unit: number): boolean {
  return (
    kindOf(unit & 0xff80 ? 0x20 : unit) === Kind.word ||
    unit === 0x2b ||
    unit === 0x2f ||
    unit === 0x2d ||
    unit === 0x5f
  );
}

function looksRandom(run: string): boolean {
  const separators = run.length - run.replace(/[+/_-]/g, '').length;
  return /[A-Z]/.test(run) && /[a-z]/.test(run) && /[0-9]/.test(run) && separators <= run.length * MAX_SEPARATOR_SHARE;
}

const URL_PATTERN = /[a-z][a-z0-9+.-]{0,20}:\/\/([^\s/?#<>"'`\\^{|}()[\]]*)[^\s<>"'`\\^{|}()[\]]*/gi;

export interface UrlPlace {
  readonly start: number;
  readonly end: number;
  /** End of the authority: user, host and port. It cannot contain a pseudonym, because `<` makes the URL invalid. */
  readonly authorityEnd: number;
}

export function urlsIn(text: string): UrlPlace[] {
  if (!text.includes('://')) return [];
  return Array.from(text.matchAll(URL_PATTERN), (match) => {
    const [url, authority = ''] = match;
    const start = match.index;
    return {
      start,
      end: start + url.replace(/[.,;:!?]+$/, '').length,
      authorityEnd: start + url.indexOf('://') + 3 + authority.length,
    };
  });
}
