import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ACTIONS, auditEventSchema } from './event.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/audit.md'), 'utf8');

/** The code in the first cells of the rows below a heading. */
const rowsAfter = (head: string): string[] => {
  const table = page.slice(page.indexOf(head)).split('\n\n')[0] ?? '';
  return Array.from(table.matchAll(/^\| `([^`]+)`/gm), ([, name = '']) => name);
};

describe('docs/audit.md', () => {
  it('has a row for each field, in the order of the events', () => {
    expect(rowsAfter('| Field ')).to.deep.equal(Object.keys(auditEventSchema.shape));
  });

  it('describes each action', () => {
    for (const action of ACTIONS) expect(page).to.include(`\`${action}\``);
  });
});
