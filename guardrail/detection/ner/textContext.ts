import { wordHash, wordHashIn } from './tokens.ts';

/** Properties of a whole text that help to decide what its names are. The pieces of a long text share them. */
export interface TextContext {
  /** The magnitude of its length and of its number of lines. */
  readonly size: number;
  /** Whether it has questions, and e-mail addresses or handles. */
  readonly marks: number;
  /** Hashes of its first words: "Write a poem about", "Dear Ms", "What is". */
  readonly firstWords: readonly number[];
}

/** How much of a text is read, in UTF-16 code units. */
const READ = 4096;

/** How much of it can contain the first words, in UTF-16 code units. */
const BEGINNING = 200;
/** The number of words at the beginning that tell what a text is. */
export const FIRST_WORDS = 6;

/** The most lines that are counted. */
const MOST_LINES = 64;

/** The number of binary digits of a count. */
const magnitude = (count: number): number => 32 - Math.clz32(count);

/** As in {@link file://../../automaton/automaton.ts}: it is not looked up for each character. */
// oxlint-disable-next-line typescript/unbound-method -- it is called with a text
const { charCodeAt } = String.prototype;

export function textContextOf(text: string): TextContext {
  const read = text.slice(0, READ);
  const lines = 1 + countOf('\n', read, MOST_LINES - 1);
  return {
    size: magnitude(read.length >> 2) * 8 + magnitude(lines),
    marks: countOf('?', read, 2) * 2 + countOf('@', read, 1),
    firstWords: firstWordsOf(text),
  };
}

/** How often a character is in a text, up to `most`. A search is much faster than a look at each character. */
function countOf(character: string, text: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && count < most; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/** Hashes of the first words of a text. Latin ones are found without a pattern, which would take half of the time of the context. */
function firstWordsOf(text: string): number[] {
  const words: number[] = [];
  const end = Math.min(text.length, BEGINNING);
  for (let index = 0; index < end && words.length < FIRST_WORDS;) {
    const first = index;
    let code = charCodeAt.call(text, index);
    while (isLetterOrDigit(code)) code = ++index < end ? charCodeAt.call(text, index) : 0;
    if (code > LAST_LATIN || (code > LAST_ASCII && code < FIRST_LATIN)) return firstWordsOfAnyScript(text);
    if (index > first) words.push(wordHashIn(text, first, index));
    else index++;
  }
  return words;
}

function firstWordsOfAnyScript(text: string): number[] {
  const words = text.slice(0, BEGINNING).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.slice(0, FIRST_WORDS).map(wordHash);
}

const LAST_ASCII = 0x7f;
/** From here to {@link LAST_LATIN}, all characters are letters, except two operators. */
const FIRST_LATIN = 0xc0;
const LAST_LATIN = 0x24f;

/** Whether a code unit is a letter or digit of ASCII, or another Latin letter. */
const isLetterOrDigit = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  (code >= FIRST_LATIN && code <= LAST_LATIN && code !== 0xd7 && code !== 0xf7);
