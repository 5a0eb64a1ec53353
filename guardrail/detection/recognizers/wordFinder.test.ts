import { expect } from 'chai';
import fc from 'fast-check';
import { createWordFinder } from './wordFinder.ts';

type Found = readonly [start: number, word: string];

function find(words: readonly string[], text: string): Found[] {
  const found: Found[] = [];
  const finder = createWordFinder(words);
  // The next text overwrites it.
  finder('abab', () => undefined);
  finder(text, (start, word) => found.push([start, words[word] ?? '']));
  return found;
}

/** The words that end at each place of a folded text, longest first. */
function naive(words: readonly string[], folded: string): Found[] {
  return Array.from({ length: folded.length }, (_, at) => folded.slice(0, at + 1)).flatMap((part) =>
    words
      .filter((word) => part.endsWith(word))
      .sort((a, b) => b.length - a.length)
      .map((word): Found => [part.length - word.length, word]),
  );
}

describe('createWordFinder', () => {
  const cases: readonly (readonly [string, readonly string[], string, readonly Found[]])[] = [
    ['words in words', ['he', 'she', 'hers', 'e'], 'ushers', [[1, 'she'], [2, 'he'], [3, 'e'], [2, 'hers']]],
    ['case and accents', ['strasse', 'cafe'], 'CAFÉ Strasse', [[0, 'cafe'], [5, 'strasse']]],
    ['words at both ends', ['* ', ' *'], '* *', [[0, '* '], [1, ' *']]],
    ['nothing in an empty text', ['a'], '', []],
    ['nothing that a longer text before it has', ['ab'], 'a', []],
    ['units that share a class', ['用户', '姓名'], '用名 姓名', [[3, '姓名']]],
  ]; // prettier-ignore
  for (const [what, words, text, found] of cases) {
    it(`finds ${what}`, () => {
      expect(find(words, text)).to.deep.equal(found);
    });
  }

  it('finds the same as a separate search for each word, also with more units than classes', () => {
    const signs = Array.from({ length: 60 }, (_, at) => String.fromCharCode(0x21 + at));
    const units = fc.constantFrom('a', 'b', ...signs, 'я', '漢');
    const folded = units.map((unit) => unit.toLowerCase());
    const word = fc.string({ unit: folded, minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 60 }),
        fc.array(fc.oneof(word, units)),
        (words, parts) => {
          const text = parts.join('');
          expect(find(words, text)).to.deep.equal(naive(words, text.toLowerCase()));
        },
      ),
      { numRuns: 500 },
    );
  });
});
