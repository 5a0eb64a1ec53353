/** Hashes of features. The shipped weights depend on them. */
import { foldedAt } from './memory';
import { codeAt } from './tokens';

/** Combines two values. */
export function mix(a: i32, b: i32): i32 {
  return ((a ^ (b * 0x27d4eb2f)) * 0x165667b1) ^ (b >>> 7);
}

/** Hashes a template's number and a value. The lowest bits are the row of a table. */
export function featureHash(template: i32, value: i32): i32 {
  let hash = (value ^ ((template + 1) * 0x9e3779b1)) * 0x85ebca6b;
  hash ^= hash >>> 13;
  hash *= 0xc2b2ae35;
  return hash ^ (hash >>> 16);
}

/** A character of the text without case and diacritics. */
export function foldedOf(at: i32): i32 {
  return load<u16>(foldedAt + 2 * codeAt(at));
}

/** Adds a folded character of the text to a hash. */
export function hashCharacter(hash: i32, at: i32): i32 {
  return (hash ^ foldedOf(at)) * 0x01000193;
}
