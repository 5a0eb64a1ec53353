import { expect } from 'chai';
import { withMarks } from './testing/markedSpans.ts';
import type { Span } from './contract.ts';
import { withAddressLines } from './addressLines.ts';

/** Applies the function to a text in which "»" stands for ">", which marks cannot contain. */
const split = (text: string, spans: readonly Span[]): readonly Span[] =>
  withAddressLines(text.replaceAll('»', '>'), spans);

describe('withAddressLines', () => {
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
