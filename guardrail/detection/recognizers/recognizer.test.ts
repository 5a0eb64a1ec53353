import { expect } from 'chai';
import fc from 'fast-check';
import { afterPrefix, type Near } from './recognizer.ts';
import { textStatsOf } from './textStats.ts';

/** The values behind a prefix, each with its place. */
function found(text: string, pattern: RegExp, near?: Near): string[] {
  const stats = textStatsOf(text);
  const recognizer = afterPrefix({ type: 'USERNAME', rule: 'test', pattern, score: 1, ...(near && { near }) });
  const values: string[] = [];
  if (recognizer.mayMatch(stats)) {
    recognizer.find(text, (start, end) => values.push(`${start} ${text.slice(start, end)}`), stats);
  }
  return values;
}

describe('recognizers of values behind a prefix', () => {
  const cases: readonly [what: string, pattern: RegExp, near: Near][] = [
    ['a sign', /(by: )(\w+)(?= <)/g, { sign: ' <' }],
    ['a keyword', /(TODO\()(\w+)(?=\))/g, { keyword: 'assignee' }],
  ];
  for (const [what, pattern, near] of cases) {
    it(`property: find the same on the lines with ${what} as in the whole text`, () => {
      const part = fc.constantFrom('by: ', 'ann', 'bob <', ' <', 'TODO(', ')', '\n', '\n\n', ' ', 'x');
      fc.assert(
        fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
          const text = parts.join('');
          expect(found(text, pattern, near)).to.deep.equal(found(text, pattern));
        }),
        { numRuns: 1000 },
      );
    });
  }

  it('find values on several lines', () => {
    expect(
      found('by: ann <a>\n\nTODO(x) by: bob <b> by: cy <c>\nby: dan', /(by: )(\w+)(?= <)/g, { sign: ' <' }),
    ).to.deep.equal(['4 ann', '25 bob', '37 cy']);
  });
});
