import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createBuiltinDetector } from './builtinDetector.ts';
import { recognizedRules, recognizersFor } from './recognizers/recognizers.ts';
import { boundedRule, rulesOfNames } from './rules.ts';

const { signal } = new AbortController();

/** Texts with a value, and the rule that finds it. */
const texts: readonly (readonly [text: string, value: string, rule: string])[] = [
  ['Pay to DE89 3704 0044 0532 0130 00 today.', 'DE89 3704 0044 0532 0130 00', 'iban'],
  ['My IBAN: DE89 3704 0044 0532 0130 01', 'DE89 3704 0044 0532 0130 01', 'iban.label'],
  ['Call +49 170 1234567 now.', '+49 170 1234567', 'phone.form'],
  ['phone: 5551234567', '5551234567', 'phone.label'],
  ['password=hunter2!A', 'hunter2!A', 'secret.assigned'],
  ['see /home/jdoe7/notes.txt', 'jdoe7', 'username.homeFolder'],
  ['Please call Margaret Whitfield about the invoice.', 'Margaret Whitfield', 'model.person'],
];

describe('rules', () => {
  for (const [text, value, rule] of texts) {
    it(`says ${rule} for ${value}`, async () => {
      const [spans = []] = await createBuiltinDetector().detect([text], { signal });
      const found = spans.find(({ start, end }) => text.slice(start, end) === value);
      expect(found?.rule).to.equal(rule);
    });
  }

  it('have ids of one form, each of one recognizer', () => {
    const declared = recognizersFor().flatMap(({ rule, otherRules = [] }) => [rule, ...otherRules]);
    for (const rule of [...declared, ...rulesOfNames])
      expect(rule).to.match(/^[a-z][A-Za-z0-9]*(?:\.[a-z][A-Za-z0-9]*){0,2}$/);
    // One for each language.
    const single = declared.filter((rule) => !rule.includes('.unspaced'));
    expect(single.filter((rule, at) => single.indexOf(rule) !== at)).to.deep.equal([]);
  });

  it('are all declared: each id in the code of detection is one of the lists', () => {
    const known = new Set([...recognizedRules(), ...rulesOfNames]);
    const folder = new URL('./', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/^(?:training|testing)\//.test(file),
    );
    const used = files.flatMap((file) =>
      Array.from(readFileSync(new URL(file, folder), 'utf8').matchAll(/\brule: '([^']+)'/g), ([, rule = '']) => rule),
    );
    expect(used.length).to.be.greaterThan(80);
    expect(used.filter((rule) => !known.has(rule))).to.deep.equal([]);
  });

  it('are bounded for metrics, whatever policies and servers name', () => {
    expect(['custom:Anna', 'deny-list:STAFF', 'presidio:Spacy', 'phone.label'].map(boundedRule)).to.deep.equal([
      'custom',
      'deny-list',
      'presidio',
      'phone.label',
    ]);
  });
});
