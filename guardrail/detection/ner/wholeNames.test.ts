import { expect } from 'chai';
import { EntityFinder } from './entityFinder.ts';
import { loadNameModels } from './nameModels.ts';

const finder = new EntityFinder(loadNameModels());
const persons = (text: string): string[] =>
  finder
    .find(text, 'balanced', { isPersonal: true })
    .filter(({ type }) => type === 'PERSON')
    .map(({ start, end }) => text.slice(start, end));

describe('the parts of a name', () => {
  for (const [what, text, names] of [
    ['an initial before it', 'The share code was checked by C. Ashdown.', ['C. Ashdown']],
    ['two initials', 'Signed by J. R. Ghorbani', ['J. R. Ghorbani']],
    ['a given name and an initial', 'The Vide A. Persson version', ['Vide A. Persson']],
    ['an initial behind it', 'Inscrits au yoga :\n- Solenne\n- Rozenn B.\n- Mme Cazeneuve', ['Solenne', 'Rozenn B', 'Cazeneuve']], // prettier-ignore
    ['"van der"', 'Could you ask Sveinhildur whether van der Rest already signed?', ['Sveinhildur', 'van der Rest']],
    ['"van den"', 'verwezen door huisarts van den Heuvel te Deventer', ['van den Heuvel']],
    ['small letters', 'i talked with flynn roeterdink yesterday', ['flynn roeterdink']],
  ] as const)
    it(`include ${what}`, () => expect(persons(text)).to.deep.equal(names));

  for (const [what, text, names] of [
    ['an ordinary word before an initial', 'Regards F. Ghorbani', ['F. Ghorbani']],
    ['an initial on the line before', 'Vitamin C.\nGhorbani', ['Ghorbani']],
    ['"of" and an article', 'Ich habe das von der Sofie Holzapfel bekommen.', ['Sofie Holzapfel']],
    ['one particle', 'een brief van Ottokar Ghorbani', ['Ottokar Ghorbani']],
    ['an ordinary word in small letters', 'i saw flynn yesterday', ['flynn']],
    ['a verb behind a word that can be a name', 'i asked may contribute to it', ['may']],
    ['laughter', 'i saw flynn hahahaha', ['flynn']],
    ['the next sentence', 'I met Ottokar. B. stands for a name.', ['Ottokar']],
  ] as const)
    it(`do not include ${what}`, () => expect(persons(text)).to.deep.equal(names));
});
