import { expect } from 'chai';
import fc from 'fast-check';
import { toCodePoints, toUtf16 } from './codePoints.ts';

describe('code points', () => {
  it('count a surrogate pair as one', () => {
    const text = '😀 Anna 👩‍👩‍👧 Bo';
    expect(toUtf16(text)(2)).to.equal(3);
    expect(toCodePoints(text)(3)).to.equal(2);
    expect(text.slice(toUtf16(text)(2), toUtf16(text)(6))).to.equal('Anna');
    expect(toUtf16(text)(999)).to.equal(text.length);
  });

  it('are converted in both directions, also with lone surrogates', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '😀', '\ud83d', 'é', '\ude00') }), (text) => {
        const characters = Array.from(text);
        const utf16 = toUtf16(text);
        const points = toCodePoints(text);
        let at = 0;
        characters.forEach((character, index) => {
          expect(utf16(index)).to.equal(at);
          expect(points(at)).to.equal(index);
          at += character.length;
        });
        expect(points(text.length)).to.equal(characters.length);
      }),
    );
  });
});
