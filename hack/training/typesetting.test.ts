import { expect } from 'chai';
import fc from 'fast-check';
import { justified, wrapped } from './typesetting.ts';

const words = fc.array(fc.stringMatching(/^[a-zà-ü]{1,24}[,.]?$/), { minLength: 1, maxLength: 40 });
const width = fc.integer({ min: 8, max: 80 });

describe('typesetting', () => {
  it('breaks lines at spaces, and exceeds the width only for single words', () => {
    fc.assert(
      fc.property(words, width, (list, most) => {
        const lines = wrapped(list.join(' '), most);
        expect(lines.flatMap((line) => line.split(' '))).to.deep.equal(list);
        for (const line of lines) expect(line.length <= most || !line.includes(' '), line).to.equal(true);
      }),
    );
  });

  it('fills each line as far as possible', () => {
    fc.assert(
      fc.property(words, width, (list, most) => {
        const lines = wrapped(list.join(' '), most);
        for (const [at, line] of lines.slice(1).entries()) {
          const [first = ''] = line.split(' ');
          expect((lines[at] ?? '').length + 1 + first.length).to.be.greaterThan(most);
        }
      }),
    );
  });

  it('hyphenates words without altering them', () => {
    fc.assert(
      fc.property(words, width, (list, most) => {
        const lines = wrapped(list.join(' '), most, '‐');
        expect(lines.join('\n').replaceAll('‐\n', '').replaceAll('\n', ' ')).to.equal(list.join(' '));
        for (const line of lines) expect(line.length <= most || !line.includes(' '), line).to.equal(true);
      }),
    );
  });

  it('justifies lines without altering words', () => {
    fc.assert(
      fc.property(words, width, (list, most) => {
        for (const line of wrapped(list.join(' '), most)) {
          const full = justified(line, most);
          const spaces = line.split(' ').length - 1;
          expect(full.split(/ +/)).to.deep.equal(line.split(' '));
          expect(full.length).to.equal(line.length + Math.max(0, Math.min(spaces, most - line.length)));
        }
      }),
    );
  });
});
