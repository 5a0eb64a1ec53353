import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { generalTypeOf, nameTypes, recognizedTypes } from '../detection/detection.ts';
import { knownTypes } from '../entityTypes.ts';
import { ownTypesOf, presidioTypeOf, reportedTypeOf } from './entityTypes.ts';

describe("the table of Presidio's entity types", () => {
  it('leads from each of our types to the name of Presidio, and back', () => {
    for (const type of [...nameTypes, ...recognizedTypes(), ...knownTypes]) {
      expect(ownTypesOf(presidioTypeOf(type)), type).to.include(generalTypeOf(type));
    }
  });

  it('reports a type under the name with which a caller asks', () => {
    const cases: readonly (readonly [type: string, asked: readonly string[] | undefined, reported: string])[] = [
      ['ADDRESS', undefined, 'LOCATION'],
      ['ADDRESS', ['LOCATION'], 'LOCATION'],
      ['ADDRESS', ['ADDRESS'], 'ADDRESS'],
      ['ADDRESS', ['ADDRESS', 'LOCATION'], 'LOCATION'],
      ['DATE_OF_BIRTH', ['DATE_TIME'], 'DATE_TIME'],
      ['PERSON', ['PERSON'], 'PERSON'],
      ['IBAN_CODE', undefined, 'IBAN_CODE'],
    ];
    for (const [type, asked, reported] of cases) {
      expect(reportedTypeOf(type, asked && new Set(asked)), `${type} ${String(asked)}`).to.equal(reported);
    }
  });

  it('is in docs/presidio.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/presidio.md'), 'utf8');
    const section = page.slice(page.indexOf('## Entity types'), page.indexOf('## Differences'));
    const rows = Array.from(section.matchAll(/^\| `(\w+)` +\| `(\w+)` +\|$/gm), ([, own = '', name = '']) => [
      own,
      name,
    ]);
    const types = new Set([...nameTypes, ...recognizedTypes(), ...knownTypes]);
    const renamed = [...types].map((type) => [type, presidioTypeOf(type)]).filter(([own, name]) => own !== name);
    expect(rows).to.have.deep.members(renamed);
  });
});
