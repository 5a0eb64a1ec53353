/** The features of words and tokens, as rows of the table of weights. The shipped weights depend on them. */
import { endAt, endsAt, featuresAt, gapAt, knownAt, lineCaseAt, shapeAt, signatureAt, startAt, wordAt } from './memory';
import { featureHash, foldedOf, hashCharacter, mix } from './hashing';
import { buckets, offsets, shapeDigit1, shapeDigits, shapeMark } from './numbers';

/** Where the next feature is written. */
let next: i32 = 0;

function add(template: i32, value: i32): void {
  store<i32>(next, featureHash(template, value) & (buckets - 1));
  next += 4;
}

/** Sets the flags of a token's word in the gazetteer. With its shape they are the signature of the token. */
export function setKnown(token: i32, known: i32): void {
  store<u8>(knownAt + token, known);
  store<i32>(signatureAt + 4 * token, signatureOf(load<u8>(shapeAt + token), known));
}

function signatureOf(shape: i32, known: i32): i32 {
  return shape | (known << 4);
}

/**
 * Writes the features of a word for each position relative to a token, one position after the other: 0 two before, 1 before, 2
 * the token itself, 3 after, 4 two after. Writes how many features there are until the end of each position, too.
 * @param known the flags of the word in the gazetteer.
 */
export function wordFeatures(token: i32, known: i32): void {
  const word = load<i32>(wordAt + 4 * token);
  const shape = <i32>load<u8>(shapeAt + token);
  const signature = signatureOf(shape, known);
  const start = load<i32>(startAt + 4 * token);
  const end = load<i32>(endAt + 4 * token);
  const isWord = shape != shapeMark && (shape < shapeDigit1 || shape > shapeDigits);
  let suffix3 = 7;
  if (isWord) for (let at = end - 1; at >= start && at >= end - 3; at--) suffix3 = hashCharacter(suffix3, at);
  next = featuresAt;
  for (let offset = 0; offset < offsets; offset++) {
    const base = offset * 16;
    add(base, word);
    add(base + 1, signature);
    if (offset == 2) ownFeatures(start, end, isWord, word, shape, known, suffix3);
    else if (offset == 1 || offset == 3) {
      add(base + 6, known);
      if (isWord) add(base + 7, suffix3);
    }
    store<i32>(endsAt + 4 * offset, (next - featuresAt) >> 2);
  }
}

/** Features of the token itself: prefixes, suffixes, trigrams, shape and length. */
function ownFeatures(start: i32, end: i32, isWord: bool, word: i32, shape: i32, known: i32, suffix3: i32): void {
  const length = end - start;
  add(38, known);
  add(39, mix(word, shape));
  add(40, shape);
  if (!isWord) {
    add(41, mix(shape, length));
    return;
  }
  add(41, mix(suffix3, signatureOf(shape, known)));
  add(44, mix(min(length, 12), shape));
  let suffix = 7;
  for (let back = 1; back <= 4 && back <= length; back++) {
    suffix = hashCharacter(suffix, end - back);
    if (back >= 2) add(33 + back, suffix);
  }
  let prefix = 3;
  for (let at = 0; at < 4 && at < length; at++) {
    prefix = hashCharacter(prefix, start + at);
    if (at >= 2) add(40 + at, prefix);
  }
  // Trigrams inside the word: names are spelled differently in each language.
  let a = 1;
  let b = foldedOf(start);
  for (let at = 1; at < length && at < 16; at++) {
    const c = foldedOf(start + at);
    add(45, mix(mix(a, b), c));
    a = b;
    b = c;
  }
}

/**
 * Writes the features of a token that depend on several tokens.
 * @param count the number of tokens.
 * @param to where they are written, as an address.
 */
export function pairFeatures(token: i32, count: i32, to: i32): void {
  const has1 = token > 0;
  const has2 = token > 1;
  const next1 = token + 1 < count;
  const next2 = token + 2 < count;
  const words = wordAt + 4 * token;
  const signatures = signatureAt + 4 * token;
  const self = load<i32>(words);
  const own = load<i32>(signatures);
  const wordBefore = has1 ? load<i32>(words - 4) : 1;
  const wordBefore2 = has2 ? load<i32>(words - 8) : 2;
  const wordAfter = next1 ? load<i32>(words, 4) : 3;
  const wordAfter2 = next2 ? load<i32>(words, 8) : 4;
  const signatureBefore = has1 ? load<i32>(signatures - 4) : -1;
  const signatureBefore2 = has2 ? load<i32>(signatures - 8) : -2;
  const signatureAfter = next1 ? load<i32>(signatures, 4) : -3;
  const gap = <i32>load<u8>(gapAt + token);
  const gapAfter = next1 ? <i32>load<u8>(gapAt + token, 1) : 4;
  const lineCase = <i32>load<u8>(lineCaseAt + token);
  next = to;
  add(100, mix(wordBefore, own));
  add(101, mix(wordAfter, own));
  add(102, mix(wordBefore, self));
  add(103, mix(self, wordAfter));
  add(104, mix(signatureBefore, own));
  add(106, mix(mix(signatureBefore, own), signatureAfter));
  add(107, mix(mix(wordBefore2, wordBefore), own & 15));
  add(108, mix(mix(wordAfter, wordAfter2), own & 15));
  add(109, mix(own, gap * 8 + gapAfter));
  add(111, mix(mix(signatureBefore2, signatureBefore), own));
  add(113, mix(mix(own, signatureAfter), mix(gapAfter, lineCase)));
}
