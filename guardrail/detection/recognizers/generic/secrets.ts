import { contextWords } from '../../languages/languages.ts';
import { smallWords } from '../../languages/smallWords.ts';
import { cryptoCurrencies } from '../../words/brands.ts';
import {
  cloudKeyWord,
  configurationValues,
  passwordOptions,
  placeholders,
  prefixedKeys,
  secretKeys,
} from '../../words/secrets.ts';
import { inlineTags } from '../../words/code.ts';
import type { TextStats } from '../textStats.ts';
import { afterKeyword, anywhere, contextBefore, eachMatch, contextWidth, type Recognizer } from '../recognizer.ts';

/**
 * Whether a key looks random. Excludes placeholders. Keys with the word EXAMPLE count: to replace one costs nothing, and
 * real keys can contain it.
 */
function varied(value: string): boolean {
  const body = value.slice(4);
  return new Set(body).size >= Math.min(8, body.length / 3) && !placeholders.test(value);
}

/** Whether a key without digits looks random: many letters without a break, and capitals that begin no word. */
const isRandomLetters = (value: string): boolean =>
  /(?:[A-Za-z]{16}|[A-Za-z-]{20})$/.test(value) && /[A-Z]{2}|[a-z][A-Z][a-z][A-Z]/.test(value.slice(4));

/** Shannon entropy in bits per character: words have about 3, random keys of twenty characters more than 3.5. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

const keyed = anywhere({
  type: 'API_KEY',
  rule: 'secret.key',
  pattern: new RegExp(`(?<![\\w/+-])(?:${prefixedKeys.join('|')})(?![\\w/+])`, 'g'),
  mayMatch: ({ token, keywords }) => token >= 14 || keywords.of('keyPrefix').length > 0,
  score: (value) => (varied(value) && (/\d/.test(value) || isRandomLetters(value)) ? 0.99 : 0),
});

const jwt = anywhere({
  type: 'API_KEY',
  rule: 'secret.jwt',
  pattern: /(?<![\w.-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}(?:\.[\w-]{0,2000})?/g,
  mayMatch: ({ text, token }) => token >= 10 && text.includes('eyJ'),
  score: () => 0.99,
});

const privateKeyStart = /-----BEGIN (?:[A-Z]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/**
 * A private key in PEM or PGP armour, to its end line. A truncated key ends with the last line that looks like base64.
 */
const privateKey: Recognizer = {
  type: 'API_KEY',
  rule: 'secret.privateKey',
  mayMatch: () => true,
  find(text, emit) {
    if (!text.includes('PRIVATE KEY')) return;
    let from = 0;
    eachMatch(privateKeyStart, text, (start) => {
      if (start.index < from) return;
      const body = start.index + start[0].length;
      const close = /-----END (?:[A-Z]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(body, body + 16_384));
      const loose = /^(?:[A-Za-z0-9+/=:,\s-]|\\[nr]){0,16384}/.exec(text.slice(body, body + 16_384));
      from = body + (close ? close.index + close[0].length : (loose?.[0].trimEnd().length ?? 0));
      emit(start.index, from, 1);
    });
  },
};

/** A quote: plain, escaped with backslashes, or encoded in a URL or in HTML. */
const quote = String.raw`(?:\\{0,15}["'${'`'}]|%(?:25){0,3}2[27]|&(?:quot|apos|#3[49]);)`;

const verbs = contextWords('is');
const separator = String.raw`:=|=>|[:=]|%(?:25){0,3}3[ad]|(?<![\p{L}\p{N}])(?:${verbs})(?![\p{L}\p{N}])|(?<=[Bb]earer)\s`;

/**
 * A word for a secret, the separator, and the quote that opens the secret. Sticky: it is tried where a keyword begins.
 */
