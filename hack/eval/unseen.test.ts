import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { kindNames } from '../../guardrail/detection/ner/labels.ts';
import { recognizedTypes } from '../../guardrail/detection/recognizers/recognizers.ts';
import { isInnocent } from './kinds.ts';
import { EITHER } from './profiles.ts';
import { isLong, LONG_FROM, unseenMessages, unseenPrompts, unseenTables, type UnseenText } from './unseen.ts';

const messages = unseenMessages();
const prompts = unseenPrompts();
const shareOf = (part: readonly unknown[], whole: readonly unknown[]): number => part.length / whole.length;
const idsOf = (texts: readonly UnseenText[]): string[] => texts.map(({ id }) => String(id));
const languagesOf = (texts: readonly UnseenText[]): Set<string> => new Set(texts.map(({ language }) => language));

describe('unseen messages', () => {
  it('are at least 500 in 19 languages, half of them in English', () => {
    expect(messages).to.have.length.of.at.least(500);
    expect(languagesOf(messages).size).to.be.at.least(19);
    const english = messages.filter(({ language }) => language === 'en');
    expect(shareOf(english, messages)).to.be.within(0.45, 0.55);
  });

  it('are long in half of the cases', () => {
    expect(shareOf(messages.filter(isLong), messages)).to.be.at.least(0.5);
  });

  it('are innocent in a quarter to a third of the cases, also the long ones', () => {
    expect(shareOf(messages.filter(isInnocent), messages)).to.be.within(1 / 4, 1 / 3);
    const long = messages.filter(isLong);
    expect(shareOf(long.filter(isInnocent), long)).to.be.within(1 / 4, 1 / 3);
  });

  it('have marks, except the innocent ones', () => {
    const wrong = messages.filter((text) => isInnocent(text) !== (text.spans.length === 0));
    expect(idsOf(wrong)).to.deep.equal([]);
  });

  it('have marks of known types, with a value each', () => {
    const known = new Set<string>([...recognizedTypes(), ...kindNames, EITHER]);
    const spans = messages.flatMap((text) => text.spans);
    expect(spans.filter(({ type, start, end }) => !known.has(type) || start >= end)).to.deep.equal([]);
    expect(new Set(spans.map(({ type }) => type)))
      .to.include('ADDRESS')
      .and.to.not.include('LOCATION');
  });
});

describe('unseen everyday prompts', () => {
  it('are at least 300 in 18 languages, without marks', () => {
    expect(prompts).to.have.length.of.at.least(300);
    expect(languagesOf(prompts).size).to.be.at.least(18);
    expect(idsOf(prompts.filter(({ spans, kind }) => spans.length > 0 || kind !== 'prompts'))).to.deep.equal([]);
  });
});

describe('unseen texts', () => {
  const all = [...messages, ...prompts];

  it('occur once, with an id each', () => {
    const bare = all.map(({ text }) => text.toLowerCase().replaceAll(/\s+/g, ' '));
    expect(bare.filter((text, index) => bare.indexOf(text) < index)).to.deep.equal([]);
    expect(new Set(idsOf(all)).size).to.equal(all.length);
  });

  it('have only complete marks', () => {
    expect(idsOf(all.filter(({ text }) => /\[\[|\]\]/.test(text)))).to.deep.equal([]);
  });

  for (const folder of ['messages', 'everyday'])
    it(`in ${folder} state who wrote them, and their licence`, () => {
      const files = new URL(`./unseen/${folder}/`, import.meta.url);
      const heads = readdirSync(files).map((file) => readFileSync(new URL(file, files), 'utf8').split('===', 1)[0]);
      expect(heads.filter((head) => !/^# .*\(Apache-2\.0\)/s.test(head ?? ''))).to.deep.equal([]);
    });
});

describe('tables of the unseen texts', () => {
  const of = (id: string, kind: string, text: string, type?: string): UnseenText => ({ id, kind, text, language: 'en', spans: type === undefined ? [] : [{ start: 0, end: 3, type }] }); // prettier-ignore
  const texts = [
    of('a', 'logs', 'Ada called', 'PERSON'),
    of('b', 'logs', 'K44 expires', 'ID'),
    of('c', 'logs', `1.2 ${'x'.repeat(LONG_FROM)}`, 'IP_ADDRESS'),
    of('d', 'innocent', 'Ohm found a law'),
    of('e', 'prompts', 'Ohm or Volta?'),
  ];
  const finds = new Map([['a', [{ start: 0, end: 3, type: 'PERSON' }]], ['d', [{ start: 0, end: 3, type: 'PERSON' }]]]); // prettier-ignore
  const lines = unseenTables(texts, finds).split('\n');
  const row = (name: string): string => lines.find((line) => line.startsWith(`${name} `))?.replaceAll(/ +/g, ' ') ?? '';

  it('count the values, the identifiers and the altered texts of each language, kind and length', () => {
    expect(row('en')).to.equal('en 3 0.667 1 1.000 1 1.000 1 0.000');
    expect(row('logs').trim()).to.equal('logs 3 0.667 1 1.000');
    expect(row('long').trim()).to.equal('long 1 1.000');
    expect(row('all')).to.equal('all 3 0.667 1 1.000 1 1.000 1 0.000');
  });

  it('count the leaks of each type', () => {
    expect(row('PERSON')).to.equal('PERSON 1 0.000');
    expect(row('ID')).to.equal('ID 1 1.000');
  });

  it('show no text', () => {
    expect(lines.join('\n')).to.not.match(/Ada|K44|Ohm/);
  });
});
