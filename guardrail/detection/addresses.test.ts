import { expect } from 'chai';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import { withMarks } from './testing/markedSpans.ts';
import { withAddresses } from './addresses.ts';
import type { Span } from './contract.ts';

describe('withAddresses', () => {
  for (const [what, before, after] of [
    ['a place alone', 'from <Berlin|LOCATION> today', 'from <Berlin|LOCATION> today'],
    ['a place with a number', 'in <10115 Berlin|LOCATION>', 'in <10115 Berlin|ADDRESS>'],
    ['a town before its street', '<Ulm|LOCATION>, <Am Anger 4|ADDRESS>', '<Ulm|ADDRESS>, <Am Anger 4|ADDRESS>'],
    [
      'a town and a country after the street',
      '<Am Anger 4|ADDRESS>\n<Ulm|LOCATION>, <Germany|LOCATION>',
      '<Am Anger 4|ADDRESS>\n<Ulm|ADDRESS>, <Germany|ADDRESS>',
    ],
    [
      'a country before town and street',
      '<Germany|LOCATION>, <Ulm|LOCATION>, <Am Anger 4|ADDRESS>',
      '<Germany|ADDRESS>, <Ulm|ADDRESS>, <Am Anger 4|ADDRESS>',
    ],
    [
      'lines of a quoted message',
      '> <Am Anger 4|ADDRESS>\n> <Ulm|LOCATION>\n> <Germany|LOCATION>',
      '> <Am Anger 4|ADDRESS>\n> <Ulm|ADDRESS>\n> <Germany|ADDRESS>',
    ],
    [
      'lines after signs that the encoding lost',
      '??? <Am Anger 4|ADDRESS>\n??<? Apt. 5|ADDRESS>\n??? <Ulm|LOCATION>',
      '??? <Am Anger 4|ADDRESS>\n??<? Apt. 5|ADDRESS>\n??? <Ulm|ADDRESS>',
    ],
    [
      'a line that begins otherwise',
      '> <Am Anger 4|ADDRESS>\n* <Ulm|LOCATION>',
      '> <Am Anger 4|ADDRESS>\n* <Ulm|LOCATION>',
    ],
    [
      'a postal code behind the town',
      '# <Am Anger 4|ADDRESS>\n# <Ulm|LOCATION> 89073\n# <Germany|LOCATION>',
      '# <Am Anger 4|ADDRESS>\n# <Ulm 89073|ADDRESS>\n# <Germany|ADDRESS>',
    ],
    [
      'a number in the sentence after an address',
      '<Am Anger 4|ADDRESS>\n<Ulm|LOCATION> 89073 people',
      '<Am Anger 4|ADDRESS>\n<Ulm|ADDRESS> 89073 people',
    ],
    ['a number behind a place alone', 'in\n<Ulm|LOCATION> 89073', 'in\n<Ulm|LOCATION> 89073'],
    [
      'a town that was taken for a name',
      '<Am Anger 4|ADDRESS>\n<Ulm|PERSON>\n<Germany|LOCATION> 57006',
      '<Am Anger 4|ADDRESS>\n<Ulm|PERSON>\n<Germany 57006|ADDRESS>',
    ],
    [
      'a name at the beginning of the next line',
      '<Am Anger 4|ADDRESS>\n<Anna|PERSON> likes\n<Germany|LOCATION>',
      '<Am Anger 4|ADDRESS>\n<Anna|PERSON> likes\n<Germany|LOCATION>',
    ],
    [
      'fields of JSON',
      '"street":"<Am Anger 4|ADDRESS>", "town":"<Ulm|LOCATION>"',
      '"street":"<Am Anger 4|ADDRESS>", "town":"<Ulm|ADDRESS>"',
    ],
    [
      'elements of XML',
      '<code><0610|ADDRESS></code>\n  <land><Ulm|LOCATION></land>',
      '<code><0610|ADDRESS></code>\n  <land><Ulm|ADDRESS></land>',
    ],
    ['a country in parentheses', '<Am Anger 4|ADDRESS> (<Ulm|LOCATION>)', '<Am Anger 4|ADDRESS> (<Ulm|ADDRESS>)'],
    [
      'a place in the same sentence',
      '<Am Anger 4|ADDRESS> is far from <Ulm|LOCATION>',
      '<Am Anger 4|ADDRESS> is far from <Ulm|LOCATION>',
    ],
    ['a person beside an address', '<Anna|PERSON>, <Am Anger 4|ADDRESS>', '<Anna|PERSON>, <Am Anger 4|ADDRESS>'],
    ['an organisation with a number', '<Studio 54|ORGANIZATION>', '<Studio 54|ORGANIZATION>'],
  ] as const)
    it(`decides ${what}`, () => expect(withMarks(before, withAddresses)).to.equal(after));

  it('reads the spans in any order', () => {
    const text = 'Ulm, Am Anger 4';
    const spans: readonly Span[] = [
      { start: 5, end: 15, type: 'ADDRESS', score: 1, detector: 'fixed', rule: 'fixed' },
      { start: 0, end: 3, type: 'LOCATION', score: 1, detector: 'fixed', rule: 'fixed' },
    ];
    expect(withAddresses(text, spans).map(({ type }) => type)).to.deep.equal(['ADDRESS', 'ADDRESS']);
  });

  it('takes linear time', () =>
    expectLinearTime('places', 20_000, (length) => {
      const spans = Array.from({ length }, (_, at): Span => ({ start: 8 * at + 4, end: 8 * at + 7, type: at === 0 ? 'ADDRESS' : 'LOCATION', score: 1, detector: 'fixed', rule: 'fixed' })); // prettier-ignore
      withAddresses('> 4 Ulm\n'.repeat(length), spans);
    }));
});

