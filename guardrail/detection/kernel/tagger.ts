/**
 * Labels the tokens of a text: a linear sequence model over hashed features with Viterbi decoding. The lead of O from word scores
 * alone labels a token O without pair features and without decoding, if its neighbours have this lead, too.
 */
import {
  chunkAt,
  confidentAt,
  confidentScore,
  featuresAt,
  labelAt,
  scoresAt,
  SLOT,
  slotKnownAt,
  slotOfAt,
  slots,
  slotSumsAt,
  SUM,
} from './memory';
import { pairFeatures, setKnown } from './features';
import { pairCount } from './numbers';
import { scoresOf } from './rows';
import { decode } from './viterbi';
import { prefetch, slotOf } from './words';

/** Tokens whose memory is loaded concurrently: their cache lines leave room for others in the processor's second-level cache. */
const CHUNK: i32 = 64;
/** Tokens of which the pair features are computed before the rows of any of them are added. */
const PAIR_CHUNK: i32 = 14;
/** Bytes of the pair features of a token. */
const PAIRS: i32 = 4 * pairCount;

/** Labels the tokens that `readTokens` has read. */
export function label(count: i32): void {
  sumWords(count);
  // No name extends beyond the text.
  store<u8>(confidentAt, 1);
  store<u8>(confidentAt + count + 1, 1);
  addAllPairs(count);
  memory.fill(labelAt, 0, count);
  for (let from = 0; from < count; from++) {
    if (isConfident(from)) continue;
    let to = from + 1;
    while (to < count && !isConfident(to)) to++;
    decode(from, to, count);
    from = to;
  }
}

/** Adds up the word scores of each token and its neighbours. */
function sumWords(count: i32): void {
  // The two positions before the text and the two after it have no scores.
  store<i32>(slotOfAt, slots);
  store<i32>(slotOfAt, slots, 4);
  store<i32>(slotOfAt + 4 * count, slots, 8);
  store<i32>(slotOfAt + 4 * count, slots, 12);
  for (let token = 0; token < count; token++) {
    if (token % CHUNK == 0) prefetch(token, min(token + CHUNK, count));
    const slot = slotOf(token);
    store<i32>(slotOfAt + 4 * token, slot, 8);
    setKnown(token, load<u8>(slotKnownAt + slot));
    // A slot can be replaced as soon as no neighbour needs it, so a token is added up when the second token after it is read.
    if (token >= 2) sumUp(token - 2);
  }
  if (count > 1) sumUp(count - 2);
  sumUp(count - 1);
}

function sumUp(token: i32): void {
  let sum = sumOf(token, 0);
  sum = i16x8.add(sum, sumOf(token, 1));
  sum = i16x8.add(sum, sumOf(token, 2));
  sum = i16x8.add(sum, sumOf(token, 3));
  sum = i16x8.add(sum, sumOf(token, 4));
  v128.store(scoresAt + SUM * token, sum);
  const isConfident = i16x8.all_true(i16x8.lt_s(sum, i16x8.splat(<i16>-confidentScore)));
  store<u8>(confidentAt + token, isConfident ? 1 : 0, 1);
}

/** The score of the word at an offset from a token, from two before it on. */
function sumOf(token: i32, offset: i32): v128 {
  const slot = load<i32>(slotOfAt + 4 * (token + offset));
  return v128.load(slotSumsAt + SLOT * slot + SUM * offset);
}

/** Whether a token and both its neighbours are confidently O. */
function isConfident(token: i32): bool {
  const at = confidentAt + token;
  return (load<u8>(at) & load<u8>(at, 1) & load<u8>(at, 2)) == 1;
}

/** Adds the scores of the features that depend on several tokens, for all tokens that are decoded. */
function addAllPairs(count: i32): void {
  let size = 0;
  for (let token = 0; token < count; token++) {
    if (isConfident(token)) continue;
    pairFeatures(token, count, featuresAt + PAIRS * size);
    store<i32>(chunkAt + 4 * size, token);
    if (++size < PAIR_CHUNK) continue;
    addPairs(size);
    size = 0;
  }
  addPairs(size);
}

/** Adds the scores of the first `size` tokens of the chunk. */
function addPairs(size: i32): void {
  for (let at = 0; at < size; at++) {
    const scores = scoresAt + SUM * load<i32>(chunkAt + 4 * at);
    const features = featuresAt + PAIRS * at;
    v128.store(scores, i16x8.add(v128.load(scores), scoresOf(features, features + PAIRS)));
  }
}
