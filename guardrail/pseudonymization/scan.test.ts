import { expect } from 'chai';
import fc from 'fast-check';
import { atOnce } from '../eventLoop.ts';
import { createGrammar, MAX_FORM } from './grammar.ts';
import { createLabelSet } from './labels.ts';
import { matchesIn } from './scan.ts';
import { soup } from './testing/answerSoup.ts';
import { callBy, createFakeAnalyzer, createTestGuard } from './testing/testGuard.ts';

const grammar = createGrammar(createLabelSet([]).labels);

describe('matchesIn', () => {
  it('finds in steps what the grammar finds at once', () => {
    const parts = fc.array(fc.tuple(soup, fc.nat(200)), { maxLength: 12 });
    fc.assert(
      fc.property(parts, fc.nat(20), fc.integer({ min: 1, max: 200 }), (list, from, more) => {
        const text = list.map(([part, spaces]) => part + ' '.repeat(spaces)).join('');
        const found = atOnce(matchesIn(grammar, text, from, MAX_FORM + more));
        expect(found).to.deep.equal(grammar.find(text, from));
      }),
    );
  });
});

describe('a text that is read in steps', () => {
  const { guard } = createTestGuard(createFakeAnalyzer({ Anna: 'PERSON', 'O"Brien': 'PERSON', '4711': 'ID' }));
  /** Values at and around the ends of the steps, whose length is a power of two. */
  const prose = ' '.repeat(200_000).replaceAll(' '.repeat(1021), (gap) => `${gap.slice(19)}Anna, O"Brien 4711 `);
  const texts: Record<string, string> = {
    prose,
    'markup with addresses': `<p class="a">${prose}</p><img src="//e.example/`,
    JSON: JSON.stringify([prose, { note: prose, id: 4711 }]),
    'JSON in a string of JSON': JSON.stringify({ rows: JSON.stringify([prose, 4711]) }),
    'characters of two units': prose.replaceAll('  ', '😀'),
  };
  for (const [what, text] of Object.entries(texts)) {
    it(`loses no value and is restored as it was: ${what}`, async () => {
      const sent = await guard.request({ texts: [text] }, callBy());
      if (sent.action !== 'GUARDRAIL_INTERVENED') throw new Error('Nothing was replaced.');
      expect(sent.texts[0]).not.to.match(/Anna|O\\*"Brien|4711/);
      const [answer = ''] = sent.texts;
      const back = await guard.response({ texts: [answer] }, callBy());
      expect(back.texts[0] === text).to.equal(true);

      const stream = guard.stream(callBy()).text('text');
      const pushed = await stream.push(answer);
      expect(pushed + (await stream.end()) === text).to.equal(true);
    });
  }
});
