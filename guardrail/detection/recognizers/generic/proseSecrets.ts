import { contextWords } from '../../languages/languages.ts';
import { htmlReferences } from '../../words/secrets.ts';
import type { Emit, Recognizer } from '../recognizer.ts';

const passwordWord = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.$-])(?:${contextWords('password')})(?![\p{N}_(=[-])`,
  'iuy',
);

/** The longest distance from the word for a password to the password, in UTF-16 code units. */
const PASSWORD_WIDTH = 100;

/** Words of a text. Quotes and punctuation around them are no part of them. */
const words = /[^\s"'“”„«»`,;()<>[\]{}|\\]{6,40}/g;

/**
 * Whether a word is like a password and like nothing else: it has letters, digits, and a sign between them that prose,
 * addresses, paths and code do not have there.
 */
const isUnmistakable = (word: string): boolean =>
  /^[\p{L}\d][\p{L}\d!#$%&*+?^~€§@_.-]*$/u.test(word) &&
  /\p{L}{3}/u.test(word) &&
  /\d/.test(word) &&
  /[\p{L}\d][!#$%&^~€§@][\p{L}\d!]|[\p{L}\d][!#$%&*^~€§]$/u.test(word) &&
  !otherNotation.test(word);
/** An address, a reference of HTML, a code of a URL, the name of a file. */
const otherNotation = new RegExp(String.raw`@\p{L}|&(?:${htmlReferences})|%[\dA-Fa-f]{2}|\.[a-z]{2,4}$`, 'u');

/** Passwords in prose, some words behind a word for a password: "the password was, I think, Ab3!xyz". */
const password: Recognizer = {
  type: 'PASSWORD',
  rule: 'secret.prose',
  mayMatch: ({ token, keywords }) => token >= 1 && keywords.of('secret').length > 0,
  find(text, emit, { keywords }) {
    let done = 0;
    for (const keyword of keywords.of('secret')) {
      passwordWord.lastIndex = keyword;
      if (keyword < done || !passwordWord.test(text)) continue;
      done = findPassword(text, passwordWord.lastIndex, emit);
    }
  },
};

/** A password of digits directly behind the word. Fewer digits can be a year. */
const digitsBehind = new RegExp(
  String.raw`(?: (?:${contextWords('is')}))? ["'„“«]?(\d{5,24})(?![\p{L}\d_/%€$]|[.,:-]\d)`,
  'uy',
);

/** @returns the offset up to which the text is searched. */
function findPassword(text: string, from: number, emit: Emit): number {
  digitsBehind.lastIndex = from;
  const [, digits] = digitsBehind.exec(text) ?? [];
  if (digits !== undefined) {
    emit(digitsBehind.lastIndex - digits.length, digitsBehind.lastIndex, 0.8);
    return digitsBehind.lastIndex;
  }
  const part = text.slice(from, from + PASSWORD_WIDTH + 40);
  if (!/\d/.test(part)) return from;
  for (const { 0: written, index } of part.matchAll(words)) {
    if (index > PASSWORD_WIDTH) break;
    const word = written.replace(/[.?:]+$/, '');
    if (!isUnmistakable(word)) continue;
    emit(from + index, from + index + word.length, 0.8);
    return from + index + word.length;
  }
  return from;
}

/** The words between a label and its value: "of the house is", "bij ons is". */
const fewWords = String.raw`["']?(?:[ :=]{1,3}\p{L}{1,12}){0,3}[ :=]{1,3}["'„“«]?`;
const valueEnd = String.raw`(?![\p{L}\p{N}_./:-]\p{L}|[\p{L}\p{N}_/%€$]|[.,:-]\d)`;

/** Codes of doors, alarms and boxes with keys. */
const accessCode = new RegExp(
  String.raw`(?:${contextWords('accessCode')})${fewWords}((?:\d{2,8}[#*]\d{0,6}|[A-Z]{2,10}-\d{3,6}|[A-Z]?\d{4,8}[A-Z]?|\d{2,3}[A-Z]\d{2,4}))${valueEnd}`,
  'iuy',
);
/** The passwords of networks, whose labels often do without the word "password". */
const network = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:wi-?fi|w-?lan|hotspot)(?:[ :=]{1,3}[\p{L}\d_-]{2,24} ?[/|,;] ?|${fewWords})((?=[^\s\d]{0,30}\d{2})(?=[^\p{L}\s]{0,8}[\p{L}-]{6})[\p{L}\d!#_-]{8,32})${valueEnd}`,
  'iuy',
);
/** Personal identification numbers. A number behind "pin" in lower case can be that of a contact. */
const pin = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])(?:PIN|PIN[ -]?[Cc]ode)(?: (?:${contextWords('is')}))? (\d{4,6})${valueEnd}`,
  'uy',
);

/** Codes and passwords directly behind their label, without a separator. */
const code: Recognizer = {
  type: 'PASSWORD',
  rule: 'secret.accessCode',
  mayMatch: ({ digits, keywords }) => digits >= 2 && keywords.of('accessCode').length > 0,
  find(text, emit, { keywords }) {
    for (const keyword of keywords.of('accessCode')) {
      for (const pattern of [accessCode, network, pin]) {
        pattern.lastIndex = keyword;
        const [, value] = pattern.exec(text) ?? [];
        if (value === undefined) continue;
        emit(pattern.lastIndex - value.length, pattern.lastIndex, 0.8);
        break;
      }
    }
  },
};

/** Passwords and codes in sentences. {@link secrets} finds those behind a separator. */
export const proseSecrets: readonly Recognizer[] = [password, code];
