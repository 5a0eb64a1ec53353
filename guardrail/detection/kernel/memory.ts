/** Where things are in the memory, as byte addresses. What has a fixed size comes first, and the arrays of a text last. */
import { mostFeatures, offsets } from './numbers';

/** Bytes of a line of the processor's cache. */
export const LINE: i32 = 64;
const PAGE: i32 = 1 << 16;
const CODE_UNITS: i32 = 1 << 16;
/** Bytes of a row of weights, one for each label but O, and of their sum: 16 bits for each. */
export const ROW: i32 = 8;
export const SUM: i32 = 16;
/** Bytes of the sums of a slot: one for each position relative to the word. */
export const SLOT: i32 = offsets * SUM;

/** The kind of each UTF-16 code unit, and its letter without case and diacritics. */
export const kindsAt: i32 = LINE;
export const foldedAt: i32 = kindsAt + CODE_UNITS;
/** Scores of label pairs: see `viterbi.ts`. */
export const transitionsAt: i32 = foldedAt + 2 * CODE_UNITS;
/** Scores of the paths to the last token. */
export const pathsAt: i32 = transitionsAt + 1024;
/** The features of the last word, token or span, the end of those of each position, and the sums of their rows. */
export const featuresAt: i32 = pathsAt + LINE;
export const endsAt: i32 = featuresAt + 4 * mostFeatures;
export const sumsAt: i32 = endsAt + LINE;
/** Tokens whose pair features are computed. */
export const chunkAt: i32 = sumsAt + SUM;
/** The first words of the text, with room for a few. */
export const firstWordsAt: i32 = chunkAt + LINE;
const fixedEnd: i32 = firstWordsAt + LINE;

/** The least mean lead of O that needs no pair features and no decoding: see `tagger.ts`. */
export let confidentScore: i32 = 0;
/** The cache of word scores: see `words.ts`. */
export let slots: i32 = 0;
export let keysAt: i32 = 0;
export let recentAt: i32 = 0;
export let slotKnownAt: i32 = 0;
export let slotSumsAt: i32 = 0;
/** The tagger's rows of weights. */
export let rowsAt: i32 = 0;
/** The slots of the gazetteer: a power of two. */
export let gazetteerAt: i32 = 0;
export let gazetteerMask: i32 = 0;
/** The rows of the classifier. */
export let spanRowsAt: i32 = 0;
/** The slots of the known names: a power of two. */
export let namesAt: i32 = 0;
export let namesMask: i32 = 0;
/** The filter of their hashes: 128 KiB, which a core's own cache holds. The table is eight times as large. */
export const FILTER: i32 = 1 << 15;
export let filterAt: i32 = 0;

/** The automaton: the class of each unit, and the next state for each state and class. */
export let classesAt: i32 = 0;
export let automatonAt: i32 = 0;

let tablesEnd: i32 = fixedEnd;
/** The most tokens of a text, and the most code units. The arrays of tokens follow. */
export let capacity: i32 = 0;
export let textAt: i32 = 0;
export let startAt: i32 = 0;
export let endAt: i32 = 0;
export let exactAt: i32 = 0;
export let exact2At: i32 = 0;
export let wordAt: i32 = 0;
export let signatureAt: i32 = 0;
export let slotOfAt: i32 = 0;
export let shapeAt: i32 = 0;
export let gapAt: i32 = 0;
export let lineCaseAt: i32 = 0;
export let knownAt: i32 = 0;
export let labelAt: i32 = 0;
export let confidentAt: i32 = 0;
export let scoresAt: i32 = 0;
export let backAt: i32 = 0;
/** The candidates: the kind of each, its tokens, the step of its margin, and what is known of its name. */
export let spanKindAt: i32 = 0;
export let spanFirstAt: i32 = 0;
export let spanLastAt: i32 = 0;
export let spanStepAt: i32 = 0;
export let spanKnownAt: i32 = 0;

/** The first free byte while memory is divided. */
let free: i32 = 0;

/** @returns the address of the next `size` bytes, at the beginning of a line. */
function take(size: i32): i32 {
  const at = (free + LINE - 1) & -LINE;
  free = at + size;
  return at;
}

function grow(): void {
  const missing = (free + PAGE - 1) / PAGE - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) unreachable();
}

/** @returns the address of a table behind the others. The arrays of a text move behind it, and lose their contents. */
function table(size: i32): i32 {
  free = tablesEnd;
  const at = take(size);
  tablesEnd = free;
  capacity = 0;
  grow();
  return at;
}

/**
 * Reserves the tables of the tagger, once.
 * @param slotCount the slots of the cache of word scores: a power of two.
 * @param rows the number of rows of weights.
 * @param words the slots of the gazetteer: a power of two.
 */
export function reserveTagger(slotCount: i32, rows: i32, words: i32, confident: i32): void {
  confidentScore = confident;
  slots = slotCount;
  rowsAt = table(rows * ROW);
  gazetteerAt = table(4 * words);
  gazetteerMask = words - 1;
  keysAt = table(slotCount * 8);
  recentAt = table(slotCount >> 1);
  slotKnownAt = table(slotCount);
  // One more slot is always zero, for positions outside the text.
  slotSumsAt = table((slotCount + 1) * SLOT);
  memory.fill(keysAt, 0xff, slotCount * 8);
}

/** Reserves the classifier's rows of weights, once. */
export function reserveClassifier(rows: i32): void {
  spanRowsAt = table(rows * ROW);
}

/** Reserves the tables of the automaton, once. @param size of the table of states, in bytes */
export function reserveAutomaton(size: i32): void {
  classesAt = table(CODE_UNITS);
  automatonAt = table(size);
}

/** Reserves the table of known names. Other names of the same size take the place of the former ones. */
export function reserveNames(count: i32): void {
  if (count == namesMask + 1) return;
  namesAt = table(4 * count);
  namesMask = count - 1;
  filterAt = table(4 * FILTER);
}

/**
 * Divides the rest of the memory for a text of this length. A text has at most as many tokens.
 * @returns whether addresses have changed. The arrays have lost their contents then.
 */
export function reserveText(length: i32): bool {
  if (length <= capacity) return false;
  capacity = 1024;
  while (capacity < length) capacity <<= 1;
  const each = 4 * capacity;
  free = tablesEnd;
  textAt = take(2 * capacity);
  startAt = take(each);
  endAt = take(each);
  exactAt = take(each);
  exact2At = take(each);
  wordAt = take(each);
  signatureAt = take(each);
  slotOfAt = take(each + 16);
  shapeAt = take(capacity);
  gapAt = take(capacity);
  lineCaseAt = take(capacity);
  knownAt = take(capacity);
  labelAt = take(capacity);
  confidentAt = take(capacity + 2);
  scoresAt = take(capacity * SUM);
  backAt = take(capacity * SUM);
  spanKindAt = take(capacity);
  spanFirstAt = take(each);
  spanLastAt = take(each);
  spanStepAt = take(each);
  spanKnownAt = take(each);
  grow();
  return true;
}
