import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { allLocales } from '@faker-js/faker';
import { partOf, towns } from '../lexicon.ts';
import { namePools } from '../namePools.ts';
import { templateFiles } from '../templates.ts';
import { heldOutTexts, parseHeldOutTemplates, readHeldOutTemplates } from './heldOut.ts';
import { heldOutNames } from './names.ts';

const training = join(import.meta.dirname, '..');
const templates = readHeldOutTemplates();
const texts = heldOutTexts();
const trained = templateFiles('*').map(({ path }) => ({ path, text: readFileSync(path, 'utf8') }));

/** All runs of `length` words. Placeholders and punctuation end a run. */
function runs(text: string, length: number): Set<string> {
  const found = new Set<string>();
  for (const stretch of text.toLowerCase().split(/\{[^}]*\}|\\n|\\t|[^\p{L}\p{M}' ’-]+/u)) {
    const words = stretch.split(' ').filter((word) => word !== '');
    for (let at = 0; at + length <= words.length; at++) found.add(words.slice(at, at + length).join(' '));
  }
  return found;
}

describe('held-out set', () => {
  it('has the same number of templates in each language, in many registers', () => {
    const byLanguage = Map.groupBy(templates, ({ language }) => language);
    expect([...byLanguage.keys()].sort()).to.deep.equal(Object.keys(heldOutNames).sort());
    expect(templates.length).to.be.at.least(60);
    for (const [language, group] of byLanguage) {
      expect(group.length, language).to.equal(templates.length / byLanguage.size);
      expect(new Set(group.map(({ register }) => register)).size, language).to.be.at.least(12);
    }
  });

  it('shares no five words in a row with the templates of training and of the development set', () => {
    const own = new Set(templates.flatMap(({ template }) => [...runs(template, 5)]));
    const shared = trained.flatMap(({ path, text }) =>
      [...runs(text, 5)].filter((run) => own.has(run)).map((run) => `${path}: ${run}`),
    );
    expect(shared).to.deep.equal([]);
  });

  it('contains no person or town of training or the development set', () => {
    const own = Object.values(heldOutNames).flatMap(({ given = [], family = [] }) => [...given, ...family]);
    const people = new Map(
      namePools.flatMap(({ given, family }) => [...given, ...family]).map((name) => [name.toLowerCase(), partOf(name)]),
    );
    for (const name of own) if (!people.has(name.toLowerCase())) people.set(name.toLowerCase(), 'heldOut');
    const townParts = new Map(towns.map(({ name }) => [name.toLowerCase(), partOf(name)]));
    /** Whether the words split into names that are all held out. A list entry may have several words. */
    const isHeldOut = (words: readonly string[]): boolean =>
      words.length === 0 ||
      words.some(
        (_, at) => people.get(words.slice(0, at + 1).join(' ')) === 'heldOut' && isHeldOut(words.slice(at + 1)),
      );
    let count = 0;
    const taken = texts.flatMap(({ text, spans }) =>
      spans.flatMap(({ kind, start, end }) => {
        const value = text.slice(start, end).toLowerCase();
        if (kind !== 'PERSON' && kind !== 'LOCATION') return [];
        count++;
        const isFine = kind === 'PERSON' ? isHeldOut(value.split(/,? /)) : townParts.get(value) === 'heldOut';
        return isFine ? [] : [value];
      }),
    );
    expect(count).to.be.above(3000);
    expect(taken).to.deep.equal([]);
  });

  it('contains only organisations and streets that training does not use', () => {
    const known = [
      ...globSync(['*.ts', 'languages/*/*.ts'], { cwd: training }).map((file) =>
        readFileSync(join(training, file), 'utf8'),
      ),
      JSON.stringify(allLocales),
      ...trained.map(({ text }) => text),
    ].join('\n');
    const own = Object.values(heldOutNames).flatMap(({ organizations, streets }) => [
      ...organizations,
      ...streets.map((street) => street.replace('#', '').replace(/^[ ,]+|[ ,]+$/g, '')),
    ]);
    expect(own.filter((name) => known.includes(name))).to.deep.equal([]);
  });

  it('labels values exactly', () => {
    for (const { id, text, spans } of texts) {
      expect(text, id).to.not.match(/\{\w+[#|\w]*\}/);
      for (const { start, end } of spans)
        expect(text.slice(start, end).trim(), id).to.equal(text.slice(start, end)).and.not.equal('');
    }
  });

  it('is deterministic', () => {
    expect(heldOutTexts()).to.deep.equal(texts);
  });

  it('rejects a malformed line', () => {
    expect(() => parseHeldOutTemplates('en', 'letter\tDear {per}\n\nletter Dear {per}\n')).to.throw(/^Line 3 /);
    expect(() => parseHeldOutTemplates('en', '\tDear {per}')).to.throw(/^Line 1 /);
  });
});
