import { expect } from 'chai';
import fc from 'fast-check';
import { buildAutomaton, createAutomaton, type Automaton } from './automaton.ts';

type Found = [start: number, end: number, value: string];

function scan(values: readonly string[], text: string, take: (found: Found) => boolean): Found[] {
  const taken: Found[] = [];
  createAutomaton(values).scan(
    text,
    () => true,
    (start, end, index) => {
      const found: Found = [start, end, values[index] ?? ''];
      if (take(found)) taken.push(found);
      return false;
    },
  );
  return taken;
}

describe('createAutomaton', () => {
  it('finds all values, also overlapping ones, longest first at each end', () => {
    expect(scan(['he', 'she', 'hers', 'e'], 'ushers', () => true)).to.deep.equal([
      [1, 4, 'she'],
      [2, 4, 'he'],
      [3, 4, 'e'],
      [2, 6, 'hers'],
    ]);
  });

  it('offers shorter values only until one is accepted', () => {
    const asked: string[] = [];
    const values = ['schmidt', 'anna schmidt', 'dt'];
    createAutomaton(values).scan(
      'anna schmidt',
      () => true,
      (_start, _end, index) => asked.push(values[index] ?? '') === 2,
    );
    expect(asked).to.deep.equal(['anna schmidt', 'schmidt']);
  });

  /** The result of a separate search for each value. */
  function naive(values: readonly string[], text: string): Found[] {
    const found: Found[] = [];
    for (let end = 1; end <= text.length; end++) {
      const ending = values.filter((value) => text.slice(0, end).endsWith(value));
      ending.sort((a, b) => b.length - a.length);
      for (const value of ending) found.push([end - value.length, end, value]);
    }
    return found;
  }

  // Only values in Latin-1 use a table.
  for (const [what, units] of [
    ['Latin-1', ['a', 'b', 'é']],
    ['any script', ['a', 'b', 'é', '\ud83d', '\ude00']],
  ] as const) {
    it(`finds the same as a separate search for each value: values in ${what}`, () => {
      const word = fc.string({ unit: fc.constantFrom(...units), minLength: 1, maxLength: 5 });
      const piece = fc.oneof(word, fc.constantFrom('x', '\u4e00'));
      fc.assert(
        fc.property(fc.uniqueArray(word, { maxLength: 12 }), fc.array(piece), (values, pieces) => {
          const text = pieces.join('');
          expect(scan(values, text, () => true)).to.deep.equal(naive(values, text));
        }),
        { numRuns: 2000 },
      );
    });
  }

  it('finds in parts what it finds at once', () => {
    const units = fc.constantFrom('a', 'b', '\ud83d');
    const word = fc.string({ unit: units, minLength: 1, maxLength: 5 });
    const text = fc.string({ unit: units, maxLength: 60 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 6 }), text, fc.integer({ min: 1, max: 9 }), (values, all, size) => {
        const found: Found[] = [];
        const automaton = createAutomaton(values);
        const accept = (start: number, end: number, index: number): boolean => {
          found.push([start, end, values[index] ?? '']);
          return false;
        };
        for (let [from, state] = [0, 0]; from < all.length; from += size) {
          const range = { from, to: Math.min(from + size, all.length), state };
          state = automaton.scan(all, () => true, accept, range);
        }
        expect(found).to.deep.equal(scan(values, all, () => true));
      }),
    );
  });

  it('finds the same with and without a table', () => {
    const values = Array.from({ length: 900 }, (_, at) => `value ${(at * 7919) % 10_000} of many`);
    const text = values.join(', ') + 'value 1 of value 7919 of many';
    const found = scan(values, text, () => true);
    expect(found).to.deep.equal(scan([...values, '\u4e00'], text, () => true));
    expect(found).to.deep.equal(
      scan(values.slice(0, 40), text, () => true)
        .concat(scan(values.slice(40), text, () => true))
        .sort(([, a], [, b]) => a - b),
    );
  });

  it('does not find empty values', () => {
    expect(scan(['', 'a'], 'ba', () => true)).to.deep.equal([[1, 2, 'a']]);
    expect(scan([], 'ba', () => true)).to.deep.equal([]);
  });

  it('distinguishes many children of one node', () => {
    const values = Array.from({ length: 500 }, (_, at) => `x${String.fromCharCode(0x4e00 + at)}`);
    expect(scan(values, values.join(''), () => true)).to.have.length(500);
  });

  it('calls the same functions with the same places, however few values a call has', async () => {
    /** Every call of the functions, if each answers by the place that it gets. */
    const callsOf = (automaton: Automaton, text: string): unknown[] => {
      const calls: unknown[] = [];
      automaton.scan(
        text,
        (end) => {
          calls.push(end);
          return end % 5 !== 0;
        },
        (...place) => {
          calls.push(place);
          return (place[0] + place[2]) % 3 === 0;
        },
      );
      return calls;
    };
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '\ud83d', '\u4e00'), maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(word, { maxLength: 20 }),
        fc.array(word),
        fc.boolean(),
        async (values, pieces, isLong) => {
          const text = pieces.join('').repeat(isLong ? 200 : 1);
          const built = await buildAutomaton(values, () => undefined);
          expect(callsOf(built, text)).to.deep.equal(callsOf(createAutomaton(values), text));
          expect(callsOf(built, text.slice(1))).to.deep.equal(callsOf(createAutomaton(values), text.slice(1)));
        },
      ),
      { numRuns: 500 },
    );
  });
});
