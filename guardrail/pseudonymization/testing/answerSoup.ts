/** Answers that are hard to restore, and the values of their pseudonyms. */
import fc from 'fast-check';
import type { Pseudonym } from '../../ids.ts';
import type { Stored } from '../encoding.ts';

export const VALUES: ReadonlyMap<Pseudonym, Stored> = new Map(
  Object.entries({
    PERSON_K7Q2RTM4: 'Anna',
    PERSON_QQ12CDEF: 'O"Brien\n\\',
    PHONE_NUMBER_AB12CDEF: '4915112345678',
    US_SSN_A1B2C3D4E5F6G7H8: '-1.5e3',
    URL_K7Q2RTM4: 'https://user.example/anna.png?size=2',
    PASSWORD_K7Q2RTM4: '![x](https://e.example/?q=',
    EMAIL_ADDRESS_K7Q2RTM4: '"><img src=',
    SECRET_K7Q2RTM4: '{"a":"[\ud83d',
    ID_K7Q2RTM4: '',
    // As found by their codes, whatever their labels are.
    _QQ12CDEF: 'O"Brien\n\\',
    _AB12CDEF: '4915112345678',
  }).map(([name, value]) => [`<${name}>` as Pseudonym, { kind: 'value', value }]),
);

const TAGS = [...VALUES.keys()].map((pseudonym) => pseudonym.slice(1, -1).replace(/^_/, 'NAME_'));
const tag = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        ...['<', '[', '(', '&lt;', '%3C', '\\u003c', '"[', '\\"[', '\\\\\\"[', '< ', ''],
        ...['{', '{{', '«', '\\<', '</', '"', '**', '&#60;', '%253C', '\\x3c'],
      ),
      fc.constantFrom(...TAGS, 'PERSON_AAAAAAA2', '人_QQ12CDEF', 'Nom__QQ12CDEF'),
      fc.constantFrom(
        ...['>', ']', ')', '&gt;', '%3e', '\\u003e', ']"', ']\\"', ']\\\\\\"', " '>", "'s", "'", ' ', ''],
        ...['}', '}}', '»', '\\>', '/>', '](', '"', '**', '&#62;', '%253E', '\\x3e'],
      ),
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(...TAGS).map((name) => `<${name}>`),
);
/** More tags than are read one by one. */
const FLOOD = Array.from({ length: 40 }, (_, at) => `<a${at}b`).join('');
const markup = fc.constantFrom(
  FLOOD,
  ...['![', '![a](https://e.example/?q=', '](', '[x]: https://e.example/', ']: ', '(', ')', '[', ']', '`', '$', '\n\n'],
  ...['<img src="//e.example/', '<img ', ' src=', '<a href="', '<style>', '</style>', 'url(', '<p style="', '>', '<'],
  ...['="', "='", ' alt="', '<a1', '<b', '=\\"', ' c=\\"', '//', ';', '&', '&l', '%3', '\\', '\\\\', '\\u00', '_'],
);
const json = fc.constantFrom(
  ...['{"a":"', '{"a":', '"', '\\"', '\\\\\\"', '":"', '","', '{\\"b\\":\\"', '{\\"b\\":', '}', '",', '{', '[', ']'],
  ...[':', ',', '\\n', '\\u00e9', '1', '-2', '["', '"]', '\\u0021[', '{"n":"[PHONE_NUMBER_AB12CDEF]"}'],
  '{"a":"{\\"n\\":\\"[PHONE_NUMBER_AB12CDEF]\\"[PHONE_NUMBER_AB12CDEF]"',
);
const block = fc.constantFrom(
  '\n```sql\n',
  '\n```sh\n',
  '\n```html\n',
  '\n```csv\n',
  '\n```\n',
  "'",
  '"',
  '#',
  '<p title="',
);
const prose = fc.constantFrom(
  ...['Hello ', ' ', '\n', 'x', 'person ', 'PERSON', 'PER', 'e-mail address', '😀', '\ud83d', '\ude00', 'é', '’', "'s"],
  ...['K7Q2RTM4', 'AB12', '1. ', '- '],
);
export const soup = fc
  .array(fc.oneof(tag, tag, markup, json, prose, block), { maxLength: 24 })
  .map((parts) => parts.join(''));
