import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { textStatsOf } from '../textStats.ts';
import { unspaced } from './unspacedNames.ts';

/** The texts of a file, one a line. */
const textsOf = (language: string, file: string): readonly string[] =>
  readFileSync(new URL(`../../languages/${language}/testing/${file}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n');

/** The values in a text, in order and without those within others. */
function find(text: string): string[] {
  const stats = textStatsOf(text);
  const spans: { start: number; end: number }[] = [];
  for (const { mayMatch, find: look } of unspaced) {
    if (mayMatch(stats)) look(stats.text, (start, end) => spans.push({ start, end }), stats);
  }
  const isWithin = (inner: { start: number; end: number }): boolean =>
    spans.some(({ start, end }) => start <= inner.start && inner.end <= end && end - start > inner.end - inner.start);
  return [
    ...new Set(
      spans
        .filter((span) => !isWithin(span))
        .sort((a, b) => a.start - b.start)
        .map(({ start, end }) => text.slice(start, end)),
    ),
  ];
}

describe('names and addresses without spaces', () => {
  for (const language of ['zh', 'ja', 'ko']) {
    for (const marked of textsOf(language, 'names')) {
      it(`are found in ${marked}`, () => {
        const values = Array.from(marked.matchAll(/\[([^\]]+)\]/g), ([, value]) => value);
        expect(find(marked.replace(/[[\]]/g, ''))).to.deep.equal(values);
      });
    }

    it(`are not found in other sentences: ${language}`, () => {
      const found = textsOf(language, 'innocent').flatMap((text) => find(text).map((value) => `${value}: ${text}`));
      expect(found).to.deep.equal([]);
    });
  }

  it('are found again where nothing announces them', () => {
    expect(find('我叫李晓燕。李晓燕的合同')).to.deep.equal(['李晓燕']);
    const spans: number[] = [];
    const stats = textStatsOf('我叫李晓燕。李晓燕的合同');
    for (const { find: look } of unspaced) look(stats.text, (start) => spans.push(start), stats);
    expect(spans).to.include.members([2, 6]);
  });
});