/** Applies the step to a text. "»" stands for ">", because the marks of a find cannot contain that character. */
const split = (text: string, spans: readonly Span[]): readonly Span[] =>
  withAddresses(text.replaceAll('»', '>'), spans);

describe('withAddresses for lines with marks', () => {
  for (const [what, before, after] of [
    [
      'a quoted message',
      '» <12 Rue du Port\n» Apt. 3\n» 29770 Audierne|ADDRESS>',
      '» <12 Rue du Port|ADDRESS>\n» <Apt. 3|ADDRESS>\n» <29770 Audierne|ADDRESS>',
    ],
    ['a quote within a quote', '»»<Weg 5\n»» 50667 Köln|ADDRESS>', '»»<Weg 5|ADDRESS>\n»» <50667 Köln|ADDRESS>'],
    ['a comment', '# <Weg 5\n# 50667 Köln|ADDRESS>', '# <Weg 5|ADDRESS>\n# <50667 Köln|ADDRESS>'],
    [
      'a comment of source code',
      ' * <Weg 5,\r\n * 50667 Köln|ADDRESS>',
      ' * <Weg 5,|ADDRESS>\r\n * <50667 Köln|ADDRESS>',
    ],
    ['a list', '- <Weg 5\n- 50667 Köln|ADDRESS>', '- <Weg 5|ADDRESS>\n- <50667 Köln|ADDRESS>'],
    ['a line of marks', '» <Weg 5\n»\n» 50667 Köln|ADDRESS>', '» <Weg 5|ADDRESS>\n»\n» <50667 Köln|ADDRESS>'],
  ] as const)
    it(`splits ${what}`, () => expect(withMarks(before, split)).to.equal(after));

  for (const [what, text] of [
    ['lines without marks', '<Weg 5\n  50667 Köln\n\nGermany|ADDRESS>'],
    ['marks within a line', '<Weg 5 - 50667 Köln|ADDRESS>'],
    ['the number of a flat', '<288 Bukit Batok Street 21\n#07-114 Singapore|ADDRESS>'],
    ['other values', '» <Ann\n» Lee|PERSON>'],
    ['a text without an address', '» Hello\n» there'],
  ] as const)
    it(`leaves ${what}`, () => expect(withMarks(text, split)).to.equal(text));
});
