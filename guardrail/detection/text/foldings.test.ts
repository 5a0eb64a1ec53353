import { expect } from 'chai';
import fc from 'fast-check';
import { FOLDINGS, type Folding } from './foldings.ts';

/** The matches that a folding finds when it begins only where the next one can begin. */
function found({ pattern, nextBegin = (_text, from) => from }: Folding, text: string): string[] {
  const all: string[] = [];
  for (let from = nextBegin(text, 0); from >= 0; from = nextBegin(text, pattern.lastIndex)) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (!match) break;
    all.push(`${match.index} ${match[0]}`);
  }
  return all;
}

describe('foldings', () => {
  it('property: find all matches of their pattern', () => {
    const part = fc.oneof(
      fc.stringMatching(/^[\w+/.=-]{0,30}$/),
      fc.constantFrom(' ', '-'.repeat(14), 'QW5uYSBTY2htaWR0', 'QW5uYSBTY2ht', 'ö', '=', '\n'),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        for (const folding of FOLDINGS) {
          const all = Array.from(
            text.matchAll(new RegExp(folding.pattern)),
            ({ index, 0: value }) => `${index} ${value}`,
          );
          expect(found(folding, text)).to.deep.equal(all);
        }
      }),
      { numRuns: 300 },
    );
  });
});
