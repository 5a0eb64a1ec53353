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
const FIRST_WORDS = 6;

const newline = 10;
const question = 63;
const at = 64;

/** The number of binary digits of a count. */
const magnitude = (count: number): number => 32 - Math.clz32(count);

/** As in {@link file://../../automaton/automaton.ts}: it is not looked up for each character. */
// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with a text
const { charCodeAt } = String.prototype;

export function textContextOf(text: string): TextContext {
  let [lines, questions, ats] = [1, 0, 0];
  const end = Math.min(text.length, READ);
  for (let index = 0; index < end; index++) {
    const code = charCodeAt.call(text, index);
    if (code === newline) lines++;
    else if (code === question) questions++;
    else if (code === at) ats++;
  }
  return {
    size: magnitude(end >> 2) * 8 + Math.min(magnitude(lines), 7),
    marks: Math.min(questions, 2) * 2 + Math.min(ats, 1),
    firstWords: firstWordsOf(text),
  };
}

/** Hashes of the first words of a text. Those in ASCII are found without a pattern, which would take half of the time of the context. */
function firstWordsOf(text: string): number[] {
  const words: number[] = [];
  const end = Math.min(text.length, BEGINNING);
  for (let index = 0; index < end && words.length < FIRST_WORDS;) {
    const first = index;
    let code = charCodeAt.call(text, index);
    while (isLetterOrDigit(code)) code = ++index < end ? charCodeAt.call(text, index) : 0;
    if (code > LAST_ASCII) return firstWordsOfAnyScript(text);
    if (index > first) words.push(wordHashIn(text, first, index));
    else index++;
  }
  return words;
}

function firstWordsOfAnyScript(text: string): number[] {
  const words = text.slice(0, BEGINNING).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.slice(0, FIRST_WORDS).map(wordHash);
}

/** Whether a code unit is a letter or digit of ASCII. */
const isLetterOrDigit = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
const LAST_ASCII = 0x7f;
