/**
 * The features of candidates, as rows of the classifier's table of weights: the words of the candidate and around it, its place in
 * its line and sentence, and properties of the whole text. The shipped weights depend on them.
 */
import {
  endAt,
  featuresAt,
  firstWordsAt,
  gapAt,
  knownAt,
  lineCaseAt,
  shapeAt,
  spanFirstAt,
  spanKindAt,
  spanKnownAt,
  spanLastAt,
  spanStepAt,
  startAt,
  wordAt,
} from './memory';
import { featureHash, hashCharacter, mix } from './hashing';
import { gapNewline, mostFeatures, shapeDigit1, shapeDigits, shapeMark, spanBuckets } from './numbers';
import { knownName } from './names';
import { codeAt } from './tokens';

/** Tokens on each side of a candidate whose words are features without their position. */
const WINDOW: i32 = 12;
const NEAR: i32 = 6;
/** Words of a candidate that are features. */
const MOST_OWN_WORDS: i32 = 8;
/** Neighbours at a larger distance in tokens are not in one list. */
const FAR: i32 = 4;
/** How far before a candidate the label of a field ends with a colon, in tokens. */
const FIELD: i32 = 6;
const COLON: i32 = 0x3a;

// The text of the candidates.
let tokenCount: i32 = 0;
let spanCount: i32 = 0;
let size: i32 = 0;
let marks: i32 = 0;
let firstWords: i32 = 0;

// The candidate whose features are written.
let first: i32 = 0;
let last: i32 = 0;
let kind: i32 = 0;
let known: i32 = 0;
let form: i32 = 0;
let count: i32 = 0;

/**
 * Begins with the candidates of a text, after they are written. Writes what is known of their names.
 * @param tokens the number of tokens.
 * @param spans the number of candidates.
 * @param textSize see `TextContext`, like `textMarks`.
 * @param words the number of the first words of the text, which are written.
 */
export function readSpans(tokens: i32, spans: i32, textSize: i32, textMarks: i32, words: i32): void {
  tokenCount = tokens;
  spanCount = spans;
  size = textSize;
  marks = textMarks;
  firstWords = words;
  for (let span = 0; span < spans; span++) {
    const name = knownName(load<i32>(spanFirstAt + 4 * span), load<i32>(spanLastAt + 4 * span), tokens);
    store<i32>(spanKnownAt + 4 * span, name);
  }
}

/** Writes the features of a candidate. @returns their number */
export function spanFeatures(span: i32): i32 {
  first = load<i32>(spanFirstAt + 4 * span);
  last = load<i32>(spanLastAt + 4 * span);
  kind = load<u8>(spanKindAt + span);
  known = load<i32>(spanKnownAt + 4 * span);
  count = 0;
  ownFeatures();
  const length = min(last - first + 1, 6);
  const step = kind * 32 + load<i32>(spanStepAt + 4 * span) + 4;
  add(0, kind);
  add(1, kind * 8 + length);
  add(2, step);
  add(3, mix(step, form));
  add(4, mix(kind, known));
  add(5, mix(mix(kind, known), form));
  for (let flag = 0; known >> flag > 0; flag++) if ((known >> flag) & 1) add(9, kind * 16 + flag);
  add(6, mix(kind, size));
  add(7, mix(kind, marks));
  add(8, mix(form, marks));
  const firstWord = firstWords > 0 ? load<i32>(firstWordsAt) : 0;
  add(71, mix(kind, firstWord));
  add(72, mix(known, firstWord));
  for (let word = 0; word < firstWords; word++) add(73, mix(kind, load<i32>(firstWordsAt + 4 * word)));
  contextFeatures();
  lineFeatures();
  windowFeatures();
  neighbourFeatures(span);
  return count;
}

function add(template: i32, value: i32): void {
  if (count == mostFeatures) return;
  store<i32>(featuresAt + 4 * count, featureHash(template, value) & (spanBuckets - 1));
  count++;
}

function shapeOf(token: i32): i32 {
  return load<u8>(shapeAt + token);
}
function gapOf(token: i32): i32 {
  return load<u8>(gapAt + token);
}
function flagsOf(token: i32): i32 {
  return load<u8>(knownAt + token);
}
/** The first character of a token. */
function beginOf(token: i32): i32 {
  return codeAt(load<i32>(startAt + 4 * token));
}
/** A number in a feature stands for all numbers of its length. */
function wordOrShape(token: i32): i32 {
  const shape = shapeOf(token);
  return shape >= shapeDigit1 && shape <= shapeDigits ? 0x10000 + shape : load<i32>(wordAt + 4 * token);
}

/** Whether a token ends a sentence: one of `.!?…。！？`. */
function isEnd(token: i32): bool {
  if (shapeOf(token) != shapeMark) return false;
  const code = beginOf(token);
  return (
    code == 0x2e || code == 0x21 || code == 0x3f || code == 0x2026 || code == 0x3002 || code == 0xff01 || code == 0xff1f
  );
}

