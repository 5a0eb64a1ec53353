import { expect } from 'chai';
import { EntityFinder } from './entityFinder.ts';
import { loadNameModels } from './nameModels.ts';
import { spelledNames } from './spelledNames.ts';

const finder = new EntityFinder(loadNameModels());
function spelledIn(text: string, names: readonly string[]): string[] {
  finder.find(text, 'balanced');
  return spelledNames(finder.tokens, text, () => new Set(names)).map(({ start, end }) => text.slice(start, end));
}

const spelled: readonly [text: string, names: readonly string[], found: readonly string[]][] = [
  ['Zorblat, Z-O-R-B-L-A-T, Ezekiel', ['zorblat'], ['Z-O-R-B-L-A-T']],
  ['Müller: M. Ü. L. L. E. R.', ['müller'], ['M. Ü. L. L. E. R']],
  ['first name J O H A N N A', [], ['J O H A N N A']],
  ['N-O-V-Á-K and K-O-W-A-L-S-K-I', [], ['N-O-V-Á-K', 'K-O-W-A-L-S-K-I']],
];
const others: readonly string[] = [
  'the U.S.A. and the N-A-T-O',
  'Z-O-R-B-L-A-T',
  'points A, B, C, D',
  'I-I-I-I, A B C D E F',
  'X O H A\nN N A',
  'P-O-W-E-R',
  'A',
  '',
];

describe('spelledNames', () => {
  for (const [text, names, found] of spelled) {
    it(`finds ${found.join(' and ')} in: ${text}`, () => {
      expect(spelledIn(text, names)).to.deep.equal(found);
    });
  }
  for (const text of others) {
    it(`finds none in: ${JSON.stringify(text)}`, () => {
      expect(spelledIn(text, [])).to.deep.equal([]);
    });
  }
});
