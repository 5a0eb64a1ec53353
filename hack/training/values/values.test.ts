import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';

const kinds = ['ID', 'USERNAME', 'PASSWORD', 'DATE_OF_BIRTH', 'PHONE_NUMBER', 'LICENSE_PLATE'];
const marks = [...kinds, 'P', 'ADDRESS', 'EMAIL_ADDRESS'];
const names = ['date', 'day', 'year', 'time', 'handle', 'secret', 'phone', 'plate', 'word', 'given', 'family'];

const files = (folder: string): string[] => globSync(`${folder}/*.txt`, { cwd: import.meta.dirname }).sort();
const textOf = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
const linesOf = (file: string): string[] =>
  textOf(file)
    .split('\n')
    .filter((line) => line !== '');
const labelOf = (line: string): string => line.split(' | ')[0]?.toLowerCase() ?? '';
const messagesOf = (file: string): string[] =>
  textOf(file)
    .split(/^---$/m)
    .map((message) => message.trim());

/** Marks of a message, each with its kind. */
const marksOf = (message: string): { kind: string; value: string }[] =>
  [...message.matchAll(/\[([A-Z_]+) ([^[\]\n]+)\]/g)].map(([, kind = '', value = '']) => ({ kind, value }));

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

  for (const file of files('messages')) {
    it(`${file} has complete marks of known kinds`, () => {
      for (const message of messagesOf(file)) {
        expect(message.length, message).to.be.within(60, 1400);
        const openings = message.match(new RegExp(`\\[(?:${marks.join('|')}) `, 'g')) ?? [];
        const complete = marksOf(message).filter(({ kind }) => marks.includes(kind));
        expect(complete.length, message).to.equal(openings.length);
        for (const { kind, value } of marksOf(message)) {
          // Other brackets with capitals are text of logs: `[INFO main]`.
          if (marks.includes(kind)) expect(value.trim(), message).to.equal(value);
        }
      }
    });

    it(`${file} has between 25 and 45 % innocent messages`, () => {
      const messages = messagesOf(file);
      const innocent = messages.filter((message) => !marksOf(message).some(({ kind }) => marks.includes(kind)));
      expect(innocent.length / messages.length).to.be.within(0.25, 0.45);
    });
  }
});
