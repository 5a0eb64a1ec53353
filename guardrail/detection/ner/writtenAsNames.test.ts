import { expect } from 'chai';
import { flags, Gazetteer } from './gazetteer.ts';
import { Tokens, wordHash } from './tokens.ts';
import { WrittenAsNames } from './writtenAsNames.ts';

const { given, family, ordinary } = flags;
const words = {
  tunde: given,
  jae: given,
  price: family | ordinary,
  will: given | ordinary,
  the: ordinary,
  printer: ordinary,
};
const gazetteer = Gazetteer.of(new Map(Object.entries(words).map(([word, flags]) => [wordHash(word), flags])));

/** The finds in a text. Words in angle brackets are parts of candidates already. */
function found(marked: string): string[] {
  const taken: number[] = [];
  const text = marked.replace(/<(\w+)>/g, (_, word: string, at: number) => {
    taken.push(at - 2 * taken.length);
    return word;
  });
  const tokens = new Tokens();
  tokens.read(text);
  for (let at = 0; at < tokens.count; at++) tokens.known[at] = gazetteer.lookup(tokens.word[at] ?? 0);
  const finds: string[] = [];
  const isFree = (token: number): boolean => !taken.includes(tokens.start[token] ?? 0);
  new WrittenAsNames(tokens, text, isFree).forEach((first, last) =>
    finds.push(text.slice(tokens.start[first], tokens.end[last])),
  );
  return finds;
}

describe('words that are written like names', () => {
  for (const [what, text, expected] of [
    ['unknown capitalized words', 'call Wanjiru Okonkwo today', ['Wanjiru Okonkwo']],
    ['a capitalized name that is also a word', 'ask Price about it', ['Price']],
    ['no capitalized word that is only ordinary', 'The Printer is broken', []],
    ['an ordinary word beside an unknown one', 'ask The Wanjiru', ['The Wanjiru']],
    ['no ordinary word that begins a sentence', 'The Wanjiru', ['Wanjiru']],
    ['the words before a colon, ordinary or not', 'The Wanjiru: hello', ['The Wanjiru']],
    ['a part behind a hyphen or an apostrophe', "Jae-Won and O'Brien", ['Jae-Won', "O'Brien"]],
    ['an initial', 'J. Doe met J Doe', ['Doe', 'J Doe']],
    ['no initial alone', 'plan B is on', []],
    ['a given name in small letters', 'ask tunde', ['tunde']],
    ['no word in small letters that is also ordinary', 'i will go', []],
    ['no unknown word in small letters', 'ask wanjiru', []],
    ['a speaker in a chat', 'printer: hello\nthe: hi', ['printer', 'the']],
    ['no word before a colon in the middle of a line', 'the printer: it works', []],
    ['no words across lines', 'Wanjiru\nOkonkwo', ['Wanjiru', 'Okonkwo']],
    ['no long heading', 'Wan Jiru Oko Nkwo Ade Bayo', []],
    ['nothing that is a candidate', 'call <Wanjiru> Okonkwo', ['Okonkwo']],
    ['nothing in an empty text', '', []],
  ] as const)
    it(`are ${what}`, () => {
      expect(found(text)).to.deep.equal(expected);
    });
});
