import { expect } from 'chai';
import fc from 'fast-check';
import { WordPhrases, type WordPhraseOptions } from './wordPhrases.ts';

function foundIn(text: string, phrase: string, options: Partial<WordPhraseOptions> = {}): string[] {
  const phrases = new WordPhrases<true>({ exact: false, between: 'anything', ...options });
  phrases.add(phrase, true);
  const found: string[] = [];
  phrases.find(text, (start, end) => found.push(text.slice(start, end)));
  return found;
}

describe('a phrase between whose words anything may stand', () => {
  const cases: readonly (readonly [phrase: string, text: string, found: readonly string[]])[] = [
    ['Project Nightjar', 'the Project Nightjar.', ['Project Nightjar']],
    ['Project Nightjar', 'PROJECT  NIGHTJAR', ['PROJECT  NIGHTJAR']],
    ['Project Nightjar', 'project\r\n    nightjar', ['project\r\n    nightjar']],
    ['Project Nightjar', 'a project-nightjar_plan', ['project-nightjar']],
    ['Project Nightjar', 'project_nightjar, ProjectNightjar', ['project_nightjar', 'ProjectNightjar']],
    [
      'Project Nightjar',
      '**Project** *Nightjar* and Project\u2011Nightjar',
      ['Project** *Nightjar', 'Project\u2011Nightjar'],
    ],
    ['Project Nightjar', "Project Nightjars, Project Nightjar's", ['Project Nightjars', 'Project Nightjar']],
    ['Project Nightjar', 'Project Nightjaru, xProject Nightjar, project nights', []],
    ['Project-Nightjar', 'Project Nightjar', ['Project Nightjar']],
    ['Secret Box', 'secret boxes', ['secret boxes']],
    ['Blue Factory', 'the blue factories', ['blue factories']],
    ['Mr', 'Mr and Mrs', ['Mr']],
    ['Smith & Wesson', 'Smith&Wesson, Smith  &\nWesson, Smith Wesson', ['Smith&Wesson', 'Smith  &\nWesson']],
    ['C++', 'C++ or C', ['C++']],
    ['AT&T', 'AT & T, at t', ['AT & T']],
    ['Łódź Plan', 'LODZ plan', ['LODZ plan']],
    ['ab cd', 'ab cd-ef', ['ab cd']],
    ['--', 'a -- b', ['--']],
  ];
  for (const [phrase, text, found] of cases) {
    it(`finds ${JSON.stringify(phrase)} in ${JSON.stringify(text)}: ${JSON.stringify(found)}`, () => {
      expect(foundIn(text, phrase)).to.deep.equal(found);
    });
  }

  const word = fc.stringMatching(/^[a-zA-Z0-9äöéñА-я]{1,12}$/);
  const separator = fc.string({
    unit: fc.constantFrom(...Array.from(' \t\n\r-_.,;:/\\|*•–—\u00a0&+=(){}[]<>"\'#~`')),
    maxLength: 64,
  });

  it('is found with any separators between its words', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 6 }), (parts) => {
        const phrase = parts.map(([one]) => one).join(' ');
        const text = parts.map(([one, after], at) => (at + 1 < parts.length ? one + after : one)).join('');
        expect(foundIn(`to ${text}, and`, phrase)).to.include(text);
      }),
    );
  });

  it('keeps its case if that counts', () => {
    const find = (text: string): string[] => foundIn(text, 'Will Power', { exact: true });
    expect(find('WillPower, Will-Powers, will power, Will power')).to.deep.equal(['WillPower', 'Will-Powers']);
  });

  it('is the longest of several, in one text with phrases that differ in a gap', () => {
    const phrases = new WordPhrases<string>({ exact: false, between: 'anything' });
    for (const each of ['note book', 'notebook case', 'note', 'book case']) phrases.add(each, each);
    const found: string[] = [];
    phrases.find('notebook case, note-book, notes', (start, end, value) => found.push(`${value} ${start} ${end}`));
    expect(found).to.deep.equal(['notebook case 0 13', 'note book 15 24', 'note 26 31']);
  });

  it('is found in linear time where every word is a beginning', () => {
    const found = foundIn('a '.repeat(20_000), 'a a a a a a a a a a b');
    expect(found).to.deep.equal([]);
  });
});

describe('a phrase between whose words white space may stand', () => {
  it('is the whole text, with any white space, and no other', () => {
    const phrases = new WordPhrases<true>({ exact: false, between: 'whiteSpace' });
    phrases.add('Anna Schmidt', true);
    const equal = [
      'Anna Schmidt',
      'ANNA\n schmidt',
      'Anna\u00a0Schmidt',
      'Anna-Schmidt',
      'AnnaSchmidt',
      'Anna Schmidts',
    ];
    expect(equal.map((text) => phrases.get(text) ?? false)).to.deep.equal([true, true, true, false, false, false]);
  });
});
