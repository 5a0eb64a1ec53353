import { isIPv6 } from 'node:net';
import { unitAt } from '../../../unitAt.ts';
import type { EntityType } from '../../contract.ts';
import { contextWords } from '../../languages/languages.ts';
import { smallWords } from '../../languages/smallWords.ts';
import { account, bareHost, credential, documentationHost, publicHost, webScheme } from '../../words/urls.ts';
import { anywhere, aroundDigits, contextAfter, contextBefore, type Emit, type Recognizer } from '../recognizer.ts';
import { identifiesSomebody } from './personalUrls.ts';

const local = charactersOf(/[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u);
const host = charactersOf(/[\p{L}\p{N}.-]/u);
const wordCharacter = charactersOf(/[\p{L}\p{N}_]/u);

/** Creates a test of one code unit of a text: by a table for ASCII, by the pattern for others. */
function charactersOf(pattern: RegExp): (text: string, at: number) => boolean {
  const ascii = Uint8Array.from({ length: 0x80 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
  return (text, at) => {
    const known = ascii[text.charCodeAt(at)];
    return known === undefined ? pattern.test(text.charAt(at)) : known === 1;
  };
}

/** A host with words for the sign before it and for its dots. */
const spokenHosts = smallWords('mailWords')
  .split('|')
  .map((words) => words.split(' '))
  .map(
    ([sign = '', dot = '']) => String.raw`${sign} [\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?: ${dot} [\p{L}\p{N}-]{2,24}){1,4}`,
  );
/** Words for the sign and the dot of an address in place of the characters: "anna AT mail DOT example". */
const spokenEmail = anywhere({
  type: 'EMAIL_ADDRESS',
  rule: 'email.spoken',
  pattern: new RegExp(
    String.raw`(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}][\p{L}\p{N}._%+-]{0,62} (?:${spokenHosts.join('|')})(?![\p{L}\p{N}])`,
    'giu',
  ),
  mayMatch: ({ keywords }) => keywords.of('mailDot').length > 0,
  score: () => 0.9,
});

/** An address whose sign is written in parentheses, so that programs do not collect it: "anna(at)mail.example". */
const spelledEmail = anywhere({
  type: 'EMAIL_ADDRESS',
  rule: 'email.spelled',
  pattern:
    /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}][\p{L}\p{N}._%+-]{0,62} ?(?:\(at\)|\[at\]) ?[\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?:(?:\.| ?(?:\(dot\)|\[dot\]|\(punkt\)) ?)[\p{L}\p{N}-]{2,63}){1,4}/giu,
  mayMatch: ({ text }) =>
    text.includes('(at)') || text.includes('[at]') || text.includes('(AT)') || text.includes('[AT]'),
  score: () => 0.95,
});

/** E-mail addresses. Extends each `@` in both directions within the limits of RFC 5321, so the run time is linear. */
const email: Recognizer = {
  type: 'EMAIL_ADDRESS',
  rule: 'email',
  mayMatch: (stats) => stats.hasAt,
  find(text, emit) {
    for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
      let start = at;
      while (start > 0 && at - start < 64 && local(text, start - 1)) start--;
      let end = at + 1;
      while (end < text.length && end - at < 254 && host(text, end)) end++;
      while (start < at && !wordCharacter(text, start)) start++;
      start += cutOf(text.slice(start, at), text.charAt(end));
      const domain = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}/u.exec(
        text.slice(at + 1, end),
      )?.[0];
      if (!domain || start === at || text.charAt(at - 1) === '.') continue;
      if (text.slice(start, at) === 'git') continue;
      const last = at + 1 + domain.length;
      emit(start - lengthBeforeQuote(text, start, last), last, 1);
    }
  },
};

/** A single letter before an apostrophe that begins a family name: "o'neil". Others are the end of a word: "l'adresse". */
const elided = /(?<![\p{L}\p{N}])(?:o|O|D)$/u;

/**
 * The length of what stands before the name of an address: a key and its sign, a path, an opening quote.
 * @param next the character behind the address
 */
function cutOf(name: string, next: string): number {
  const apostrophe = name.lastIndexOf("'");
  const isPart = next !== "'" && apostrophe > 0 && elided.test(name.slice(0, apostrophe));
  const cut = Math.max(...Array.from('=/|`', (mark) => name.lastIndexOf(mark)), isPart ? -1 : apostrophe);
  return cut < name.length - 1 ? cut + 1 : 0;
}

