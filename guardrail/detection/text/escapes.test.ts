import { expect } from 'chai';
import fc from 'fast-check';
import { withoutEscapedQuotes, withoutEscapedSpace } from './escapes.ts';

describe('escapes', () => {
  const texts: readonly (readonly [string, string])[] = [
    ['a\\nAnna', 'a \nAnna'],
    ['a\\\\nAnna', 'a  \nAnna'],
    ['a\\r\\n\\tb', 'a   \n  b'],
    ['\\"a\\"', '\\"a\\"'],
    [
      '$\\nabla \\theta \\rho$, \\text{a}, \\newcommand{\\tau}',
      '$\\nabla \\theta \\rho$, \\text{a}, \\newcommand{\\tau}',
    ],
    ['\\newton', ' \newton'],
    ['in C:\\new\\test\\readme.txt', 'in C:\\new\\test\\readme.txt'],
    ['/\\d\\w\\s/', '/\\d\\w\\s/'],
  ];
  for (const [text, expected] of texts) {
    it(`of white space are replaced: ${JSON.stringify(text)}`, () => {
      expect(withoutEscapedSpace(text)).to.equal(expected);
    });
  }

  it('leave all other characters and their offsets unchanged', () => {
    const part = fc.constantFrom('\\', 'n', 'r', 't', 'a', ' ', '"', 'C:', 'nabla', '😀', '\n');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join('');
        const read = withoutEscapedSpace(text);
        expect(read).to.have.length(text.length);
        for (let at = 0; at < text.length; at++) {
          if (read[at] !== text[at]) expect(`${text[at] ?? ''}${read[at] ?? ''}`).to.match(/^[\\nrt][ \n]$/);
        }
      }),
    );
  });

  it('of quotes are removed for context words', () => {
    expect(withoutEscapedQuotes('\\"cvv\\":\\\\\\"')).to.equal('"cvv":"');
    expect(withoutEscapedQuotes('a\\nb')).to.equal('a\\nb');
  });
});
