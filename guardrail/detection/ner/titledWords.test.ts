import { expect } from 'chai';
import { createBuiltinDetector } from '../builtinDetector.ts';
import { EntityFinder } from './entityFinder.ts';
import { loadNameModels } from './nameModels.ts';
import { withTitledWords } from './titledWords.ts';

const finder = new EntityFinder(loadNameModels());
function wordsIn(text: string): string[] {
  finder.find(text, 'balanced');
  return withTitledWords(finder.tokens, text, []).map(({ start, end }) => text.slice(start, end));
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

describe('withTitledWords', () => {
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

  for (const [score, type] of [
    [0.6, 'PERSON'],
    [0.7, 'PUBLIC_PERSON'],
  ] as const)
    it(`makes of a public person with the score ${score}: ${type}`, () => {
      const text = 'Bitte Herrn Koch anrufen.';
      finder.find(text, 'balanced');
      const koch = { start: 12, end: 16, type: 'PUBLIC_PERSON', score, detector: 'fixed', rule: 'fixed' };
      expect(withTitledWords(finder.tokens, text, [koch]).map((name) => name.type)).to.deep.equal([type]);
    });
});

const detector = createBuiltinDetector();
async function found(text: string): Promise<string[]> {
  const [spans = []] = await detector.detect([text], { signal: new AbortController().signal });
  return spans.map(({ start, end, type, rule }) => `${text.slice(start, end)} ${type} ${rule}`);
}

describe('names that the model does not propose, in the detector', () => {
  for (const [text, name] of [
    ['Mrs. Window agreed.', 'Window PERSON titledWord'],
    ['Mr. Price and Mrs. Bridge agreed.', 'Bridge PERSON titledWord'],
    ['login: akowal', 'akowal USERNAME accountName'],
  ] as const)
    it(`are found in: ${text}`, async () => expect(await found(text)).to.include(name));

  for (const text of ['Sehr geehrter Herr Präsident,', 'The Mr. Coffee machine'])
    it(`are none in: ${text}`, async () => {
      const rules = (await found(text)).filter((one) => /titledWord|accountName/.test(one));
      expect(rules).to.deep.equal([]);
    });
});