/**
 * The length of a quote within an address and of the letters before it. A quote that another one on the line opens or closes is
 * no part of it.
 */
function lengthBeforeQuote(text: string, start: number, end: number): number {
  if (text.charAt(start - 1) !== '"') return 0;
  const before =
    text
      .slice(Math.max(0, start - LINE), start - 1)
      .split('\n')
      .at(-1) ?? '';
  const [after = ''] = text.slice(end, end + LINE).split('\n', 1);
  if (before.includes('"') || after.includes('"')) return 0;
  const [letters = ''] = /(?<![\p{L}\p{N}_])[\p{L}\p{N}]{1,20}$/u.exec(before) ?? [];
  return letters === '' ? 0 : letters.length + 1;
}

/** How much of a line is read on both sides of an address, in UTF-16 code units. */
const LINE = 120;

const urlEnd = /[^\s"'<>`\\^{|}\])]{1,2048}/y;

/** The length of the longest word before the first dot. */
const LONGEST_HOST = 'researchgate'.length;

/** URLs with a scheme, and those of {@link bareHost}. URLs of public hosts only if they are personal. */
const url: Recognizer = {
  type: 'URL',
  rule: 'url',
  otherRules: ['url.credential', 'url.account'],
  otherTypes: ['PUBLIC_URL'],
  mayMatch: (stats) => stats.hasUrl,
  find(text, emit) {
    let end = 0;
    for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
      let start = at;
      while (start > 0 && at - start < 16 && /[a-z+.]/i.test(text.charAt(start - 1))) start--;
      if (start === at) continue;
      // A URL inside a URL has the same end. Reading it again for each would take quadratic time.
      if (at + 3 >= end) end = readUrl(text, at + 3);
      const web = webScheme.test(text.slice(start, at));
      if (end > at + 5 && (web || credential.test(text.slice(start, end)))) emitIfPersonal(text, start, end, emit);
    }
    eachBareHost(text, (start) => {
      emitIfPersonal(text, start, readUrl(text, start), emit);
    });
  },
};

function eachBareHost(text: string, visit: (start: number) => void): void {
  for (let dot = text.indexOf('.'), done = 0; dot >= 0; dot = text.indexOf('.', dot + 1)) {
    // Most dots end a sentence.
    if (!(unitAt(text, dot + 1) > SPACE)) continue;
    let start = dot;
    while (start > done && dot - start < LONGEST_HOST && isAsciiLetter(unitAt(text, start - 1))) start--;
    if (start === dot) continue;
    bareHost.lastIndex = start;
    if (!bareHost.test(text)) continue;
    done = bareHost.lastIndex;
    visit(start);
  }
}

const SPACE = 0x20;
const isAsciiLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

function readUrl(text: string, from: number): number {
  urlEnd.lastIndex = from;
  const match = urlEnd.exec(text);
  return match ? from + match[0].replace(/(?:[.,;:!?*_]|\.{3}|&quot|&gt)+$/, '').length : from;
}

