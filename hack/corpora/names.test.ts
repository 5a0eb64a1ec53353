import { expect } from 'chai';
import { givenNames, type NameCounts } from './names.ts';

describe('given names', () => {
  for (const [why, counts, expected] of [
    ['are kept if several lists have them', { saoirse: [20, 10_958] }, ['saoirse']],
    ['are sorted', { tunde: [21, 1207], brais: [8, 6331] }, ['brais', 'tunde']],
    ['are omitted if few lists have them', { etst: [4, 5000] }, []],
    ['are omitted if few people bear them', { etst: [6, 9] }, []],
    ['are kept if they are words and common', { autumn: [20, 137_895] }, ['autumn']],
    ['are omitted if they are words and rare', { house: [6, 999] }, []],
    ['consist of at least three letters', { al: [20, 5000], "d'arcy": [20, 5000], '&amp;me': [9, 99] }, []],
  ] as const satisfies readonly (readonly [string, NameCounts, readonly string[]])[])
    it(why, () => {
      expect(givenNames(counts, new Set(['autumn', 'house']))).to.deep.equal(expected);
    });
});
