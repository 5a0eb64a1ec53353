/** Finds words in a text in one pass (Aho and Corasick, 1975): see `wordFinder.ts`. */
import { automatonAt, classesAt, endAt, startAt } from './memory';
import { classBits, isEndState } from './numbers';
import { codeAt } from './tokens';

/** The first states in breadth-first order are those of most characters. */
const USUAL_STATES: i32 = 1024;
/** What {@link prefetch} has read. It keeps compilers from removing the accesses. */
export let read: i32 = 0;

/** Reads the rows of the usual states. The processor loads them concurrently here; in the scan, each would wait for another. */
function prefetch(rows: i32): void {
  let sum = 0;
  for (let row = 0; row < rows; row++) sum ^= load<u16>(automatonAt + ((2 * row) << classBits));
  read = sum;
}

/**
 * Scans a text of `length` code units. Writes the place of each unit with which a word may end, and the state after it, in the
 * place of the tokens.
 * @returns their number
 */
export function scan(length: i32): i32 {
  prefetch(min(2 * length, USUAL_STATES));
  let count = 0;
  let state = 0;
  for (let at = 0; at < length; at++) {
    const unitClass = <i32>load<u8>(classesAt + codeAt(at));
    state = load<u16>(automatonAt + 2 * (((state & ~isEndState) << classBits) | unitClass));
    if (state < isEndState) continue;
    store<i32>(startAt + 4 * count, at);
    store<i32>(endAt + 4 * count, state & ~isEndState);
    count++;
  }
  return count;
}
