import { labelCount, mayFollow } from './labels.ts';

/** Far below any score, yet far from the limits of 32 bits. */
const never = -1_000_000_000;

/** Scores of label pairs, for each kind of gap between two tokens. */
export const transitionCount = 4 * labelCount * labelCount;
export const transitionAt = (gap: number, before: number, label: number): number =>
  (gap * labelCount + before) * labelCount + label;

/** The best sequence of labels under scores by token and by pair. Keeps its memory from call to call. */
export class Viterbi {
  private back = new Uint8Array(1024 * labelCount);
  private before = new Int32Array(labelCount);
  private current = new Int32Array(labelCount);

  /**
   * @param scores `labelCount` scores a token.
   * @param transitions scores of pairs, {@link transitionAt}.
   * @param out receives one label a token.
   */
  decode(
    scores: Int32Array,
    count: number,
    gaps: Uint8Array,
    transitions: Int32Array | Int16Array,
    out: Uint8Array,
  ): void {
    if (count === 0) return;
    if (this.back.length < count * labelCount) this.back = new Uint8Array(count * labelCount * 2);
    const { back } = this;
    let before = this.before;
    let current = this.current;
    for (let label = 0; label < labelCount; label++) before[label] = mayFollow(0, label) ? (scores[label] ?? 0) : never;
    for (let token = 1; token < count; token++) {
      const from = token * labelCount;
      const gap = (gaps[token] ?? 0) * labelCount * labelCount;
      // O and beginnings may follow anything.
      for (let label = 0; label < labelCount; label += label === 0 ? 1 : 2) {
        let best = (before[0] ?? 0) + (transitions[gap + label] ?? 0);
        let bestBefore = 0;
        for (let earlier = 1; earlier < labelCount; earlier++) {
          const score = (before[earlier] ?? 0) + (transitions[gap + earlier * labelCount + label] ?? 0);
          if (score > best) {
            best = score;
            bestBefore = earlier;
          }
        }
        current[label] = best + (scores[from + label] ?? 0);
        back[from + label] = bestBefore;
      }
      // An inside follows its beginning or itself.
      for (let label = 2; label < labelCount; label += 2) {
        const begun = (before[label - 1] ?? 0) + (transitions[gap + (label - 1) * labelCount + label] ?? 0);
        const gone = (before[label] ?? 0) + (transitions[gap + label * labelCount + label] ?? 0);
        current[label] = Math.max(begun, gone) + (scores[from + label] ?? 0);
        back[from + label] = gone > begun ? label : label - 1;
      }
      [before, current] = [current, before];
      // Scores grow with the text; what counts is their difference.
      if ((token & 1023) === 0) {
        const base = before[0] ?? 0;
        for (let label = 0; label < labelCount; label++) before[label] = Math.max((before[label] ?? 0) - base, never);
      }
    }
    let label = 0;
    for (let candidate = 1; candidate < labelCount; candidate++) {
      if ((before[candidate] ?? 0) > (before[label] ?? 0)) label = candidate;
    }
    for (let token = count - 1; token >= 0; token--) {
      out[token] = label;
      label = back[token * labelCount + label] ?? 0;
    }
    this.before = before;
    this.current = current;
  }
}
