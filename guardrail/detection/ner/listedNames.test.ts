import { expect } from 'chai';
import { EntityFinder } from './entityFinder.ts';
import { loadNameModels } from './nameModels.ts';

const finder = new EntityFinder(loadNameModels());
const persons = (text: string): string[] =>
  finder
    .find(text, 'balanced')
    .filter(({ type }) => type === 'PERSON')
    .map(({ start, end }) => text.slice(start, end));

describe('names in a list', () => {
  for (const [text, names] of [
    ['Our three founders are Rudi, Jackson and Campos.', ['Rudi', 'Jackson', 'Campos']],
    ['They had 6: Matheus, Janet, Nicholas, Kevin, Brittany and Terri.', ['Matheus', 'Janet', 'Nicholas', 'Kevin', 'Brittany', 'Terri']], // prettier-ignore
    ['Stipo Marinović, Belle Bagy and Iwase were seen there.', ['Stipo Marinović', 'Belle Bagy', 'Iwase']],
    ['Leone and Martin are meeting Patricia Lewis in Filorsi next Friday.', ['Leone', 'Martin', 'Patricia Lewis']],
    ['Contacter Zacharie ou Rym au 02 61 91 33 58.', ['Zacharie', 'Rym']],
    ['Eingeladen sind Jochen Krüger, Swantje Petersen und Worms.', ['Jochen Krüger', 'Swantje Petersen', 'Worms']],
    ['Namens de familie: Mara en Alok, Heemstede.', ['Mara', 'Alok']],
  ] as const)
    it(`finds them in: ${text}`, () => expect(persons(text)).to.deep.equal(names));

  for (const [what, text, names] of [
    ['a place beside one person', 'Write a poem about Chioma Okafor and Berlin.', ['Chioma Okafor']],
    ['an organisation', 'We called Chioma Okafor, Jochen Krüger and Microsoft.', ['Chioma Okafor', 'Jochen Krüger']],
    ['an address', 'Chioma Okafor, Jochen Krüger and 12 Rosewood Lane', ['Chioma Okafor', 'Jochen Krüger']],
    ['two places', 'Chioma Okafor saw Rome, Paris and London.', ['Chioma Okafor']],
    ['a list without a person', 'They moved from Rome, Paris and Toledo.', []],
    ['public people', 'Chioma Okafor likes Mozart and Beethoven.', ['Chioma Okafor']],
    ['places behind people', 'Jochen Krüger, Berlin, Swantje Petersen, Hamburg', ['Jochen Krüger', 'Swantje Petersen']],
  ] as const)
    it(`leaves ${what}`, () => expect(persons(text)).to.deep.equal(names));
});
