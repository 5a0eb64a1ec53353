import { expect } from 'chai';
import fc from 'fast-check';
import { printable } from './log.ts';

describe('printable', () => {
  it('leaves ordinary text unchanged', () => {
    const text = 'Größe “5 €”: 東京, 👩 and a|b.';
    expect(printable(text, 100)).to.equal(text);
  });

  it('escapes characters that a terminal would interpret', () => {
    expect(printable('a\u001b[31mred\u0007\u202e\r\nb\ud800', 100)).to.equal(
      'a\\u{1b}[31mred\\u{7}\\u{202e}\\u{d} b\\u{d800}',
    );
  });

  it('property: the result is printable, within the limit, and unchanged by a second call', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, longest) => {
        const shown = printable(text, longest);
        expect(shown.length).to.be.at.most(longest);
        expect(shown).to.not.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(printable(shown, longest)).to.equal(shown);
      }),
    );
  });
});
