import { expect } from 'chai';
import { isMonthOfDate } from './monthNames.ts';
import { Tokens } from './tokens.ts';

describe('isMonthOfDate', () => {
  /** @param marked the text, with `<` and `>` around one word. */
  function isMonth(marked: string): boolean {
    const text = marked.replace(/[<>]/g, '');
    const tokens = new Tokens();
    tokens.read(text);
    const at = Array.from({ length: tokens.count }, (_, token) => token).find(
      (token) => tokens.start[token] === marked.indexOf('<'),
    );
    return isMonthOfDate(tokens, text, { first: at ?? 0, last: at ?? 0 });
  }

  for (const marked of [
    'The meeting moved from 3 <May> to 10 May.',
    'The meeting moved from 3 May to 10 <May>.',
    'On <May> 5th we launch',
    'on the 5th of <June>',
    'See you <April> 12, 2025.',
    'since <August> 2024',
    'am 12. <August> um acht',
    'il 1 <Maggio>',
    'le 1er <Avril>',
    'from <April> 4 to April 9',
    'between <June> 3-5',
  ])
    it(`recognizes ${marked}`, () => expect(isMonth(marked)).to.equal(true));

  for (const marked of [
    'until then, <May> is quiet',
    'I met <April> on 4 May',
    'Ask <Jan> 3 questions',
    '<June> 12 Oak Street',
    'Call <May> 020 7946 0018',
    '3 <Anna> to 10',
    'Version 1.3 <May> help',
    'may 3 <may> 4',
  ])
    it(`does not take the name in ${marked} for a month`, () => expect(isMonth(marked)).to.equal(false));
});
