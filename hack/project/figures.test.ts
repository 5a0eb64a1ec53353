import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = ['README.md', 'docs/comparison.md', 'docs/litellm-clients.md', 'docs/profiles.md'];
const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

/** The number of places by outcome in a table of the samples, as `npm run conformance` writes it. */
function places(table: string): ReadonlyMap<string, number> {
  const text = read('hack/samples/README.md').split(`-- ${table}: begin -->`)[1]?.split(`-- ${table}: end`)[0] ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:---|route)/.test(line));
  const counts = new Map<string, number>();
  for (const [, outcome = '', fields = ''] of rows.map(cellsOf)) {
    const key = /^\**[a-z ]+/.exec(outcome.replace('*not', 'not'))?.[0].replaceAll('*', '') ?? outcome;
    const count = fields.replaceAll(/`[^`]*`/g, 'x').split(', ').length;
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return counts;
}

/** The share of texts that are altered, in percent: a row of the model card. */
function altered(profile: string): number {
  const section = read('docs/model-card.md').split('### Development: `everyday_dev`')[1] ?? '';
  const row = section.split('\n').find((line) => line.startsWith(`| \`${profile}\``) && line.includes('balanced'));
  return Math.round(100 * Number(cellsOf(row ?? '')[2]));
}

describe('the figures in the documentation', () => {
  const text = pages.map(read).join('\n');
  const measured = (counts: ReadonlyMap<string, number>): number =>
    [...counts].reduce((sum, [outcome, count]) => (outcome.startsWith('not measured') ? sum : sum + count), 0);
  const [inline, generic, full] = ['inline', 'litellm', 'litellm-full'].map(places);
  const leaks = [inline, generic, full].map((counts) => counts?.get('leaks'));
  const restored = [inline, generic, full].map((counts) => counts?.get('restored'));

  it('are those of the tables of the samples', () => {
    const all = measured(generic ?? new Map());
    expect(measured(full ?? new Map())).to.equal(all);
    expect(measured(inline ?? new Map())).to.equal(all);
    expect(text).to.include(
      `${leaks[0] ?? ''} of ${all} inline; ${leaks[1] ?? ''} or ${leaks[2] ?? ''} of ${all} as a callback`,
    );
    expect(text)
      .to.include(`${leaks[1] ?? ''} of ${all} `)
      .and.to.include(`${leaks[2] ?? ''} of ${all};`);
    expect(text).to.include(`${restored[0] ?? ''} inline; ${restored[1] ?? ''} or ${restored[2] ?? ''} as a callback`);
    expect(text).to.include(`${restored[2] ?? ''} places, with tool calls`);
  });

  it('are those of the model card', () => {
    const [personal, confidential] = ['personal', 'confidential'].map(altered);
    expect(text).to.include(`the guardrail alters ${personal ?? ''} %`);
    expect(text).to.include(`${confidential ?? ''} % with \`confidential\``);
  });
});
