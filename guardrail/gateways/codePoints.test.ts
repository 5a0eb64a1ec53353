import { expect } from 'chai';
import fc from 'fast-check';
import { trailingCodePoints } from './codePoints.ts';

describe('trailingCodePoints', () => {
  it('counts the code points of the code units, and a split pair as one', () => {
    const CASES: [text: string, units: number, points: number][] = [
      ['', 0, 0],
      ['abc', 0, 0],
      ['abc', 2, 2],
      ['abc', 9, 3],
      ['a\u{1F600}', 2, 1],
      ['a\u{1F600}', 1, 1],
      ['a\u{1F600}b', 2, 2],
      ['a\u{1F600}b', 3, 2],
      ['\ud800', 1, 1],
      ['\udc00\udc00', 1, 1],
    ];
    for (const [text, units, points] of CASES)
      expect(trailingCodePoints(text, units), `${text} ${units}`).to.equal(points);
  });

  it('never counts too few code points: the released text contains no held-back code unit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(30), (text, units) => {
        const points = Array.from(text);
        const shown = points.slice(0, points.length - trailingCodePoints(text, units)).join('');
        const mayShow = text.slice(0, Math.max(0, text.length - units));
        expect(mayShow.startsWith(shown)).to.equal(true);
        expect(mayShow.length - shown.length).to.be.at.most(1);
      }),
    );
  });
});
