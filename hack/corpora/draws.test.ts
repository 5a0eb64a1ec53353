import { expect } from 'chai';
import fc from 'fast-check';
import { digestOf, linesAt, linesWith, piecesOf, rangesOf, recordOf, textOf } from './draws.ts';

const words = fc.stringMatching(/^[a-zäö.]{1,8}(?: [a-zäö.]{1,8}){0,3}$/);

describe('records of draws', () => {
  it('restore every text that consists of pieces', () => {
    const joined = fc.array(fc.tuple(words, fc.constantFrom(' ', '\n')), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(joined, fc.array(words), (parts, others) => {
        const text = parts.map(([piece, joint], at) => (at === parts.length - 1 ? piece : piece + joint)).join('');
        const texts = new Set([...parts.map(([piece]) => piece), ...others]);
        const record = recordOf(text, texts);
        expect(record).to.be.a('string');
        expect(textOf(record ?? '', piecesOf(texts))).to.equal(text);
      }),
    );
  });

  it('use as few pieces as possible', () => {
    expect(recordOf('a b c', new Set(['a', 'b', 'c', 'a b', 'b c', 'a b c']))).to.equal(digestOf('a b c'));
  });

  it('are undefined if a piece is missing', () => {
    expect(recordOf('a b', new Set(['a']))).to.equal(undefined);
    expect(textOf(`${digestOf('a')}+${digestOf('b')}`, piecesOf(['a']))).to.equal(undefined);
  });

  it('write lines as ranges', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60), { minLength: 1 }), (numbers) => {
        const sorted = numbers.toSorted((a, b) => a - b);
        const lines = Array.from({ length: 61 }, (_, at) => `line ${at}`);
        expect(linesAt(rangesOf(sorted), lines)).to.equal(sorted.map((at) => `line ${at}`).join('\n'));
      }),
    );
    expect(rangesOf([3, 4, 5, 9])).to.equal('3-5,9');
    expect(linesAt('0-2', ['a', 'b'])).to.equal(undefined);
  });

  it('find an excerpt with omitted lines', () => {
    const lines = ['a', '// Copyright', 'b', 'a', 'c', 'd'];
    expect(linesWith('a\nb', lines)).to.deep.equal([0, 2]);
    expect(linesWith('a\nc\nd', lines)).to.deep.equal([0, 4, 5]);
    expect(linesWith('a\nx', lines)).to.equal(undefined);
  });
});
