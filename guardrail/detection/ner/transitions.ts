import { labelCount } from './labels.ts';

/** The number of scores of label pairs: one for each pair and each kind of gap between two tokens. */
export const transitionCount = 4 * labelCount * labelCount;
export const transitionAt = (gap: number, before: number, label: number): number =>
  (gap * labelCount + before) * labelCount + label;

/** The largest difference between two transitions to the same label. A label that trails by more is never the best. */
export function spreadOf(transitions: Int32Array | Int16Array): number {
  let spread = 0;
  for (let at = 0; at < transitionCount; at += labelCount * labelCount) {
    for (let label = 0; label < labelCount; label++) {
      let [least, most] = [Infinity, -Infinity];
      for (let before = 0; before < labelCount; before++) {
        const score = transitions[at + before * labelCount + label] ?? 0;
        least = Math.min(least, score);
        most = Math.max(most, score);
      }
      spread = Math.max(spread, most - least);
    }
  }
  return spread;
}
