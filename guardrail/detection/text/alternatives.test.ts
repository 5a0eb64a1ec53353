import { expect } from 'chai';
import { alternativesOf } from './alternatives.ts';

describe('alternativesOf', () => {
  const table: Readonly<Record<string, readonly string[]>> = {
    '': [''],
    'a|b': ['a', 'b'],
    'a(?:b|c)|d': ['a(?:b|c)', 'd'],
    'a[b|c]|(?<!e|f)g': ['a[b|c]', '(?<!e|f)g'],
    '[)(|]|[(]a|b': ['[)(|]', '[(]a', 'b'],
    [String.raw`a\|b|c\(|d`]: [String.raw`a\|b`, String.raw`c\(`, 'd'],
    [String.raw`a[\]|(]|b`]: [String.raw`a[\]|(]`, 'b'],
  };
  for (const [source, alternatives] of Object.entries(table)) {
    it(`splits ${source}`, () => {
      expect(alternativesOf(source)).to.deep.equal(alternatives);
    });
  }
});
