import { expect } from 'chai';
import fc from 'fast-check';
import { cases, gaps, shapes, Tokens, wordHash } from './ner/tokens.ts';

/** The properties of each token, by name. */
function read(tokens: Tokens, text: string): unknown[] {
  tokens.read(text);
  const nameIn = (names: Readonly<Record<string, number>>, value = -1): string =>
    Object.entries(names).findLast(([, own]) => own <= value)?.[0] ?? '';
  return Array.from({ length: tokens.count }, (_, at) => [
    text.slice(tokens.start[at], tokens.end[at]),
    nameIn(shapes, tokens.shape[at]),
    nameIn(gaps, tokens.gap[at]),
    nameIn(cases, tokens.lineCase[at]),
  ]);
}

describe('tokens', () => {
  const tokens = new Tokens();

  it('are words and single marks, with their shapes, gaps and the case of their lines', () => {
    expect(read(tokens, 'Anna O’Neil, IT\n\nmacOS mcDonald 12 x1 A1\r\nok then')).to.deep.equal([
      ['Anna', 'capitalized', 'paragraph', 'usual'],
      ['O', 'initial', 'space', 'usual'],
      ['’', 'mark', 'none', 'usual'],
      ['Neil', 'capitalized', 'none', 'usual'],
      [',', 'mark', 'none', 'usual'],
      ['IT', 'upper', 'space', 'usual'],
      ['macOS', 'mixed', 'paragraph', 'usual'],
      ['mcDonald', 'mixed', 'space', 'usual'],
      ['12', 'digit1', 'space', 'usual'],
      ['x1', 'lowerDigits', 'space', 'usual'],
      ['A1', 'upperDigits', 'space', 'usual'],
      ['ok', 'lower', 'paragraph', 'lower'],
      ['then', 'lower', 'space', 'lower'],
    ]);
    expect(read(tokens, 'MEETING WITH JOHN').map((token) => (token as string[])[3])).to.deep.equal(
      new Array(3).fill('upper'),
    );
  });

  it('are those of any text, however long the one before was', () => {
    const unit = fc.constantFrom('Anna', 'ÜNAL', 'ß', ' ', '\n', '.', '1234567', 'é', '😀', '山', '\u00a0', '-');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), fc.constantFrom(1, 100), (units, times) => {
        const text = units.join('').repeat(times);
        tokens.read(text);
        const words = Array.from({ length: tokens.count }, (_, at) => text.slice(tokens.start[at], tokens.end[at]));
        expect(words.join('')).to.equal(text.replace(/\s/g, ''));
        words.forEach((word, at) => {
          const isWord = tokens.shape[at] !== shapes.mark;
          expect(word).to.match(isWord ? /^[\p{L}0-9]+$/u : /^[^a-zA-Z0-9]$/);
          if (!isWord) return;
          expect(tokens.word[at]).to.equal(wordHash(word));
          const isCut = at > 0 && tokens.shape[at - 1] !== shapes.mark && tokens.gap[at] === gaps.none;
          expect(isCut).to.equal(false);
        });
      }),
    );
  });
});
