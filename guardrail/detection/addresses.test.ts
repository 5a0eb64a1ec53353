import { expect } from 'chai';
import { withAddresses } from './addresses.ts';
import type { Span } from './contract.ts';

/** Reads marks like `<Berlin|LOCATION>`, and writes the text with the resulting types. */
function marked(text: string): string {
  let plain = '';
  const spans: Span[] = [];
  for (const part of text.split(/(<[^>]*>)/)) {
    const [, value, type] = /^<(.*)\|(\w+)>$/s.exec(part) ?? [];
    if (value !== undefined && type !== undefined)
      spans.push({ start: plain.length, end: plain.length + value.length, type, score: 1, detector: 'fixed' });
    plain += value ?? part;
  }
  let from = 0;
  let shown = '';
  for (const { type, start, end } of withAddresses(plain, spans)) {
    shown += `${plain.slice(from, start)}<${plain.slice(start, end)}|${type}>`;
    from = end;
  }
  return shown + plain.slice(from);
}

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
      'a place in the same sentence',
      '<Am Anger 4|ADDRESS> is far from <Ulm|LOCATION>',
      '<Am Anger 4|ADDRESS> is far from <Ulm|LOCATION>',
    ],
    ['a person beside an address', '<Anna|PERSON>, <Am Anger 4|ADDRESS>', '<Anna|PERSON>, <Am Anger 4|ADDRESS>'],
    ['an organisation with a number', '<Studio 54|ORGANIZATION>', '<Studio 54|ORGANIZATION>'],
  ] as const)
    it(`decides ${what}`, () => expect(marked(before)).to.equal(after));
});