function emitIfPersonal(text: string, start: number, end: number, emit: Emit): void {
  const value = text.slice(start, end);
  const rest = value.replace(/^[a-z+.-]+:\/\//i, '').replace(/^[^/\s@]*@/, '');
  const domain = /^\[?[\p{L}\p{N}.:_-]+/u.exec(rest)?.[0].replace(/:\d*$/, '') ?? '';
  if (credential.test(value)) {
    emit(start, end, 0.98, typeOf(value), 'url.credential');
    return;
  }
  if (!/\.\p{L}{2,}$|^xn--/u.test(domain)) return;
  if (!publicHost.test(domain)) {
    emit(start, end, 0.8, typeOf(value));
    return;
  }
  const isDocumentation = documentationHost.test(domain);
  if (!isDocumentation && (account.test(rest) || identifiesSomebody(value)))
    emit(start, end, 0.7, 'URL', 'url.account');
}

const typeOf = (url: string): EntityType => (identifiesSomebody(url) ? 'URL' : 'PUBLIC_URL');

const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
/** Addresses that identify no machine: loopback, any, broadcast, masks, public resolvers. */
const sharedAddresses =
  /^(?:0\.0\.0\.0|127\.|255\.|1\.1\.1\.1$|1\.0\.0\.1$|8\.8\.[48]\.[48]$|9\.9\.9\.9$|224\.|169\.254\.169\.254$)/;

const versionWord = new RegExp(String.raw`(?:§|oid|${contextWords('version')})\s*[:=]?\s*$`);

/** The name of a product before its version: `Chrome/120.0.0.0` (RFC 9110, section 10.1.5). */
const product = /(?<![\p{L}\p{N}_/.-])[A-Z][A-Za-z]{1,20}\/$/u;

const ipv4 = aroundDigits({
  type: 'IP_ADDRESS',
  rule: 'ip.v4',
  pattern: new RegExp(`(?<![\\p{L}\\p{N}_.-])${octet}(?:\\.${octet}){3}(?![\\p{L}\\p{N}_]|\\.\\d|-\\p{L})`, 'gu'),
  mayMatch: ({ digits, hasDot }) => digits >= 4 && hasDot,
  score: (value, { text, start, end }) => {
    if (sharedAddresses.test(value)) return 0;
    const context = contextBefore(text, start, 24);
    if (versionWord.test(context) || product.test(text.slice(Math.max(0, start - 24), start))) return 0;
    // Excludes networks: 10.0.0.0/8.
    if (/^\/(?:\d|1\d|2[0-4])\b/.test(contextAfter(text, end, 4)) && value.endsWith('.0')) return 0;
    return 0.95;
  },
});

/** Whether a code unit is a hexadecimal digit. */
const isHex = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

/**
 * Visits hexadecimal addresses. Any word can begin one, so the search starts at the marks between the digits and visits
 * each mark once.
 * @param form pattern of an address from its first digit: sticky, and of limited length. A mark in it is followed by a
 * hexadecimal digit, or by a second colon.
 */
function eachHex(text: string, mark: string, form: RegExp, take: (value: string, start: number) => void): void {
  for (let at = text.indexOf(mark), end = 0; at >= 0; at = text.indexOf(mark, Math.max(at + 1, end))) {
    const next = text.charCodeAt(at + 1);
    if (!isHex(next) && next !== COLON) continue;
    let start = at;
    while (start > end && at - start < 4 && isHex(text.charCodeAt(start - 1))) start--;
    if (start === at && next !== COLON) continue;
    form.lastIndex = start;
    const value = form.exec(text)?.[0];
    if (value === undefined) continue;
    end = start + value.length;
    take(value, start);
  }
}

const COLON = 0x3a;

const ipv6Form =
  /(?<![\p{L}\p{N}_:.])(?:(?:[0-9a-f]{1,4}:{1,2}){2,7}(?:[0-9a-f]{1,4}|(?:\d{1,3}\.){3}\d{1,3})?|::(?:[0-9a-f]{1,4}:){1,6}[0-9a-f]{1,4})(?![\p{L}\p{N}_:])/iuy;

const ipv6: Recognizer = {
  type: 'IP_ADDRESS',
  rule: 'ip.v6',
  needsDigit: true,
  mayMatch: ({ text, digits }) => digits > 0 && text.includes(':'),
  find(text, emit) {
    eachHex(text, ':', ipv6Form, (value, start) => {
      if (isIPv6(value) && /\d/.test(value) && value.replace(/[:0]/g, '').length > 2)
        emit(start, start + value.length, 0.95);
    });
  },
};

const macForm =
  /(?<![\p{L}\p{N}:.-])(?:[0-9a-f]{2}(?:(?::[0-9a-f]{2}){5}|(?:-[0-9a-f]{2}){5})|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?![\p{L}\p{N}]|[:.-][0-9a-f])/iuy;

/** Addresses that no network card has, and three groups of only letters or only digits. */
const notADevice = /^(?:00[:-]){5}00$|^(?:ff[:-]){5}ff$|^\d{4}\.\d{4}\.\d{4}$|^[a-f]{4}\.[a-f]{4}\.[a-f]{4}$/i;

const mac: Recognizer = {
  type: 'MAC_ADDRESS',
  rule: 'mac',
  needsDigit: true,
  mayMatch: ({ digits }) => digits > 0,
  find(text, emit) {
    for (const mark of [':', '-', '.']) {
      eachHex(text, mark, macForm, (value, start) => {
        if (!notADevice.test(value)) emit(start, start + value.length, 0.95);
      });
    }
  },
};

/** Addresses and URLs that identify a person or a machine. */
export const internet: readonly Recognizer[] = [email, spelledEmail, spokenEmail, url, ipv4, ipv6, mac];
