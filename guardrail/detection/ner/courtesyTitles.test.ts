import { expect } from 'chai';
import { followsTitle } from './courtesyTitles.ts';
import { EntityFinder } from './entityFinder.ts';
import { loadNameModels } from './nameModels.ts';
import { Tokens } from './tokens.ts';

/** Whether a title is before the first "Schwarz" of a text. */
function isTitled(text: string): boolean {
  const tokens = new Tokens();
  tokens.read(text);
  const at = tokens.start.indexOf(text.indexOf('Schwarz'));
  return followsTitle(tokens, text, at);
}

describe('followsTitle', () => {
  for (const text of [
    'Mrs. Schwarz flew to Rome.',
    'Ask Mr Schwarz',
    'Bitte an Frau Schwarz.',
    'Bonjour Mme Schwarz',
    'La Sra. Schwarz llamó.',
    'Gentile Sig. Schwarz',
    'Geachte mevrouw Schwarz',
    'Szanowny Panie, pan Schwarz dzwonił',
    'O senhor Schwarz ligou',
    'Hej fru Schwarz',
  ])
    it(`is true in: ${text}`, () => expect(isTitled(text)).to.equal(true));

  for (const text of ['Schwarz', 'Paint it Schwarz', 'Frau\nSchwarz', 'Mrs . Schwarz', 'Frau: Schwarz', '. Schwarz'])
    it(`is false in: ${JSON.stringify(text)}`, () => expect(isTitled(text)).to.equal(false));
});

describe('finding a name behind a title', () => {
  const finder = new EntityFinder(loadNameModels());
  const typesIn = (text: string): string[] => finder.find(text, 'balanced').map(({ type }) => type);

  it('finds a private person who would be doubtful otherwise', () => {
    expect(typesIn('Mrs. Schwarz flew on Sunday.')).to.deep.equal(['PERSON']);
    expect(typesIn('The Schwarz flew on Sunday.')).not.to.include('PERSON');
  });

  it('leaves people whom everybody knows', () => {
    expect(typesIn('Who was Mrs. Dalloway?')).not.to.include('PERSON');
  });
});
