import { expect } from 'chai';
import fc from 'fast-check';
import { candidatesOf } from './candidates.ts';
import { loadNameModels } from './nameModels.ts';
import { Tagger } from './tagger.ts';

const { model, gazetteer } = loadNameModels();
const tagger = new Tagger(model, gazetteer);

const candidatesIn = (text: string): string[] =>
  candidatesOf(tagger, text).map(({ first, last }) =>
    text.slice(tagger.tokens.start[first] ?? 0, tagger.tokens.end[last] ?? 0),
  );

describe('candidates', () => {
  for (const [what, text, candidate] of [
    ['a given and a family name', 'ask Anna Schmidt about it', 'Anna Schmidt'],
    ['words between two parts of a name', "I met Wytske van 't Veer there", "Wytske van 't Veer"],
    ['a part in small letters behind a hyphen', 'Her brother Jae-won has not been there.', 'Jae-won'],
    ['a street and its town', 'Send it to 12 Rosewood Lane, Leeds LS1 4DY.', '12 Rosewood Lane, Leeds LS1 4DY'],
    ['a name in small letters', 'ask tunde about it', 'tunde'],
    ['an unknown name', 'Please call Ollerenshaw.', 'Ollerenshaw'],
  ] as const)
    it(`include ${what}`, () => {
      expect(candidatesIn(text)).to.include(candidate);
    });

  it('do not extend over a line end, except addresses', () => {
    for (const candidate of candidatesIn('- bread, Coca-Cola\n- Macarena\n- Brais\nAnna\nSchmidt'))
      expect(candidate).to.not.match(/\n/);
  });

  it('are disjoint and in the order of the text', () => {
    const word = fc.constantFrom(
      'Anna',
      'Maria',
      'Max',
      'Age',
      'Schmidt',
      'van',
      "'t",
      'won',
      'Jae',
      'Berlin',
      'Acme',
      '12',
      'tunde',
      'the',
    );
    const join = fc.constantFrom(' ', '-', '-', ', ', '\n', "'", '. ');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, join), { maxLength: 20 }), (words) => {
        let end = -1;
        for (const { first, last } of candidatesOf(tagger, words.flat().join(''))) {
          expect(first).to.be.above(end);
          expect(last).to.be.at.least(first);
          end = last;
        }
      }),
      { numRuns: 500 },
    );
  });
});
