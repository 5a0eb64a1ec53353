import { expect } from 'chai';
import fc from 'fast-check';
import { atOnce } from '../../eventLoop.ts';
import { eachMatch, eachMatchInSteps } from './eachMatch.ts';
import { compileLinear } from './linearPattern.ts';

type Range = readonly [start: number, end: number];

const compiled = (pattern: string) => {
  const { matcher } = compileLinear(pattern);
  if (!matcher) throw new Error(`${pattern} is not a pattern.`);
  return matcher;
};

function matchesOf(search: typeof eachMatch, pattern: string, text: string): { found: Range[]; steps: number } {
  const found: Range[] = [];
  let steps = 0;
  const work = search(compiled(pattern), text, (start, end) => void found.push([start, end]));
  while (work.next().done !== true) steps += 1;
  return { found, steps };
}

describe('the search for a pattern', () => {
  const patterns = [
    ...['a', 'ab', 'a+', 'a+?', '(a|ab)(c|bcd)', '(ab*|a)c', 'a.*b|a', 'a[^b]*b', '(?s)a.*b', '(?i)AB|c', '[^a]+?b'],
    ...['^a', '(?m)^a+$', 'a$', '\\bab?\\b', '\\Ba', '\\p{L}{2,3}', '😀+', '.😀', 'a{2,3}', '(a{1,2}){2}', '\\b'],
  ];
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'A', ' ', '\n', 'é', '😀', '\ud83d', '\ude00', '_'), {
    maxLength: 30,
  });

  it('finds the same in steps and at once', () => {
    fc.assert(
      fc.property(fc.constantFrom(...patterns), text, (pattern, parts) => {
        const whole = parts.join('');
        expect(matchesOf(eachMatchInSteps, pattern, whole).found, pattern).to.deep.equal(
          matchesOf(eachMatch, pattern, whole).found,
        );
      }),
      { numRuns: 2000 },
    );
  });

  for (const [what, pattern, text] of [
    ['without a match', '[xyz][0-9]+y', 'ab 12 '.repeat(100_000)],
    ['with one long match', 'a(.|\n)*z', `a${'b\n'.repeat(100_000)}z`],
    ['with many matches', 'a[0-9]', 'a1 b2 '.repeat(100_000)],
    ['that is tried again at each place', '(a.*b|a)', 'a'.repeat(1000).padEnd(20_000, 'x').repeat(2)],
  ] as const) {
    it(`yields in a long text ${what}`, () => {
      const { steps } = matchesOf(eachMatch, pattern, text);
      expect(steps).to.be.at.least(text.length >> 16);
    });
  }

  it('leaves the automaton to the next search when it is not finished', () => {
    const pattern = compiled('a[0-9]+b');
    const text = 'a1'.repeat(300_000);
    const given = eachMatch(pattern, text, () => undefined);
    given.next();
    const found: Range[] = [];
    atOnce(eachMatch(pattern, `${text}a12b`, (start, end) => void found.push([start, end])));
    given.return();
    expect(found).to.deep.equal([[text.length, text.length + 4]]);
  });
});
