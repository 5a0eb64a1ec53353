import { expect } from 'chai';
import fc from 'fast-check';
import { createKernel } from '../../guardrail/detection/kernelInstance.ts';
import { labelCount, mayFollow } from '../../guardrail/detection/ner/labels.ts';
import { Tokens } from '../../guardrail/detection/ner/tokens.ts';
import { spreadOf, transitionAt, transitionCount } from '../../guardrail/detection/ner/transitions.ts';
import { byteOf, rowBytes } from '../../guardrail/detection/ner/weightRows.ts';
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

describe('the decoder of the detector', () => {
  it('finds the labels that the decoder of the training finds', () => {
    const kernel = createKernel();
    const tokens = new Tokens(kernel);
    const pair = fc.integer({ min: -400, max: 400 });
    const score = fc.integer({ min: -2000, max: 2000 });
    fc.assert(
      fc.property(
        fc.array(pair, { minLength: transitionCount, maxLength: transitionCount }),
        fc.integer({ min: 1, max: 3000 }).chain((count) =>
          fc.record({
            gap: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: count, maxLength: count }),
            few: fc.array(score, { minLength: 8, maxLength: 200 }),
            from: fc.nat(count - 1),
            after: fc.nat(count - 1),
          }),
        ),
        (pairs, { gap, few, from, after }) => {
          const { length: count } = gap;
          const to = Math.max(from + 1, count - after);
          const transitions = Int32Array.from(pairs);
          for (let at = 0; at < transitionCount; at++) {
            const label = at % labelCount;
            const before = Math.floor(at / labelCount) % labelCount;
            kernel.setTransition(Math.floor(at / labelCount ** 2), before, label, transitions[at] ?? 0);
          }
          kernel.setSpread(spreadOf(transitions));
          tokens.read('.'.repeat(count));
          tokens.gap.set(gap);
          const scores = new Int32Array(count * labelCount);
          for (let token = 0; token < count; token++)
            for (let label = 1; label < labelCount; label++) {
              const own = few[(token * rowBytes + label) % few.length] ?? 0;
              scores[token * labelCount + label] = own;
              tokens.scores[token * rowBytes + byteOf(label)] = own;
            }
          const expected = new Uint8Array(count);
          new Viterbi().decode(from, to, count, scores, Uint8Array.from(gap), transitions, expected);
          kernel.decode(from, to, count);
          expect([...tokens.label.subarray(from, to)]).to.deep.equal([...expected.subarray(from, to)]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
