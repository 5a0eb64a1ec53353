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
   * Labels the tokens from `from` to `to`. What stands before and after them in the same text, if anything, is O.
   * @param count how many tokens the text has.
   * @param scores `labelCount` scores a token.
   * @param transitions scores of pairs, {@link transitionAt}.
   * @param out receives one label a token.
   */
  decode(
    from: number,
    to: number,
    count: number,
    scores: Int32Array,
    gaps: Uint8Array,
    transitions: Int32Array | Int16Array,
    out: Uint8Array,
  ): void {
    if (from >= to) return;
    const size = (to - from) * labelCount;
    if (this.back.length < size) this.back = new Uint8Array(size * 2);
    const { back } = this;
    let before = this.before;
    let current = this.current;
    for (let label = 0; label < labelCount; label++) {
      const pair = from === 0 ? 0 : (transitions[transitionAt(gaps[from] ?? 0, 0, label)] ?? 0);
      before[label] = mayFollow(0, label) ? (scores[from * labelCount + label] ?? 0) + pair : never;
    }
    for (let token = from + 1; token < to; token++) {
      const at = token * labelCount;
      const backAt = (token - from) * labelCount;
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
        current[label] = best + (scores[at + label] ?? 0);
        back[backAt + label] = bestBefore;
      }
      // An inside follows its beginning or itself.
      for (let label = 2; label < labelCount; label += 2) {
        const begun = (before[label - 1] ?? 0) + (transitions[gap + (label - 1) * labelCount + label] ?? 0);
        const gone = (before[label] ?? 0) + (transitions[gap + label * labelCount + label] ?? 0);
        current[label] = Math.max(begun, gone) + (scores[at + label] ?? 0);
        back[backAt + label] = gone > begun ? label : label - 1;
      }
      [before, current] = [current, before];
      // Scores grow with the text; what counts is their difference.
      if ((token & 1023) === 0) {
        const base = before[0] ?? 0;
        for (let label = 0; label < labelCount; label++) before[label] = Math.max((before[label] ?? 0) - base, never);
      }
    }
    let label = 0;
    let best = -Infinity;
    for (let candidate = 0; candidate < labelCount; candidate++) {
      const pair = to === count ? 0 : (transitions[transitionAt(gaps[to] ?? 0, candidate, 0)] ?? 0);
      const score = (before[candidate] ?? 0) + pair;
      if (score > best) {
        best = score;
        label = candidate;
      }
    }
    for (let token = to - 1; token >= from; token--) {
      out[token] = label;
      label = back[(token - from) * labelCount + label] ?? 0;
    }
    this.before = before;
    this.current = current;
  }
}