/** Features of the candidate's own words. Sets its form: shapes and gazetteer flags of its first and last word. */
function ownFeatures(): void {
  let whole = 7;
  let union = 0;
  let common = 255;
  let words = 0;
  for (let at = first; at <= last; at++) {
    const shape = shapeOf(at);
    const word = wordOrShape(at);
    whole = mix(whole, word);
    if (shape == shapeMark) continue;
    const own = flagsOf(at);
    union |= own;
    common &= own;
    if (words++ >= MOST_OWN_WORDS) continue;
    add(20, word);
    spellingFeatures(load<i32>(startAt + 4 * at), load<i32>(endAt + 4 * at), shape);
    add(21, mix(own, shape));
    add(22, mix(at == first ? 1 : at == last ? 2 : 3, mix(own, shape)));
  }
  const few = min(words, 4);
  const shapes = shapeOf(first) * 16 + shapeOf(last);
  const whether = mix(mix(union, common), mix(shapes, few));
  add(23, whole);
  add(24, mix(kind, whether));
  add(25, mix(kind, mix(union, few)));
  add(26, mix(kind, mix(common, few)));
  add(29, mix(kind, shapes));
  add(30, mix(known, min(words, 3)));
  form = mix(union, min(words, 3) * 16 + shapeOf(first));
}

/** Beginning and ending of a word: names and words of a language are spelled differently. */
function spellingFeatures(start: i32, end: i32, shape: i32): void {
  let suffix = 7;
  for (let back = 1; back <= 4 && back <= end - start; back++) {
    suffix = hashCharacter(suffix, end - back);
    if (back >= 2) add(29 + back, mix(suffix, shape));
  }
  let prefix = 3;
  for (let at = 0; at < 4 && at < end - start; at++) {
    prefix = hashCharacter(prefix, start + at);
    if (at >= 2) add(32 + at, mix(prefix, shape));
  }
}

function wordNear(token: i32): i32 {
  return token < 0 ? 1 : token >= tokenCount ? 2 : wordOrShape(token);
}

/** The words before and after the candidate. */
function contextFeatures(): void {
  const isFirst = first == 0;
  const isLast = last + 1 >= tokenCount;
  const before = wordNear(first - 1);
  const before2 = wordNear(first - 2);
  const after = wordNear(last + 1);
  const after2 = wordNear(last + 2);
  const shapeBefore = isFirst ? 16 : shapeOf(first - 1);
  const shapeAfter = isLast ? 16 : shapeOf(last + 1);
  const flagsBefore = isFirst ? 0 : flagsOf(first - 1);
  const flagsAfter = isLast ? 0 : flagsOf(last + 1);
  const placeBefore = shapeBefore * 8 + gapOf(first);
  const placeAfter = shapeAfter * 8 + (isLast ? 4 : gapOf(last + 1));
  add(40, mix(kind, before));
  add(41, mix(kind, after));
  add(42, mix(kind, mix(before2, before)));
  add(43, mix(kind, mix(after, after2)));
  add(49, mix(form, before));
  add(50, mix(form, after));
  add(51, mix(kind, mix(placeBefore, flagsBefore)));
  add(52, mix(kind, mix(placeAfter, flagsAfter)));
  add(53, mix(form, mix(placeBefore, placeAfter)));
  add(54, mix(known, before));
  add(55, mix(known, after));
}

/** Where the candidate stands in its line and sentence, and how they begin. */
function lineFeatures(): void {
  let lineStart = first;
  while (lineStart > 0 && gapOf(lineStart) < gapNewline && first - lineStart < WINDOW) lineStart--;
  const endsLine = last + 1 >= tokenCount || gapOf(last + 1) >= gapNewline ? 1 : 0;
  const startsLine = lineStart == first ? 1 : 0;
  const place = (startsLine * 2 + endsLine) * 4 + <i32>load<u8>(lineCaseAt + first);
  add(60, mix(kind, place));
  add(61, mix(form, place));
  if (!startsLine) {
    add(62, mix(kind, wordOrShape(lineStart)));
    add(64, mix(kind, min(first - lineStart, 4) * 2 + endsLine));
    // The label of a field: the word before a colon.
    for (let at = first - 1; at > lineStart && first - at < FIELD; at--) {
      if (beginOf(at) != COLON) continue;
      add(65, mix(kind, wordOrShape(at - 1)));
      break;
    }
  }
  let sentence = first;
  while (sentence > 0 && first - sentence < WINDOW && !isEnd(sentence - 1)) sentence--;
  add(66, mix(kind, min(first - sentence, 3)));
  add(67, mix(form, min(first - sentence, 3)));
  add(68, mix(kind, wordOrShape(sentence)));
  let end = last + 1;
  while (end < tokenCount && end - last < WINDOW && !isEnd(end)) end++;
  add(70, mix(kind, end < tokenCount ? beginOf(end) : 0));
}

/** The words around the candidate, without their positions. */
function windowFeatures(): void {
  const to = min(tokenCount - 1, last + WINDOW);
  for (let at = max(0, first - WINDOW); at <= to; at++) {
    if (at == first) {
      at = last;
      continue;
    }
    if (shapeOf(at) == shapeMark) continue;
    const word = wordOrShape(at);
    const isNear = at >= first - NEAR && at <= last + NEAR;
    if (isNear) add(at < first ? 80 : 81, mix(kind, word));
    add(82, mix(kind == 0 ? 0 : 1, word));
  }
}

/** The candidates before and after this one. The entries of a list are mostly of one class. */
function neighbourFeatures(span: i32): void {
  for (let other = span - 1; other <= span + 1; other += 2) {
    if (other < 0 || other >= spanCount) continue;
    const end = load<i32>(spanLastAt + 4 * min(span, other));
    const distance = load<i32>(spanFirstAt + 4 * max(span, other)) - end;
    if (distance > FAR) continue;
    const otherKnown = load<i32>(spanKnownAt + 4 * other);
    const otherKind = <i32>load<u8>(spanKindAt + other);
    add(93, mix(mix(kind, otherKnown), distance));
    add(94, mix(mix(kind, otherKind), mix(wordOrShape(end + 1), distance)));
    add(95, mix(mix(known, otherKnown), distance));
  }
}
