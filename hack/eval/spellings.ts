/**
 * Ordinary values in many spellings: as copies from other programs, files and protocols write them. The list is written
 * apart from the patterns of detection.
 */

/** One value in one spelling, in a text. */
export interface Spelling {
  /** The name of the spelling. */
  readonly how: string;
  readonly type: string;
  /** The value as it is usually written. */
  readonly value: string;
  readonly text: string;
  /** The position of the value in the text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

interface Value {
  readonly type: string;
  readonly value: string;
  /** The text around the value. */
  readonly before: string;
  readonly after: string;
}

const VALUES: readonly Value[] = [
  value('CREDIT_CARD', 'Please charge my card ', '4111 1111 1111 1111', ' for the annual plan.'),
  value('CREDIT_CARD', 'Card number: ', '5500 0055 5555 5559', ', valid until next year.'),
  value('CREDIT_CARD', 'He paid with ', '3782 822463 10005', ' at the hotel.'),
  value('IBAN_CODE', 'Transfer it to ', 'DE89 3704 0044 0532 0130 00', ' today, please.'),
  value('IBAN_CODE', 'IBAN: ', 'GB29 NWBK 6016 1331 9268 19', '.'),
  value('IBAN_CODE', 'Mon compte est ', 'FR14 2004 1010 0505 0001 3M02 606', ', merci.'),
  value('US_SSN', 'Her SSN is ', '536-22-8726', ', as on the form.'),
  value('US_SSN', 'Social security number: ', '219-09-4821', ' (verified).'),
  value('PHONE_NUMBER', 'Call me at ', '+1 415 555 0132', ' after six.'),
  value('PHONE_NUMBER', 'Telefon: ', '+49 30 901820 47', ' (Büro).'),
  value('PHONE_NUMBER', 'Mon numéro est le ', '+33 6 12 34 56 78', ', merci.'),
  value('PHONE_NUMBER', 'My phone number is ', '(212) 555-0187', ' during the day.'),
  value('EMAIL_ADDRESS', 'Please write to ', 'marlene.voss@posteo.de', ' about it.'),
  value('EMAIL_ADDRESS', 'From: ', 'j.okafor@brightfield-labs.com', ''),
  value('EMAIL_ADDRESS', 'Contact ', 'nadia_petrova88@gmail.com', ' for the keys.'),
  value('API_KEY', 'export OPENAI_API_KEY=', 'sk-proj-9fK2mQx7Lw4RtZ8vBn3cYh6JdPs1AgEu', ''),
  value('API_KEY', 'The token is ', 'ghp_R7kLm2Qx9Vt4Zb8Nc3Yh6JdPs1AgEuWf5Xo', ', rotate it.'),
  value('PERSON', 'Please send the contract to ', 'Jürgen Müller', ' before Friday.'),
  value('PERSON', 'I spoke with ', 'Zoë Hernández', ' about her application yesterday.'),
  value('PERSON', 'The patient, ', 'Priscilla Newton', ', was admitted on Monday.'),
  value('PERSON', 'Dear ', 'François Lefèvre', ',\nthank you for your letter.'),
];

function value(type: string, before: string, text: string, after: string): Value {
  return { type, before, value: text, after };
}

/** Writes a value in another way. @returns undefined if this way does not apply to the value */
type Writer = (value: string, type: string) => string | undefined;

const isNumber = (type: string): boolean => ['CREDIT_CARD', 'IBAN_CODE', 'US_SSN', 'PHONE_NUMBER'].includes(type);
const isSpaced = (value: string): boolean => value.includes(' ');
const withSpaces =
  (space: string): Writer =>
  (value) =>
    isSpaced(value) ? value.replaceAll(' ', space) : undefined;
/** Replaces the separators of a number. */
const withSeparators =
  (separator: string): Writer =>
  (value, type) =>
    isNumber(type) ? value.replace(/(?<=\w)[ -](?=\w)/g, separator) : undefined;
const withDashes =
  (dash: string): Writer =>
  (value, type) =>
    isNumber(type) || value.includes('-') ? value.replace(/(?<=\w)[ -](?=\w)/g, dash) : undefined;
const withDigits =
  (zero: number): Writer =>
  (value, type) =>
    isNumber(type) ? value.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))) : undefined;
const perCharacter =
  (write: (character: string) => string): Writer =>
  (value) =>
    Array.from(value, write).join('');
/** Inserts a text in the middle of each group of letters and digits. */
const inside =
  (inserted: string): Writer =>
  (value) =>
    value.replace(/[\p{L}\d]{4,}/gu, (group) => `${group.slice(0, 2)}${inserted}${group.slice(2)}`);
