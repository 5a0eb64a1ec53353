import { expect } from 'chai';
import fc from 'fast-check';
import { textContextOf } from './textContext.ts';
import { wordHash } from './tokens.ts';

describe('the context of a text', () => {
  it('has the first words, without what stands around them', () => {
    const words = (text: string): readonly number[] => textContextOf(text).firstWords;
    expect(words('  - "Write a poem"')).to.deep.equal(['write', 'a', 'poem'].map(wordHash));
    expect(words('one two three four five six seven')).to.have.length(6);
  });

  it('has the same words with and without characters outside ASCII', () => {
    const part = fc.constantFrom(
      'a',
      'Z',
      '7',
      ' ',
      '-',
      '_',
      '\n',
      'é',
      'Ł',
      '×',
      'ª',
      '’',
      '中',
      '😀',
      '\u0301',
      'x'.repeat(90),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const words = text.slice(0, 200).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
        expect(textContextOf(text).firstWords).to.deep.equal(words.slice(0, 6).map(wordHash));
      }),
    );
  });

  it('tells questions and e-mail addresses', () => {
    const marks = ['Hello.', 'Hello?', 'Hello? Who? What?', 'a@b.c', 'a@b.c?'].map((text) => textContextOf(text).marks);
    expect(marks).to.deep.equal([0, 2, 4, 1, 3]);
  });

  it('counts the same as a look at each character', () => {
    const part = fc.constantFrom('a', '?', '@', '\n', '\n'.repeat(30), ' word', '中');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const count = (character: string): number => text.split(character).length - 1;
        const digits = (number: number): number => (number === 0 ? 0 : number.toString(2).length);
        const { size, marks } = textContextOf(text);
        expect(size).to.equal(digits(text.length >> 2) * 8 + Math.min(digits(count('\n') + 1), 7));
        expect(marks).to.equal(Math.min(count('?'), 2) * 2 + Math.min(count('@'), 1));
      }),
    );
  });

  it('grows with the length and the number of lines', () => {
    const sizes = ['a', 'a'.repeat(100), 'a\n'.repeat(50), 'a'.repeat(2000)].map((text) => textContextOf(text).size);
    expect(sizes).to.deep.equal(sizes.toSorted((a, b) => a - b));
    expect(new Set(sizes).size).to.equal(sizes.length);
  });

  it('reads only the beginning of a long text', () => {
    const long = 'Dear all,\n'.repeat(500);
    expect(textContextOf(`${long}${'Who? '.repeat(1_000_000)}`)).to.deep.equal(textContextOf(long));
  });

  it('exists for an empty text', () => {
    expect(textContextOf('')).to.deep.equal({ size: 1, marks: 0, firstWords: [] });
  });
});
