import { expect } from 'chai';
import fc from 'fast-check';
import { differences, type Measurement, measurementIn, parse, render, type Row, withTable } from './table.ts';

const EMPTY = [
  '# Title\n\n<!-- measured by npm run conformance -- litellm: begin -->\n<!-- prettier-ignore-start -->\n',
  '<!-- prettier-ignore-end -->\n<!-- measured by npm run conformance -- litellm: end -->\n\nMore.\n',
].join('');
const OUTCOMES = ['**leaks**', 'dropped', 'guarded'];

const row = (route: string, field: string, outcome: string): Row => ({ route, field, outcome });
const measured: Measurement = {
  version: 'LiteLLM 1.0.0',
  rows: [
    row('`/chat`', '`content`', 'guarded'),
    row('`/chat`', '`stop`', '**leaks**'),
    row('`/embeddings`', '`input`', 'guarded'),
    row('`/chat`', '`name`', '**leaks**'),
    row('`/embeddings`', 'sound', '*not measured*'),
  ],
};

describe('the measured table', () => {
  it('has a line for each route and outcome, sorted from worst to best', () => {
    expect(render(measured, OUTCOMES)).to.equal(
      [
        'Measured on LiteLLM 1.0.0:\n',
        '| route | outcome | fields |',
        '| --- | --- | --- |',
        '| `/chat` | **leaks** | `stop`, `name` |',
        '| `/chat` | guarded | `content` |',
        '| `/embeddings` | guarded | `input` |',
        '| `/embeddings` | *not measured* | sound |\n',
      ].join('\n'),
    );
  });

  it('is written and read between the markers of a document', () => {
    const document = withTable(EMPTY, 'litellm', render(measured, OUTCOMES));
    expect(document)
      .to.match(/^# Title\n/)
      .and.match(/\nMore\.\n$/);
    expect(differences(measurementIn(document, 'litellm'), measured)).to.deep.equal([]);
    expect(withTable(document, 'litellm', render(measured, OUTCOMES)), 'written twice').to.equal(document);
    expect(() => measurementIn('# Title\n', 'litellm')).to.throw('does not contain the markers');
    expect(() => withTable(EMPTY, 'inline', '')).to.throw('does not contain the markers');
  });

  it('reports the differences of rows and of the version', () => {
    const later: Measurement = {
      version: 'LiteLLM 2.0.0',
      rows: [
        row('`/chat`', '`content`', '**leaks**'),
        ...measured.rows.slice(1, 4),
        row('`/chat`', '`voice`', 'dropped'),
      ],
    };
    expect(differences(measured, later)).to.deep.equal([
      'version: LiteLLM 1.0.0 → LiteLLM 2.0.0',
      '`/chat` `content`: guarded → **leaks**',
      '`/embeddings` sound: *not measured* → (no longer measured)',
      '`/chat` `voice`: (not in the table) → dropped',
    ]);
    expect(differences(measurementIn(EMPTY, 'litellm'), measured)).to.have.length(1 + measured.rows.length);
  });

  it('rejects text that cannot stand in a cell', () => {
    for (const bad of [row('a|b', 'f', 'guarded'), row('r', 'one, two', 'guarded'), row('r', 'a\nb', 'guarded')]) {
      expect(() => render({ version: 'v', rows: [bad] }, OUTCOMES)).to.throw('cannot be a table cell');
    }
  });

  it('reads back any written table unchanged', () => {
    const cell = fc.stringMatching(/^[a-z`{}:/_]{1,12}$/);
    const rows = fc.uniqueArray(
      fc.record({ route: cell, field: cell, outcome: fc.constantFrom(...OUTCOMES, 'other') }),
      {
        selector: ({ route, field }) => `${route} ${field}`,
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(rows, (written) => {
        const table = render({ version: 'X 1', rows: written }, OUTCOMES);
        expect(differences(parse(table), { version: 'X 1', rows: written })).to.deep.equal([]);
        expect(render(parse(table), [...OUTCOMES, 'other'])).to.equal(
          render({ version: 'X 1', rows: written }, [...OUTCOMES, 'other']),
        );
      }),
    );
  });
});