const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
const hex = (character: string, digits: number): string => codeOf(character).toString(16).padStart(digits, '0');
/** The bytes of a text in quoted-printable form, as in an RFC 2047 mail header. */
const quotedPrintable = (text: string): string =>
  Array.from(Buffer.from(text), (byte) =>
    /[A-Za-z0-9.]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : byte === 32
        ? '_'
        : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
const NAMED: Readonly<Record<string, string>> = {
  ü: '&uuml;',
  ë: '&euml;',
  á: '&aacute;',
  ç: '&ccedil;',
  è: '&egrave;',
  '@': '&commat;',
  '+': '&plus;',
  ' ': '&nbsp;',
};
const CYRILLIC: Readonly<Record<string, string>> = { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', i: 'і', M: 'М', H: 'Н' };
const changed =
  (write: Writer): Writer =>
  (value, type) => {
    const text = write(value, type);
    return text === value ? undefined : text;
  };

const WRITERS: Readonly<Record<string, Writer>> = {
  'non-breaking spaces': withSpaces('\u00a0'),
  'narrow non-breaking spaces': withSpaces('\u202f'),
  'thin spaces': withSpaces('\u2009'),
  'figure spaces': withSpaces('\u2007'),
  'ideographic spaces': withSpaces('\u3000'),
  'two spaces': withSpaces('  '),
  tabs: withSpaces('\t'),
  'line ends': withSpaces('\n'),
  'line ends with indentation': withSpaces('\n    '),
  'a line end of Windows': withSpaces('\r\n'),
  'en dashes': withDashes('–'),
  'non-breaking hyphens': withDashes('\u2011'),
  'minus signs': withDashes('\u2212'),
  dots: withSeparators('.'),
  'middle dots': withSeparators('·'),
  'Arabic-Indic digits': withDigits(0x660),
  'Devanagari digits': withDigits(0x966),
  'full-width digits': withDigits(0xff10),
  'mathematical digits': withDigits(0x1d7ce),
  'full-width forms': perCharacter((c) => (/[!-~]/.test(c) ? String.fromCodePoint(codeOf(c) + 0xfee0) : c)),
  'decomposed letters': (value) => value.normalize('NFD'),
  'zero-width spaces': inside('\u200b'),
  'zero-width joiners': inside('\u200d'),
  'word joiners': inside('\u2060'),
  'byte order marks': inside('\ufeff'),
  'soft hyphens': inside('\u00ad'),
  'Cyrillic look-alikes': (value, type) =>
    isNumber(type) ? undefined : Array.from(value, (c) => CYRILLIC[c] ?? c).join(''),
  'percent encoding': (value) => encodeURIComponent(value).replace(/[()._-]/g, (c) => `%${hex(c, 2).toUpperCase()}`),
  'a query string': (value) => `q=${encodeURIComponent(value).replaceAll('%20', '+')}&page=1`.slice(2, -7),
  'decimal entities': perCharacter((c) => (/[A-Za-z0-9]/.test(c) ? c : `&#${codeOf(c)};`)),
  'hexadecimal entities': perCharacter((c) => (/[A-Za-z0-9]/.test(c) ? c : `&#x${hex(c, 1)};`)),
  'named entities': perCharacter((c) => NAMED[c] ?? c),
  'JSON escapes': perCharacter((c) => (/[A-Za-z0-9 .-]/.test(c) ? c : `\\u${hex(c, 4)}`)),
  'JSON escapes of every character': perCharacter((c) => `\\u${hex(c, 4)}`),
  'doubly escaped JSON': perCharacter((c) => (/[A-Za-z0-9 .-]/.test(c) ? c : `\\\\u${hex(c, 4)}`)),
  'hexadecimal escapes': (value) =>
    Array.from(Buffer.from(value, 'latin1'), (byte) =>
      /[A-Za-z0-9.]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).padStart(2, '0')}`,
    ).join(''),
  'an encoded word (RFC 2047, Q)': (value) => `=?UTF-8?Q?${quotedPrintable(value)}?=`,
  'an encoded word (RFC 2047, B)': (value) => `=?utf-8?B?${Buffer.from(value).toString('base64')}?=`,
  base64: (value) => Buffer.from(value).toString('base64'),
  'bold Markdown in the middle': (value) => value.replace(/(?<=[ .@-])([\p{L}\d]{2,})/u, '**$1**'),
  'code spans': (value) => value.replace(/(?<=[ .@-])([\p{L}\d]{2,})/u, '`$1`'),
  'HTML tags in the middle': (value) => value.replace(/(?<=[ .@-])([\p{L}\d]{2,})/u, '<b>$1</b>'),
  'HTML with attributes': (value) => value.replace(/(?<=[ .@-])([\p{L}\d]{2,})/u, '<span class="x">$1</span>'),
  'optional line breaks': (value) => value.replace(/(?<=[ .@-])/u, '<wbr>'),
  'mathematical letters': (value, type) =>
    type === 'PERSON'
      ? value.replace(/[A-Za-z]/g, (c) =>
          String.fromCodePoint((/[A-Z]/.test(c) ? 0x1d400 - 65 : 0x1d41a - 97) + codeOf(c)),
        )
      : undefined,
  ligatures: (value) => value.replaceAll('fi', 'ﬁ').replaceAll('ff', 'ﬀ'),
};

/** A value counts as readable if more than this part of its letters and digits is. */
export const READABLE_PART = 0.1;

/** All values in all spellings that apply to them. */
export const spellings: readonly Spelling[] = VALUES.flatMap(({ type, value, before, after }) =>
  Object.entries(WRITERS).flatMap(([how, write]) => {
    const written = changed(write)(value, type);
    if (written === undefined) return [];
    const start = before.length;
    return { how, type, value, text: `${before}${written}${after}`, start, end: start + written.length };
  }),
);

/** All values in their usual spelling. */
export const usualTexts: readonly Spelling[] = VALUES.map(({ type, value, before, after }) => ({
  how: 'the usual spelling',
  type,
  value,
  text: `${before}${value}${after}`,
  start: before.length,
  end: before.length + value.length,
}));

/** Markup and white space, which are not part of the value. */
const MARKUP = /<[^>]*>|[*`\s]+/g;

/**
 * The part of a value that is readable, from 0 to 1.
 * @param spans the ranges of the text that are replaced
 */
export function readablePart(
  { text, start, end }: Spelling,
  spans: readonly { readonly start: number; readonly end: number }[],
): number {
  const hidden = Array.from({ length: end - start }, (_, at) =>
    spans.some((span) => span.start <= start + at && start + at < span.end),
  );
  for (const { index, 0: markup } of text.slice(start, end).matchAll(MARKUP))
    hidden.fill(true, index, index + markup.length);
  return hidden.filter((isHidden) => !isHidden).length / hidden.length;
}
