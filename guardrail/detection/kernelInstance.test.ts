import { expect } from 'chai';
import fc from 'fast-check';
import { Viterbi } from './training/viterbi.ts';
import { createKernel } from './kernelInstance.ts';
import { labelCount } from './ner/labels.ts';
import { cases, gaps, shapes, Tokens, wordHash } from './ner/tokens.ts';
import { spreadOf, transitionCount } from './ner/transitions.ts';
import { byteOf, rowBytes } from './ner/weightRows.ts';

/** The properties of each token, by name. */
function read(tokens: Tokens, text: string): unknown[] {
  tokens.read(text);
  const nameIn = (names: Readonly<Record<string, number>>, value = -1): string =>
    Object.entries(names).findLast(([, own]) => own <= value)?.[0] ?? '';
  return Array.from({ length: tokens.count }, (_, at) => [
    text.slice(tokens.start[at], tokens.end[at]),
    nameIn(shapes, tokens.shape[at]),
    nameIn(gaps, tokens.gap[at]),
    nameIn(cases, tokens.lineCase[at]),
  ]);
}

describe('tokens', () => {
  const tokens = new Tokens();

  it('are words and single marks, with their shapes, gaps and the case of their lines', () => {
    expect(read(tokens, 'Anna O’Neil, IT\n\nmacOS mcDonald 12 x1 A1\r\nok then')).to.deep.equal([
      ['Anna', 'capitalized', 'paragraph', 'usual'],
      ['O', 'initial', 'space', 'usual'],
      ['’', 'mark', 'none', 'usual'],
      ['Neil', 'capitalized', 'none', 'usual'],
      [',', 'mark', 'none', 'usual'],
      ['IT', 'upper', 'space', 'usual'],
      ['macOS', 'mixed', 'paragraph', 'usual'],
      ['mcDonald', 'mixed', 'space', 'usual'],
      ['12', 'digit1', 'space', 'usual'],
      ['x1', 'lowerDigits', 'space', 'usual'],
      ['A1', 'upperDigits', 'space', 'usual'],
      ['ok', 'lower', 'paragraph', 'lower'],
      ['then', 'lower', 'space', 'lower'],
    ]);
    expect(read(tokens, 'MEETING WITH JOHN').map((token) => (token as string[])[3])).to.deep.equal(
      new Array(3).fill('upper'),
    );
  });

  it('are those of any text, however long the one before was', () => {
    const unit = fc.constantFrom('Anna', 'ÜNAL', 'ß', ' ', '\n', '.', '1234567', 'é', '😀', '山', '\u00a0', '-');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), fc.constantFrom(1, 100), (units, times) => {
        const text = units.join('').repeat(times);
        tokens.read(text);
        const words = Array.from({ length: tokens.count }, (_, at) => text.slice(tokens.start[at], tokens.end[at]));
        expect(words.join('')).to.equal(text.replace(/\s/g, ''));
        words.forEach((word, at) => {
          const isWord = tokens.shape[at] !== shapes.mark;
          expect(word).to.match(isWord ? /^[\p{L}0-9]+$/u : /^[^a-zA-Z0-9]$/);
          if (!isWord) return;
          expect(tokens.word[at]).to.equal(wordHash(word));
          const isCut = at > 0 && tokens.shape[at - 1] !== shapes.mark && tokens.gap[at] === gaps.none;
          expect(isCut).to.equal(false);
        });
      }),
    );
  });
});

describe('the decoder', () => {
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
