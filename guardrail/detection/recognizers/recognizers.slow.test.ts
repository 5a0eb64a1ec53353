import { expectLinearTime } from '../../../hack/harness/linearTime.ts';
import type { Recognizer } from './recognizer.ts';
import { recognizersFor } from './recognizers.ts';
import { textStatsOf } from './textStats.ts';

const size = 100_000;
const repeated = (unit: string): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);

/** Texts for which careless patterns take quadratic time or worse. */
const hostile: Readonly<Record<string, string>> = {
  letters: repeated('a'),
  digits: repeated('1'),
  'spaced digits': repeated('1 '),
  'dashed digits': repeated('12-'),
  'dotted digits': repeated('1.'),
  'at signs': repeated('@'),
  'local parts': repeated('a.'),
  'incomplete addresses': repeated('a@b.'),
  'colons and hex': repeated('ab:'),
  'double colons': repeated('::'),
  schemes: repeated('http://'),
  'scheme letters': `${repeated('a')}://`,
  'www dots': repeated('www.'),
  'key prefixes': repeated('sk-a'),
  'base64 dots': repeated('eyJhbGciOiJI.'),
  'key starts': repeated('-----BEGIN PRIVATE KEY-----'),
  'begin dashes': repeated('-'),
  passwords: repeated('password='),
  'passwords of spaces': repeated('password '),
  'password is': repeated('password is a'),
  ibans: repeated('DE89 3704 '),
  spaces: repeated(' '),
  newlines: repeated('\n'),
  quotes: repeated('"\''),
  parentheses: repeated('(1) '),
  capitals: repeated('AB12 '),
  'born dates': repeated('born 1 '),
  emoji: repeated('😀1'),
  plus: repeated('+1'),
  slashes: repeated('/1/a'),
  keywords: repeated('bic plate valid aws 1 '),
  'keywords, further apart': repeated(`plate secret swift cvv 1${' -'.repeat(40)}`),
  latitudes: repeated('lat: 1.2345 '),
  degrees: repeated('1° 2\' 3" N '),
  'card codes': repeated('cvv 1'),
  'valid until': repeated('card exp 1/'),
  'basic credentials': repeated('basic QUJD '),
  'curl users': repeated(' -u a:b'),
  logins: repeated('login a password '),
  sessions: repeated('sessionid='),
  plates: repeated('plate A1 '),
  'document numbers': repeated('id card A1 '),
  'numbers after Han': repeated('电1'),
  'two digits each': repeated('12 '),
  'four digits each': repeated('4111 '),
  'cards in a row': repeated('4111-1111-1111-1111 '),
  'identifiers in a row': repeated('ssn 12 536-22-8726 '),
  'offsets from UTC': repeated('10:00 +0100 '),
  'offsets alone': repeated('+0100'),
  backslashes: repeated('\\'),
  'escaped quotes': repeated('\\"'),
  'escaped lines': repeated('\\n'),
  'escaped passwords': repeated('password\\":\\"a1'),
  'passwords that open strings': repeated('password="a'),
  'encoded passwords': repeated('password%22%3A%22'),
  'percent signs': repeated('%25'),
};

describe('structured recognizers on hostile text of 100 kB', () => {
  const texts = Object.entries(hostile).map(([name, text]) => ({ name, text, stats: textStatsOf(text) }));

  it('get its stats in linear time', async () => {
    for (const { name, text } of texts)
      await expectLinearTime(name, text.length, (length) => textStatsOf(text.slice(0, length)));
  });

  recognizersFor().forEach(({ type, mayMatch, find }: Recognizer, index) => {
    it(`take linear time: ${type} (${index})`, async () => {
      for (const { name, text } of texts.filter(({ stats }) => mayMatch(stats)))
        await expectLinearTime(name, text.length, (length) => {
          const stats = textStatsOf(text.slice(0, length));
          find(stats.text, () => undefined, stats);
        });
    });
  });
});
