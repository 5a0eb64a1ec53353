import { expect } from 'chai';
import { thresholds, type Thresholds } from './thresholds.ts';

/** All thresholds in one order. */
const numbersOf = ({ unproposed, values, ...others }: Thresholds): number[] =>
  [others, unproposed.PERSON, unproposed.ADDRESS, values].flatMap((group) =>
    Object.values(group as Readonly<Record<string, number>>),
  );

describe('thresholds', () => {
  const { precise, balanced, thorough } = thresholds;
  for (const [what, higher, lower] of [
    ['a higher recall, alone', precise.alone, balanced.alone],
    ['a higher recall, beside', precise.beside, balanced.beside],
    ['the highest recall, alone', balanced.alone, thorough.alone],
    ['the highest recall, beside', balanced.beside, thorough.beside],
    ['private values beside, precise', precise.alone, precise.beside],
    ['private values beside, balanced', balanced.alone, balanced.beside],
    ['private values beside, thorough', thorough.alone, thorough.beside],
  ] as const)
    it(`are nowhere higher with ${what}`, () => {
      const before = numbersOf(higher);
      expect(before).to.have.length(17);
      numbersOf(lower).forEach((number, at) => expect(number).to.be.at.most(before[at] ?? -Infinity));
    });
});
