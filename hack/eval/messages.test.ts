import { expect } from 'chai';
import { kindNames } from '../../guardrail/detection/ner/labels.ts';
import { recognizedTypes } from '../../guardrail/detection/recognizers/recognizers.ts';
import { messagesFile, readKinds } from './kinds.ts';
import { trainedNamesIn } from './trainedNames.ts';

const messages = readKinds(messagesFile);
const texts = messages.flatMap((kind) => kind.texts);
const textsPerLanguage = { en: 110, de: 40, fr: 35, es: 35, it: 25, nl: 25, pt: 15, pl: 15, sv: 15 };
/** Words inside names that are no names themselves. */
const particle = /^(?:da|de|der|la|le|van|von)$/i;

describe('realistic messages', () => {
  it('are at least 300, with one section for each kind and language', () => {
    expect(texts).to.have.length.of.at.least(300);
    const ids = texts.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) < index)).to.deep.equal([]);
  });

  it('have all kinds', () => {
    expect([...new Set(messages.map(({ name }) => name))].sort()).to.deep.equal(
      'chat code cv data hr invoice legal logs medical support transcript travel'.split(' '),
    );
  });

  it('have all languages', () => {
    const counts = new Map<string, number>();
    for (const { language, texts: own } of messages) counts.set(language, (counts.get(language) ?? 0) + own.length);
    expect([...counts.keys()].sort()).to.deep.equal(Object.keys(textsPerLanguage).sort());
    for (const [language, least] of Object.entries(textsPerLanguage))
      expect(counts.get(language), language).to.be.at.least(least);
  });

  it('have marks of known types', () => {
    const known = new Set<string>([...recognizedTypes(), ...kindNames]);
    const types = new Set(texts.flatMap(({ spans }) => spans.map(({ type }) => type)));
    expect([...types].filter((type) => !known.has(type))).to.deep.equal([]);
  });

  it('label an address as ADDRESS, and no organisation', () => {
    const types = texts.flatMap(({ spans }) => spans.map(({ type }) => type));
    expect(types).to.include('ADDRESS');
    expect(types).to.not.include('LOCATION');
    expect(types).to.not.include('ORGANIZATION');
  });

  it('have only complete marks', () => {
    expect(texts.filter(({ text }) => /\[\[|\]\]/.test(text)).map(({ id }) => id)).to.deep.equal([]);
  });

  it('contain no person name of the training', () => {
    const names = trainedNamesIn(texts, /[^\p{L}\p{M}'’-]+/u);
    expect(names.filter((word) => !particle.test(word))).to.deep.equal([]);
  });
});
