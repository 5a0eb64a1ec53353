import { labelCount, mayFollow } from '../../guardrail/detection/ner/labels.ts';
import { transitionAt } from '../../guardrail/detection/ner/transitions.ts';

/** A score far below any other, and far from the limits of 32 bits. */
const impossible = -1_000_000_000;
/** A score below {@link impossible}, so that the first candidate is always better. */
const unset = 2 * impossible;

/** Finds the best sequence of labels by token scores and transitions. Reuses its memory between calls. */
export class Viterbi {
  private back = new Uint8Array(1024 * labelCount);
  private before = new Int32Array(labelCount);
  private current = new Int32Array(labelCount);

  /**
   * Labels the tokens from `from` to `to`. The tokens before and after them are O.
   * @param count the number of tokens in the text.
   * @param scores `labelCount` scores per token.
   * @param transitions scores of label pairs: see {@link transitionAt}.
   * @param out receives one label per token.
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
      before[label] = mayFollow(0, label) ? (scores[from * labelCount + label] ?? 0) + pair : impossible;
    }
    for (let token = from + 1; token < to; token++) {
      const at = token * labelCount;
      const backAt = (token - from) * labelCount;
      const gap = (gaps[token] ?? 0) * labelCount * labelCount;
      // O and the four B labels may follow any label. A loop over them would take nearly twice as long.
      let [best0, best1, best3, best5, best7] = [unset, unset, unset, unset, unset];
      for (let earlier = 0; earlier < labelCount; earlier++) {
        const score = before[earlier] ?? 0;
        const pair = gap + earlier * labelCount;
        const score0 = score + (transitions[pair] ?? 0);
        const score1 = score + (transitions[pair + 1] ?? 0);
        const score3 = score + (transitions[pair + 3] ?? 0);
        const score5 = score + (transitions[pair + 5] ?? 0);
        const score7 = score + (transitions[pair + 7] ?? 0);
        if (score0 > best0) {
          best0 = score0;
          back[backAt] = earlier;
        }
        if (score1 > best1) {
          best1 = score1;
          back[backAt + 1] = earlier;
        }
        if (score3 > best3) {
          best3 = score3;
          back[backAt + 3] = earlier;
        }
        if (score5 > best5) {
          best5 = score5;
          back[backAt + 5] = earlier;
        }
        if (score7 > best7) {
          best7 = score7;
          back[backAt + 7] = earlier;
        }
      }
      current[0] = best0 + (scores[at] ?? 0);
      current[1] = best1 + (scores[at + 1] ?? 0);
      current[3] = best3 + (scores[at + 3] ?? 0);
      current[5] = best5 + (scores[at + 5] ?? 0);
      current[7] = best7 + (scores[at + 7] ?? 0);
      // An I label follows its B label or itself.
      for (let label = 2; label < labelCount; label += 2) {
        const started = (before[label - 1] ?? 0) + (transitions[gap + (label - 1) * labelCount + label] ?? 0);
        const continued = (before[label] ?? 0) + (transitions[gap + label * labelCount + label] ?? 0);
        current[label] = Math.max(started, continued) + (scores[at + label] ?? 0);
        back[backAt + label] = continued > started ? label : label - 1;
      }
      const reached = current;
      current = before;
      before = reached;
      // Scores grow with the text. Only their differences matter.
      if ((token & 1023) === 0) {
        const base = before[0] ?? 0;
        for (let label = 0; label < labelCount; label++)
          before[label] = Math.max((before[label] ?? 0) - base, impossible);
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
