import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { readWordList } from './dawg.ts';
import { gazetteerWords } from './gazetteerWords.ts';
import type { WordLists } from './wordLists.ts';
import { germanNouns, ordinaryWords, wordsCorpus } from './words.ts';

const none = new Set<string>();
const from = (lists: Partial<WordLists['lists']>, names: Partial<WordLists['names']> = {}): WordLists => ({
  lists: { en: [], de: [], es: [], fr: [], it: [], nl: [], pt: [], pl: [], sv: [], ...lists },
  names: {
    given: none,
    ownGiven: { pt: none, pl: none, sv: none },
    family: none,
    allFamily: none,
    largeTowns: none,
    allTowns: none,
    famous: none,
    ...names,
  },
  english: new Set(['house']),
});

describe('ordinary words', () => {
  const all = ['casa', 'Casa', 'CASA'];
  for (const [why, language, list, names, expected] of [
    ['are kept', 'es', all, {}, ['casa']],
    ['require all forms in Spanish', 'es', ['casa', 'Casa'], {}, []],
    ['require one more form in French', 'fr', ['casa', 'CASA'], {}, ['casa']],
    ['require no other form in German', 'de', ['haus'], {}, ['haus']],
    ['exclude English words', 'de', ['house', 'haus'], {}, ['haus']],
    ['exclude given names', 'es', all, { given: new Set(['casa']) }, []],
    ['exclude names of large towns', 'es', all, { largeTowns: new Set(['casa']) }, []],
    ['include names of small towns', 'es', all, { allTowns: new Set(['casa']) }, ['casa']],
    ['exclude names of small towns in Dutch', 'nl', all, { allTowns: new Set(['casa']) }, []],
    ['have at least three letters and a vowel', 'de', ['ab', 'bzw', 'und'], {}, ['und']],
    ['consist of letters only', 'de', ["geht's", 'e-mail', 'b2b', 'und'], {}, ['und']],
  ] as const)
    it(why, () => {
      expect(ordinaryWords(language, from({ [language]: list }, names))).to.deep.equal(expected);
    });

  it('exclude words that are always capitalized in English', () => {
    expect(ordinaryWords('de', from({ de: ['aldi', 'und'], en: ['Aldi', 'und', 'Und'] }))).to.deep.equal(['und']);
  });
});

describe('German nouns', () => {
  for (const [why, list, expected] of [
    ['have an inflected form', ['Tisch', 'Tische'], ['Tisch', 'Tische']],
    ['have a noun ending', ['Zeitung'], ['Zeitung']],
    ['occur in capitals, with ß as SS', ['Fuß', 'FUSS'], ['Fuß']],
    ['exclude words that also occur in lower case', ['Gut', 'gut', 'Gute'], ['Gute']],
    ['exclude words with no form but the capitalized one', ['Anna', 'Bosch'], []],
  ] as const)
    it(why, () => {
      expect(germanNouns(from({ de: list }))).to.deep.equal(expected);
    });

  it('exclude words that are always capitalized in English or Spanish', () => {
    expect(germanNouns(from({ de: ['Bayern', 'BAYERN'], es: ['Bayern'] }))).to.deep.equal([]);
    expect(germanNouns(from({ de: ['Bayern', 'BAYERN'], en: ['Bayern'] }))).to.deep.equal([]);
  });
});

describe('words of the gazetteer', () => {
  const kot = new Set(['kot']);
  for (const [why, language, list, names, expected] of [
    ['are kept', 'pt', ['mesa', 'Mesa'], {}, ['mesa']],
    ['exclude English words', 'pt', ['house', 'mesa'], {}, ['mesa']],
    ['have at most eight letters', 'sv', ['skjortan', 'skjortorna'], {}, ['skjortan']],
    ['have at most ten letters in Polish', 'pl', ['dziewczyna', 'poniedziałek'], {}, ['dziewczyna']],
    ['exclude words without vowel', 'pl', ['mąż', 'html'], {}, ['mąż']],
    ['exclude family names', 'pl', ['kot', 'Kot', 'KOT'], { allFamily: kot }, []],
    ['include family names with a case in lower case', 'pl', ['kot', 'kotem'], { allFamily: kot }, ['kot', 'kotem']],
    ['include names of towns with a plural', 'pl', ['kot', 'kotami'], { largeTowns: kot }, ['kot', 'kotami']],
    ['include names of small towns', 'pl', ['kot'], { allTowns: kot }, ['kot']],
    ['exclude given names, with a case too', 'pl', ['kot', 'kotem'], { given: kot }, ['kotem']],
    ['include given names with a plural', 'pl', ['kot', 'kotami'], { given: kot }, ['kot', 'kotami']],
    [
      'exclude all given names of the language',
      'pl',
      ['kot', 'kotami'],
      { ownGiven: { pt: none, pl: kot, sv: none } },
      ['kotami'],
    ],
    ['exclude short given names', 'pl', ['krysia', 'krysiami'], {}, ['krysiami']],
    ['exclude words whose cases are always capitalized', 'pl', ['litwa', 'Litwa', 'Litwą'], {}, []],
    ['do not count a given name as a case', 'sv', ['mart', 'marta'], { allFamily: new Set(['mart']), given: new Set(['marta']) }, []], // prettier-ignore
  ] as const)
    it(why, () => {
      expect(gazetteerWords(language, from({ [language]: list }, names))).to.deep.equal(expected);
    });
});

describe('corpus of words', () => {
  it('has one entry per list', () => {
    const corpus = wordsCorpus(from({ de: ['und', 'oder', 'Zeitung'], fr: ['maison', 'Maison'], pl: ['kuchnia'] }));
    expect(corpus.split('\0')).to.deep.equal([
      'de\toder und',
      'es\t',
      'fr\tmaison',
      'it\t',
      'nl\t',
      'de-nouns\tZeitung',
      'pt\t',
      'pl\tkuchnia',
      'sv\t',
    ]);
  });
});

describe("Tesseract's word lists", () => {
  // English is the only language data among the project's dependencies.
  it('are read from the language data', () => {
    const folder = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'));
    const words = new Set(readWordList(readFileSync(join(folder, '4.0.0_best_int/eng.traineddata.gz'))));
    expect(words.size).to.equal(338_080);
    for (const word of ['house', 'House', 'HOUSE', 'London', "Catlett's"]) expect(words.has(word), word).to.equal(true);
    expect(words.has('huose')).to.equal(false);
  });
});
