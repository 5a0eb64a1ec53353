import { expect } from 'chai';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import type { Span } from './contract.ts';
import { messageRangesOf } from './messageRanges.ts';
import { withNamesakes } from './namesakes.ts';

/** The types of the given values after the correction, in one text each. */
function judged(values: readonly (readonly [value: string, type: string])[]): string[] {
  const spans = values.map(([value, type]): Span[] => [
    { start: 0, end: value.length, type, score: 0.9, detector: 'fixed', rule: 'fixed' },
  ]);
  const texts = values.map(([value]) => value);
  const result = withNamesakes(texts, spans, messageRangesOf(texts.length, undefined));
  return result.flat().map(({ type }) => type);
}

describe('withNamesakes', () => {
  for (const [what, person, value, type, expected] of [
    ['the same name', 'Thomas Mann', 'Thomas Mann', 'PUBLIC_PERSON', 'PERSON'],
    ['the family name of a private person', 'Anna Merkel', 'Merkel', 'PUBLIC_PERSON', 'PERSON'],
    ['the name in capitals', 'Anna Merkel', 'ANNA MERKEL', 'PUBLIC_PERSON', 'PERSON'],
    ['another name with one part in common', 'Anna Merkel', 'Angela Merkel', 'PUBLIC_PERSON', 'PUBLIC_PERSON'],
    ['another name', 'Anna Schmidt', 'Angela Merkel', 'PUBLIC_PERSON', 'PUBLIC_PERSON'],
    ['a site with the name', 'Anna Schmidt', 'https://anna-schmidt.example', 'PUBLIC_URL', 'URL'],
    ['a site with the name in one word', 'Anna Schmidt', 'https://www.annaschmidt.example/blog', 'PUBLIC_URL', 'URL'],
    ['a path with the name reversed', 'Anna Schmidt', 'https://firm.example/Schmidt_Anna.jpg', 'PUBLIC_URL', 'URL'],
    ['accents', 'Zoë Müller', 'https://zoe-mueller.example', 'PUBLIC_URL', 'URL'],
    ['a name of three words', 'Aoife Ní Bhraonáin', 'https://s.example/aoife.nibhraonain', 'PUBLIC_URL', 'URL'],
    ['a site with the family name alone', 'Anna Schmidt', 'https://schmidt.example', 'PUBLIC_URL', 'PUBLIC_URL'],
    ['a given name alone', 'Anna', 'https://anna.example', 'PUBLIC_URL', 'PUBLIC_URL'],
  ] as const)
    it(`judges ${what}: ${value} beside ${person}`, () =>
      expect(judged([[person, 'PERSON'], [value, type]])).to.deep.equal(['PERSON', expected])); // prettier-ignore

  it('judges a place as an address if it is one elsewhere', () => {
    const values = [['Leeds', 'ADDRESS'], ['Leeds', 'LOCATION'], ['Leeds Castle', 'LOCATION']] as const; // prettier-ignore
    expect(judged(values)).to.deep.equal(['ADDRESS', 'ADDRESS', 'LOCATION']);
  });

  it('takes linear time', () =>
    expectLinearTime('names and URLs', 20_000, (length) => {
      const texts = Array.from({ length }, (_, at) => `Anna${'abcdefghij'.charAt(at % 10)} Schmidt${at}`);
      const urls = texts.map((_, at) => `https://example.org/a/b-c/d.${at}`);
      judged([...texts, ...urls].map((value) => [value, value.startsWith('https') ? 'PUBLIC_URL' : 'PERSON']));
    }));
});
