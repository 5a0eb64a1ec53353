/** Hashes of features. The shipped weights depend on them. */
import { foldedOf } from '../text/characters.ts';

/** Combines two values. */
export const mix = (a: number, b: number): number => Math.imul(a ^ Math.imul(b, 0x27d4eb2f), 0x165667b1) ^ (b >>> 7);

/** Hashes a template's number and a value. The lowest bits are the row of a table. */
export function featureHash(template: number, value: number): number {
  let hash = Math.imul(value ^ Math.imul(template + 1, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Adds a folded character of a text to a hash. */
export const hashCharacter = (hash: number, text: string, at: number): number =>
  Math.imul(hash ^ (foldedOf[text.charCodeAt(at)] ?? 0), 0x01000193);
