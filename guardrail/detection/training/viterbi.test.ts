import { expect } from 'chai';
import fc from 'fast-check';
import { labelCount, mayFollow } from '../ner/labels.ts';
import { transitionAt, transitionCount } from '../ner/transitions.ts';
import { Viterbi } from './viterbi.ts';

describe('Viterbi decoder', () => {
  /** The best score of all sequences of labels, by exhaustive search. */
  function bestOf(scores: Int32Array, gaps: Uint8Array, transitions: Int32Array, token = 0, before = 0): number {
    if (token === gaps.length - 1) return transitions[transitionAt(gaps[token] ?? 0, before, 0)] ?? 0;
    let best = -Infinity;
    for (let label = 0; label < labelCount; label++) {
      if (!mayFollow(before, label)) continue;
      const pair = transitions[transitionAt(gaps[token] ?? 0, before, label)] ?? 0;
      const own = scores[token * labelCount + label] ?? 0;
      best = Math.max(best, pair + own + bestOf(scores, gaps, transitions, token + 1, label));
    }
    return best;
  }

  /** The score of one sequence of labels, with O before and after it. */
  function scoreOf(labels: Uint8Array, scores: Int32Array, gaps: Uint8Array, transitions: Int32Array): number {
    return gaps.reduce((sum, gap, token) => {
      const [before = 0, label = 0] = [labels[token - 1], labels[token]];
      return (
        sum +
        (transitions[transitionAt(gap, before, label)] ?? 0) +
        (token < labels.length ? (scores[token * labelCount + label] ?? 0) : 0)
      );
    }, 0);
  }

  it('finds a best sequence of labels', () => {
    const small = fc.integer({ min: -40, max: 40 });
    const length = 4;
    fc.assert(
      fc.property(
        fc.array(small, { minLength: length * labelCount, maxLength: length * labelCount }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: length + 1, maxLength: length + 1 }),
        fc.array(small, { minLength: transitionCount, maxLength: transitionCount }),
        fc.constantFrom(1, 3, 10),
        (values, between, pairs, factor) => {
          // The decoded range has one O token before it and one after it.
          const scores = Int32Array.from([...new Array<number>(labelCount).fill(0), ...values.map((v) => v * factor)]);
          const gaps = Uint8Array.from([0, ...between]);
          const transitions = Int32Array.from(pairs);
          const labels = new Uint8Array(length + 2);
          new Viterbi().decode(1, length + 1, length + 2, scores, gaps, transitions, labels);
          const inside = scores.subarray(labelCount);
          const found = scoreOf(labels.subarray(1, length + 1), inside, gaps.subarray(1), transitions);
          expect(found).to.equal(bestOf(inside, gaps.subarray(1), transitions));
        },
      ),
      { numRuns: 50 },
    );
  });
});
