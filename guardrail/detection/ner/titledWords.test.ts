import { expect } from 'chai';
import { EntityFinder } from './entityFinder.ts';
import { loadNameModels } from './nameModels.ts';
import { titledWords } from './titledWords.ts';

const finder = new EntityFinder(loadNameModels());
function wordsIn(text: string): string[] {
  finder.find(text, 'balanced');
  return titledWords(finder.tokens, text).map(({ start, end }) => text.slice(start, end));
}

const titled: readonly [text: string, names: readonly string[]][] = [
  ['Bitte Herrn Winter anrufen.', ['Winter']],
  ['Frau Prof. Dr. Sommer hat Sprechstunde.', ['Sommer']],
  ['Mr. Price and Mrs. Winter agreed.', ['Price', 'Winter']],
  ['Mme Petit est absente.', ['Petit']],
  ['La Sra. Flores vive aquí.', ['Flores']],
  ['Dhr. Bakker belde.', ['Bakker']],
  ['Herrn Winter Bescheid geben', ['Winter']],
];
const others: readonly string[] = [
  'Sehr geehrter Herr Präsident, sehr geehrte Frau Ministerin,',
  'Mr. President, Mr. Speaker',
  'Señor Presidente, gracias. Signor Presidente!',
  'the Miss Universe of 1990 flew with Pan American',
  'it takes 12 ms. Then it adds 3 ms',
  'We need a Sr. Product Manager and a Sr Software Engineer.',
  'The Mr. Coffee machine',
  'Herr der Fliegen, Frau im Mond',
  'Winter is here. Mr\nWinter',
  'DNA. Winter is here',
  '',
];

describe('titledWords', () => {
  for (const [text, names] of titled) {
    it(`finds ${names.join(' and ')} in: ${text}`, () => {
      expect(wordsIn(text)).to.deep.equal(names);
    });
  }
  for (const text of others) {
    it(`finds none in: ${JSON.stringify(text)}`, () => {
      expect(wordsIn(text)).to.deep.equal([]);
    });
  }
});
