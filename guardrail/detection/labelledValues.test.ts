import { expect } from 'chai';
import { createBuiltinDetector } from './builtinDetector.ts';
import { labelledValues, withLabelledValues } from './labelledValues.ts';
import { loadNameModels } from './ner/nameModels.ts';
import { thresholds } from './ner/thresholds.ts';
import { TokenLabels } from './ner/tokenLabels.ts';
import { Trace } from './trace.ts';
import type { Span } from './contract.ts';

const { networks, ...lists } = loadNameModels();
const labels = new TokenLabels(networks, lists);
const withValues = (text: string, spans: readonly Span[], trace?: Trace): readonly Span[] => {
  labels.read(text);
  return withLabelledValues(
    text,
    spans,
    labelledValues(text, labels, thresholds.balanced.alone, trace !== undefined),
    trace,
  );
};
const found = (text: string, spans: readonly Span[] = []): (readonly [string, string])[] =>
  withValues(text, spans).map(({ start, end, type }) => [type, text.slice(start, end)] as const);

describe('values after any label', () => {
  /** Texts with a value and its type, and the same text with the label of a harmless value. */
  const pairs: readonly (readonly [text: string, type: string, value: string, harmless: string])[] = [
    ['My locker badge number is 4471-BX.', 'ID', '4471-BX', 'The firmware version is 4471-BX.'],
    ['Kundennummer: 70-441928', 'ID', '70-441928', 'Artikelnummer: 70-441928'],
    ['numéro d’adhérent : 774 110 92', 'ID', '774 110 92', 'code erreur : 774 110 92'],
    ['{"memberNo": "L-20418"}', 'ID', 'L-20418', '{"modelNo": "L-20418"}'],
    ['Date of birth: 12 March 1985', 'DATE_OF_BIRTH', '12 March 1985', 'Release date: 12 March 1985'],
  ];
  for (const [text, type, value, harmless] of pairs) {
    it(`are found in ${text}, and not in ${harmless}`, () => {
      expect(found(text)).to.deep.equal([[type, value]]);
      expect(found(harmless)).to.deep.equal([]);
    });
  }

  it('are no part of a longer number or date', () => {
    for (const text of ['Updated on 2024-02-01 10:22:41 +0100', 'libssl-dev:amd64 3.0.2', 'see pages 12-14'])
      expect(found(text)).to.deep.equal([]);
  });

  it('are no pseudonyms and no other placeholders', () => {
    for (const text of [
      'password: <PASSWORD_JANNH1N4>',
      'Kind regards\n<PERSON_ZWCG76HF>',
      'Member no: <<ID_ZWCG76HF>>',
      'member no: {member_id_2}',
      'token: ${API_TOKEN_9}',
    ])
      expect(found(text), text).to.deep.equal([]);
  });

  it('leave other finds as they are, and add only what these do not cover', () => {
    const text = 'Kundennummer: 70-441928';
    const known: Span = {
      start: 14,
      end: 16,
      type: 'PHONE_NUMBER',
      score: 0.9,
      detector: 'builtin',
      rule: 'phone.label',
    };
    expect(withValues(text, [known])[0]).to.equal(known);
    expect(found(text, [known]).slice(1)).to.deep.equal([['ID', '441928']]);
    expect(withValues(text, [{ ...known, end: text.length }])).to.have.lengthOf(1);
    const left = { ...known, end: text.length, type: 'ORGANIZATION' };
    expect(found(text, [left]).slice(1)).to.deep.equal([['ID', '70-441928']]);
  });

  it('are not longer than a value: the detector would read on to its end', () => {
    expect(found(`Kundennummer: ${'7'.repeat(5000)}`)).to.deep.equal([]);
  });

  it('are the same in any order of the texts, and after a long one', () => {
    const text = 'Kundennummer: 70-441928';
    const before = found(text);
    found('Nothing to see here. '.repeat(2000));
    expect(found(text)).to.deep.equal(before);
    expect(found('')).to.deep.equal([]);
  });

  it('show their rule, and in a trace the candidates that are too unlikely', async () => {
    const { signal } = new AbortController();
    const text = 'My locker badge number is 4471-BX.';
    const [spans = []] = await createBuiltinDetector().detect([text], { signal });
    expect(spans.map(({ rule }) => rule)).to.include('value.id');
    const [without = []] = await createBuiltinDetector({ without: new Set(['step values']) }).detect([text], {
      signal,
    });
    expect(without).to.deep.equal([]);
    const trace = new Trace();
    withValues('Badge 12 of 4471-BX, gate 4471-BX, unit 93-XB, box 4471', [], trace);
    for (const { by, rule, score, threshold = 0 } of trace.dropped) {
      expect([by, rule.slice(0, 6)]).to.deep.equal(['modelThreshold', 'value.']);
      expect(score).to.be.below(1).and.above(0);
      expect(threshold).to.be.above(0);
    }
  });
});