const assigned = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}])|(?<=%(?:25){0,3}(?:[27][0-9a-f]|[35][bdf]|0[ad])))(?:(?<password>${contextWords('password')})|(?<key>${secretKeys})|(?<pin>pin(?: code)?))${quote}?(?: (?:${smallWords('afterPassword')}))?\s{0,3}(?:${separator})\s{0,3}(?<opening>${quote})?`,
  'iuy',
);

/** Configuration values, and words of sentences, that can follow a word for a secret. */
const notASecret = new RegExp(
  String.raw`^(?:${configurationValues}|${contextWords('notASecret')})\b(?![\\!#$%&*@^~\x22'<>])`,
  'i',
);

/** The length of the longest secret, in UTF-16 code units. */
const longestSecret = 200;

/**
 * The offset of the closing quote. It has as many backslashes as the opening quote; a quote inside the string has more.
 */
function closing(text: string, from: number, opening: string): number | undefined {
  const to = Math.min(text.length, from + longestSecret + opening.length);
  const mark = opening.charAt(opening.length - 1);
  const depth = opening.length - 1;
  for (let at = text.indexOf(mark, from); at >= 0 && at < to; at = text.indexOf(mark, at + 1)) {
    if (!opening.startsWith('\\') && depth > 0) {
      // Backslashes do not escape %22 and &quot;.
      const start = at - depth;
      if (start >= from && text.startsWith(opening, start)) return start;
      continue;
    }
    let start = at;
    while (start > from && text.charAt(start - 1) === '\\') start--;
    if (at - start >= depth && (at - start - depth) % (2 * depth + 2) === 0) return at - depth;
  }
  return undefined;
}

/** A tag of HTML within a word. */
const inlineTag = new RegExp(String.raw`<(?:${inlineTags})[ />]`, 'i');
const bare = /[^\s"'`,;<>(){}[\]]{4,200}/y;
/** The end of a secret without quotes: the end of the surrounding string, or the next field of a form. */
const bareEnd = /\\+$|&[\w.%[\]-]{1,64}=.*/;
/** The same end, in URL encoding. */
const encodedEnd = /(?:&|%(?:25){0,3}(?:2[267c]|3b|7d|0[ad])).*/i;
const isEncoded = /%(?:25){0,3}3[ad]\s*$/i;

/** A quote or an angle bracket between the characters of a secret without quotes. Sticky. */
const innerMark = /(["'`<>])[^\s"'`<>,;(){}[\]]{1,200}/y;
/** A tag of HTML, or a part of one: it ends a secret. */
const markup = /<\/|\/>|<!|<[a-z]+>\s|=["']/i;

/**
 * The whole of a secret without quotes whose beginning is read. A quote belongs to it if it has no partner on the line, and an
 * angle bracket if the word has no tag.
 * @param beginning its characters before the first mark; empty if it begins with one
 */
function withMarks(text: string, start: number, beginning: string): string | undefined {
  const from = beginning === '' ? text.slice(start, start + 4).search(/["'`<>]/) : beginning.length;
  if (from <= 0 && beginning === '') return undefined;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const before = text.slice(Math.max(lineStart, start - longestSecret), start);
  const [word = ''] = /^\S{0,200}/.exec(text.slice(start, start + longestSecret)) ?? [];
  const [line = ''] = text.slice(start, start + longestSecret).split('\n', 1);
  if (from >= word.length || markup.test(`${word} `) || inlineTag.test(word)) return beginning || undefined;
  let end = start + from;
  for (innerMark.lastIndex = end; ; innerMark.lastIndex = end) {
    const [part, mark] = innerMark.exec(text) ?? [];
    if (part === undefined || mark === undefined) break;
    if (/["'`]/.test(mark) && (before.includes(mark) || line.split(mark).length !== 2)) break;
    end += part.length;
  }
  const value = text.slice(start, end);
  return value.length >= 4 ? value : undefined;
}

/** Reads the secret after a match of {@link assigned}. */
function readSecret({ text, original }: TextStats, start: number, match: RegExpExecArray): string | undefined {
  const opening = match.groups?.opening;
  const end = opening === undefined ? undefined : closing(original, start, opening);
  const quoted = end === undefined ? '' : original.slice(start, end);
  if (quoted.length >= 4 && !/\s/.test(quoted)) return quoted;
  bare.lastIndex = start;
  const beginning = bare.exec(text)?.[0];
  const raw = opening === undefined ? withMarks(text, start, beginning ?? '') : beginning;
  if (raw === undefined) return undefined;
  return raw.replace(isEncoded.test(match[0]) ? encodedEnd : bareEnd, '').replace(/[.?:]+$/, '');
}

/** Placeholders: template and shell variables, asterisks, dots. */
const placeholder = /^[$%{<]|^\*+$|^x+$|^\.+|\$[({]|\{\{|%[({]|\{\w*\}/i;
/** An expression in source code. */
const expression = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:[([].*)?$|^\w+\(.*\)$/;

/** A verb in place of a sign between the word and the password. */
const isSpoken = new RegExp(String.raw`\s(?:${verbs})\s[^\p{L}]{0,4}$`, 'iu');
/** Several words that hyphens join. */
const phrase = /^\p{Ll}{3,20}(?:-\p{Ll}{2,20}){2,7}$/u;

/**
 * Whether the value of a word for a key looks random. A short one is a key only in quotes, and without parts of words.
 * @param classes the number of kinds of characters in it
 */
const isKey = (content: string, classes: number, isQuoted: boolean): boolean =>
  /\d/.test(content) &&
  (content.length >= 16
    ? classes >= 2 && entropy(content) > 3.2
    : isQuoted && content.length >= 10 && classes >= 4 && !/[a-z]{4}|[A-Z]{4}/.test(content) && entropy(content) > 3);

/** Passwords and keys after a word for them. The mix of characters decides; a plain word is never a secret. */
const named: Recognizer = {
  type: 'PASSWORD',
  rule: 'secret.assigned',
  otherTypes: ['API_KEY'],
  mayMatch: ({ keywords }) => keywords.of('secret').length > 0,
  find(text, emit, stats) {
    let from = 0;
    for (const index of stats.keywords.of('secret')) {
      if (index < from) continue;
      assigned.lastIndex = index;
      const match = assigned.exec(text);
      if (!match) continue;
      const start = assigned.lastIndex;
      const value = readSecret(stats, start, match);
      if (value === undefined) continue;
      from = start + value.length;
      if (value.length < 4 || notASecret.test(value) || placeholder.test(value) || expression.test(value)) continue;
      if (match.groups?.pin !== undefined) {
        if (/^\d{4,8}$/.test(value)) emit(start, start + value.length, 0.8);
        continue;
      }
      // Each level of quoting adds backslashes, which are not part of the secret.
      const content = value.replace(/\\+/g, '\\');
      const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(content)).length;
      const isPassword = match.groups?.password !== undefined;
      const isPhrase = isSpoken.test(match[0]) && phrase.test(content);
      const isMixed = classes >= 3 || (classes >= 2 && /\d/.test(content));
      if (isPassword && content.length >= 6 && (isMixed || isPhrase || /^\d+$/.test(content)))
        emit(start, start + value.length, 0.85);
      else if (!isPassword && isKey(content, classes, match.groups?.opening !== undefined)) {
        emit(start, start + value.length, 0.85, 'API_KEY');
      }
    }
  },
};

/** RFC 7617: user name and password in base64, in a header. */
const basicHeader = /\bbasic {1,3}([A-Za-z\d+/]{8,400}={0,2})(?![\w+/=])/gi;
/** The option of `curl`; the second group is the password. */
const userOption =
  /(?<=\s)(?:-u|--(?:proxy-)?user)[ =](?:\\{0,15}["'])?([^\s:"'$]{1,64}:(?!\/\/)((?:[^\s"'$,;\\]|\\(?!\\{0,15}["'])){4,200}))/g;
/** A line of `.netrc`. */
const netrc = /\blogin \S{1,100}\s{1,8}password ((?:[^\s"'\\]|\\(?!\\{0,15}["'])|["'](?![\s,;:)}\]]|$)){4,200})/g;

/** The options of programs whose value is a password. MySQL's clients take it without a space. */
const commandOption = new RegExp(
  String.raw`(?:${passwordOptions})(?:\\{0,15}["'])?([^\s"'$\\|;&-][^\s"'$\\|;&]{3,63})`,
  'g',
);

/** Passwords in notations without `=` or `:`. */
const login: Recognizer = {
  type: 'PASSWORD',
  rule: 'secret.login',
  mayMatch: ({ keywords }) => keywords.of('login').length > 0,
  find(text, emit) {
    const take = ({ index, 0: whole }: RegExpExecArray, value: string, score: number): void => {
      const start = index + whole.lastIndexOf(value);
      emit(start, start + value.length, score);
    };
    eachMatch(basicHeader, text, (match) => {
      const [, value = ''] = match;
      const decoded = Buffer.from(value, 'base64').toString('latin1');
      if (/^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,200}$/.test(decoded)) take(match, value, 0.95);
    });
    eachMatch(userOption, text, (match) => {
      const [, both = '', password = ''] = match;
      // Excludes users and groups: `docker run -u 1000:1000`, `-u kim:staff`.
      if (/\d/.test(password) ? /\D/.test(password) : /[^a-z]/.test(password)) take(match, both, 0.85);
    });
    eachMatch(commandOption, text, (match) => {
      const [, password = ''] = match;
      if (/[^a-z]/.test(password)) take(match, password, 0.85);
    });
    eachMatch(netrc, text, (match) => {
      const [, password = ''] = match;
      if (/\d/.test(password)) take(match, password, 0.85);
    });
  },
};

const awsSecret = afterKeyword('cloudSecret', contextWidth, [
  {
    type: 'API_KEY',
    rule: 'secret.aws',
    pattern: /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g,
    mayMatch: ({ token }) => token >= 4,
    score: (value, { text, start }) =>
      cloudKeyWord.test(contextBefore(text, start)) && /\d/.test(value) && /[A-Z]/.test(value) && entropy(value) > 4
        ? 0.9
        : 0,
  },
]);

const walletWord = new RegExp(`${cryptoCurrencies}|${contextWords('wallet')}`);

const wallet = anywhere({
  type: 'CRYPTO',
  rule: 'wallet',
  pattern: /(?<![\w/])(?:0x[0-9a-fA-F]{40}|bc1[02-9ac-hj-np-z]{25,59}|[13][1-9A-HJ-NP-Za-km-z]{25,34})(?![\w/])/g,
  mayMatch: (stats) => stats.token >= 26,
  score: (value, { text, start }) => {
    if (value.startsWith('bc1')) return 0.95;
    const hasContext = walletWord.test(contextBefore(text, start));
    const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
    return hasContext ? 0.95 : value.startsWith('0x') || mixed ? 0.6 : 0;
  },
});

/** Credentials: keys, tokens, passwords, and addresses of crypto wallets. */
export const secrets: readonly Recognizer[] = [keyed, jwt, privateKey, named, login, awsSecret, wallet];
