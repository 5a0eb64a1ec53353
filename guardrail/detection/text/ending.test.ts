import { expect } from 'chai';
import fc from 'fast-check';
import { endsWith } from './ending.ts';

describe('endsWith', () => {
  const sources = [
    String.raw`(?<![\p{L}\p{N}])(?:in|bei|near|à)\s?`,
    String.raw`(?<![\p{L}\p{N}])(?:town|home ?town)["']?\s?[:=>]\s?["']?`,
    String.raw`(?:my|l['’])(?:\s|(?<=['’]))`,
    '',
  ];

  it('finds what the pattern with an end finds', () => {
    const part = fc.constantFrom(
      'in',
      'bei',
      'à',
      'my',
      'l’',
      'home',
      'town',
      ' ',
      ':',
      '"',
      '\n',
      'x',
      '😀',
      '\ud83d',
    );
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.constantFrom(...sources), text, (source, written) => {
        expect(endsWith(source, 'u')(written)).to.equal(new RegExp(`(?:${source})$`, 'u').test(written));
      }),
    );
  });
});
