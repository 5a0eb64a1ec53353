import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';

const kinds = ['ID', 'USERNAME', 'PASSWORD', 'DATE_OF_BIRTH', 'PHONE_NUMBER', 'LICENSE_PLATE'];
const names = ['date', 'day', 'year', 'time', 'handle', 'secret', 'phone', 'plate', 'word', 'given', 'family'];

const files = (folder: string): string[] => globSync(`${folder}/*.txt`, { cwd: import.meta.dirname }).sort();
const textOf = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
const linesOf = (file: string): string[] =>
  textOf(file)
    .split('\n')
    .filter((line) => line !== '');
const labelOf = (line: string): string => line.split(' | ')[0]?.toLowerCase() ?? '';
describe('training values', () => {
  for (const file of [...files('labels'), ...files('twins')])
    it(`${file} has forms with known placeholders, and no line that starts or ends with a space`, () => {
      for (const line of linesOf(file)) {
        expect(line.trim()).to.equal(line);
        for (const form of line.split(' | ').slice(1))
          for (const [, name] of form.matchAll(/\{(.*?)\}/g)) expect(names, line).to.include(name);
      }
    });

  for (const file of files('labels'))
    it(`${file} has known kinds, and no label twice or also in the twins`, () => {
      const lines = linesOf(file);
      const headings = lines.filter((line) => line.startsWith('# '));
      expect(headings).to.deep.equal(kinds.map((kind) => `# ${kind}`));
      const twins = new Set(linesOf(`twins/${basename(file)}`).map(labelOf));
      const labels = lines.filter((line) => !line.startsWith('# ')).map(labelOf);
      expect(labels.filter((label) => twins.has(label))).to.deep.equal([]);
      for (const part of `\n${textOf(file)}`.split('\n# ').slice(1)) {
        const labelsOfKind = part
          .split('\n')
          .slice(1)
          .filter((line) => line !== '')
          .map(labelOf);
        expect(labelsOfKind.filter((label, index) => labelsOfKind.indexOf(label) !== index)).to.deep.equal([]);
      }
    });
});
