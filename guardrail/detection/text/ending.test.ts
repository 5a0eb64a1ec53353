import { expect } from 'chai';
import fc from 'fast-check';
import { contextWords } from '../languages/languages.ts';
import { byEnding, endsWith } from './ending.ts';

describe('endsWith', () => {
  const sources = [
    String.raw`(?<![\p{L}\p{N}])(?:in|bei|near|à)\s?`,
    String.raw`(?<![\p{L}\p{N}])(?:town|home ?town)["']?\s?[:=>]\s?["']?`,
    String.raw`(?:my|l['’])(?:\s|(?<=['’]))`,
    '',
  ];

  it('finds what the pattern with an end finds', () => {
    const part = fc.constantFrom(
      'in',
      'bei',
      'à',
      'my',
      'l’',
      'home',
      'town',
      ' ',
      ':',
      '"',
      '\n',
      'x',
      '😀',
      '\ud83d',
    );
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.constantFrom(...sources), text, (source, written) => {
        expect(endsWith(source, 'u')(written)).to.equal(new RegExp(`(?:${source})$`, 'u').test(written));
      }),
    );
  });
});

describe('byEnding', () => {
  const tables: Readonly<Record<string, string>> = {
    'in|an|on|to': '(?:i|a|o)n|to',
    'Herr|Frau': 'Herr|Frau',
    'en|den|d|n': '(?:(?:|d)e|)n|d',
    [String.raw`\d|d|(?:a|b)d|d?`]: String.raw`\d|d?|(?:|(?:a|b))d`,
    'vecin[oa]|a|na': 'vecin[oa]|(?:|n)a',
  };
  for (const [alternatives, grouped] of Object.entries(tables)) {
    it(`groups ${alternatives}`, () => {
      expect(byEnding(alternatives)).to.equal(grouped);
    });
  }

  it('finds the same', () => {
    const purposes = ['homePreposition', 'home', 'ownHome', 'ownPlace', 'self', 'town', 'courtesyTitle'] as const;
    const words = purposes.flatMap((purpose) =>
      contextWords(purpose)
        .replace(/[^\p{L}|]/gu, '')
        .split('|'),
    );
    const text = fc.array(fc.constantFrom(...words, ' ', "'", '1', ': '), { maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...purposes), text, (purpose, parts) => {
        const [own, other] = [contextWords(purpose), byEnding(contextWords(purpose))].map((source) =>
          endsWith(`(?:${source})`, 'u')(parts.join('')),
        );
        expect(other).to.equal(own);
      }),
    );
  });
});
