import { expect } from 'chai';
import fc from 'fast-check';
import { ContextWords } from './contextWords.ts';
import { Phrases } from './phrases.ts';

function phrasesOf(words: readonly string[]): Phrases<true> {
  const phrases = new Phrases<true>({ exact: false });
  for (const word of words) phrases.add(word, true);
  return phrases;
}

/** The definition: whether the part, as a text of its own, contains a phrase. */
function isFoundIn(part: string, phrases: Phrases<true>): boolean {
  let isFound = false;
  phrases.find(part, () => (isFound = true));
  return isFound;
}

describe('context words', () => {
  const characters = fc.constantFrom('a', 'b', 'A', 'é', ' ', '-', '\n');
  const textOf = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: characters, minLength: 1, maxLength });

  it('are found in each part of a text as in a text of its own', () => {
    fc.assert(
      fc.property(
        fc.array(textOf(6), { minLength: 1, maxLength: 5 }),
        textOf(60),
        fc.array(fc.tuple(fc.nat(8), fc.nat(20)), { minLength: 1, maxLength: 12 }),
        (words, text, steps) => {
          const phrases = phrasesOf(words);
          const context = new ContextWords(phrases, text);
          let [from, to] = [0, 0];
          for (const [step, length] of steps) {
            from = Math.min(text.length, from + step);
            to = Math.min(text.length, Math.max(to, from + length));
            expect(context.isIn(from, to), `${from}-${to}`).to.equal(isFoundIn(text.slice(from, to), phrases));
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('are searched once at each place of a text, however many parts contain it', () => {
    const text = 'a '.repeat(10_000);
    const phrases = phrasesOf(['a '.repeat(100).slice(0, 199), 'b']);
    let searched = 0;
    const find = phrases.eachEnd.bind(phrases);
    phrases.eachEnd = (...call) => {
      searched += 1;
      find(...call);
    };
    const context = new ContextWords(phrases, text);
    for (let at = 0; at < text.length; at += 2) context.isIn(Math.max(0, at - 60), Math.min(text.length, at + 61));
    expect(searched).to.be.at.most(2 * text.length);
  });
});
