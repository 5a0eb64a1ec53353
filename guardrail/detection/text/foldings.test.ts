import { expect } from 'chai';
import fc from 'fast-check';
import type { Folding } from './folding.ts';
import { FOLDINGS, nextMatch } from './foldings.ts';

/** The matches that a folding finds when it begins only where the next one can begin. */
function found(folding: Folding, text: string): string[] {
  const all: string[] = [];
  for (let match = nextMatch(text, 0, folding); match; match = nextMatch(text, folding.pattern.lastIndex, folding)) {
    all.push(`${match.index} ${match[0]}`);
  }
  return all;
}

describe('foldings', () => {
  it('property: find all matches of their pattern', () => {
    const part = fc.oneof(
      fc.stringMatching(/^[\w+/.=-]{0,30}$/),
      fc.constantFrom(' ', '-'.repeat(14), 'QW5uYSBTY2htaWR0', 'QW5uYSBTY2ht', 'ö', '=', '\n'),
      fc.stringMatching(/^(?:\d{1,5}|[A-Z]{4}\d?|\))(?:[ \t]{0,5}\r?\n[ \t]{0,17}|[ \t.·•]{1,3})$/),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        for (const folding of FOLDINGS) {
          const { source, flags } = folding.pattern;
          const pattern = new RegExp(source, flags.replace('y', 'g'));
          const all = Array.from(text.matchAll(pattern), ({ index, 0: value }) => `${index} ${value}`);
          expect(found(folding, text)).to.deep.equal(all);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
