/**
 * Finds the best sequence of labels by token scores and transitions. The labels are O, and B and I of each kind. The paths that
 * end in the four B labels are one vector, and those that end in the four I labels another one.
 */
import { backAt, gapAt, labelAt, pathsAt, scoresAt, SUM, transitionsAt } from './memory';
import { labelCount } from './numbers';

/** A score far below any other, and far from the limits of 32 bits. */
const IMPOSSIBLE: i32 = -1_000_000_000;
/** A score below {@link IMPOSSIBLE}, so that the first candidate is always better. */
const UNSET: i32 = 2 * IMPOSSIBLE;

/**
 * The transitions at one gap: from each label to the B labels, from each label to O, from the B label of a kind to its I label,
 * and from an I label to itself.
 */
const TO_OUTSIDE: i32 = 16 * labelCount;
const STARTED: i32 = TO_OUTSIDE + 48;
const CONTINUED: i32 = STARTED + 16;
const GAP: i32 = CONTINUED + 16;

/** The largest difference between two transitions to the same label: a path that trails by more is never the best. */
let spread: i32 = 0;

/** Sets the score of one label after another. Those of pairs that cannot occur have no place. */
export function setTransition(gap: i32, before: i32, label: i32, score: i32): void {
  const at = transitionsAt + GAP * gap;
  const kind = (label - 1) >> 1;
  if (label == 0) store<i32>(at + TO_OUTSIDE + 4 * before, score);
  else if (label & 1) store<i32>(at + 16 * before + 4 * kind, score);
  else if (before == label - 1) store<i32>(at + STARTED + 4 * kind, score);
  else if (before == label) store<i32>(at + CONTINUED + 4 * kind, score);
}

export function setSpread(most: i32): void {
  spread = most;
}

/** The scores of a token's B labels, and of its I labels. */
function beginScores(token: i32): v128 {
  const scores = v128.load(scoresAt + SUM * token);
  return i32x4.extend_low_i16x8_s(i16x8.shuffle(scores, scores, 0, 1, 4, 5, 0, 1, 4, 5));
}
function insideScores(token: i32): v128 {
  const scores = v128.load(scoresAt + SUM * token);
  return i32x4.extend_low_i16x8_s(i16x8.shuffle(scores, scores, 2, 3, 6, 7, 2, 3, 6, 7));
}

/** Writes the scores of the paths to all labels, in the order of the labels. @returns the best */
function writePaths(outside: i32, begins: v128, insides: v128): i32 {
  store<i32>(pathsAt, outside);
  v128.store(pathsAt, i32x4.shuffle(begins, insides, 0, 4, 1, 5), 4);
  v128.store(pathsAt, i32x4.shuffle(begins, insides, 2, 6, 3, 7), 20);
  const both = i32x4.max_s(begins, insides);
  const two = i32x4.max_s(both, i32x4.shuffle(both, both, 2, 3, 0, 1));
  return max(outside, max(i32x4.extract_lane(two, 0), i32x4.extract_lane(two, 1)));
}

/** Labels the tokens from `from` to `to` of `count`. The tokens before and after them are O. */
export function decode(from: i32, to: i32, count: i32): void {
  let outside = 0;
  let begins = beginScores(from);
  let insides = i32x4.splat(IMPOSSIBLE);
  if (from > 0) {
    const at = transitionsAt + GAP * load<u8>(gapAt + from);
    outside += load<i32>(at + TO_OUTSIDE);
    begins = i32x4.add(begins, v128.load(at));
  }
  for (let token = from + 1; token < to; token++) {
    const at = transitionsAt + GAP * load<u8>(gapAt + token);
    const least = writePaths(outside, begins, insides) - spread;
    let bestOutside = UNSET;
    let bestBegins = i32x4.splat(UNSET);
    let outsideFrom = 0;
    let beginsFrom = i32x4.splat(0);
    for (let before = 0; before < labelCount; before++) {
      const path = load<i32>(pathsAt + 4 * before);
      if (path < least) continue;
      const toOutside = path + load<i32>(at + TO_OUTSIDE + 4 * before);
      if (toOutside > bestOutside) {
        bestOutside = toOutside;
        outsideFrom = before;
      }
      const toBegins = i32x4.add(i32x4.splat(path), v128.load(at + 16 * before));
      const better = i32x4.gt_s(toBegins, bestBegins);
      bestBegins = v128.bitselect(toBegins, bestBegins, better);
      beginsFrom = v128.bitselect(i32x4.splat(before), beginsFrom, better);
    }
    // An I label follows its B label or itself.
    const started = i32x4.add(begins, v128.load(at, STARTED));
    const continued = i32x4.add(insides, v128.load(at, CONTINUED));
    const continues = i32x4.gt_s(continued, started);
    outside = bestOutside;
    begins = i32x4.add(bestBegins, beginScores(token));
    insides = i32x4.add(i32x4.max_s(started, continued), insideScores(token));
    writeBack(token, outsideFrom, beginsFrom, continues);
    // Scores grow with the text. Only their differences matter.
    if ((token & 1023) == 0) {
      const base = i32x4.splat(outside);
      const impossible = i32x4.splat(IMPOSSIBLE);
      outside = 0;
      begins = i32x4.max_s(i32x4.sub(begins, base), impossible);
      insides = i32x4.max_s(i32x4.sub(insides, base), impossible);
    }
  }
  writePaths(outside, begins, insides);
  let label = 0;
  let best = UNSET;
  for (let last = 0; last < labelCount; last++) {
    let path = load<i32>(pathsAt + 4 * last);
    if (to < count) path += load<i32>(transitionsAt + GAP * load<u8>(gapAt + to) + TO_OUTSIDE + 4 * last);
    if (path <= best) continue;
    best = path;
    label = last;
  }
  for (let token = to - 1; token >= from; token--) {
    store<u8>(labelAt + token, label);
    label = load<u8>(backAt + SUM * token + label);
  }
}

/** Writes the label before each label of a token. */
function writeBack(token: i32, outsideFrom: i32, beginsFrom: v128, continues: v128): void {
  // The label of kind `k` is 1 + 2 k for B, and 2 + 2 k for I.
  const insidesFrom = i32x4.sub(i32x4(1, 3, 5, 7), continues);
  const all = i16x8.narrow_i32x4_s(beginsFrom, insidesFrom);
  const inOrder = i8x16.shuffle(all, all, 0, 8, 2, 10, 4, 12, 6, 14, 0, 0, 0, 0, 0, 0, 0, 0);
  const at = backAt + SUM * token;
  store<u8>(at, outsideFrom);
  v128.store64_lane(at, inOrder, 0, 1);
}
