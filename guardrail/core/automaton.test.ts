import { expect } from 'chai';
import fc from 'fast-check';
import { createAutomaton } from './automaton.ts';

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
  it('finds every value at every place, overlapping ones too, longest first where they end together', () => {
    expect(scan(['he', 'she', 'hers', 'e'], 'ushers', () => true)).to.deep.equal([
      [1, 4, 'she'],
      [2, 4, 'he'],
      [3, 4, 'e'],
      [2, 6, 'hers'],
    ]);
  });

  it('asks for shorter values only until one is accepted', () => {
    const asked: string[] = [];
    const values = ['schmidt', 'anna schmidt', 'dt'];
    createAutomaton(values).scan(
      'anna schmidt',
      () => true,
      (_start, _end, index) => asked.push(values[index] ?? '') === 2,
    );
    expect(asked).to.deep.equal(['anna schmidt', 'schmidt']);
  });

  it('finds what a search for each value alone finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\ud83d', '\ude00'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 12 }), fc.array(word), (values, pieces) => {
        const text = pieces.join('');
        const naive: Found[] = [];
        for (let end = 1; end <= text.length; end++) {
          const ending = values.filter((value) => text.slice(0, end).endsWith(value));
          ending.sort((a, b) => b.length - a.length);
          for (const value of ending) naive.push([end - value.length, end, value]);
        }
        expect(scan(values, text, () => true)).to.deep.equal(naive);
      }),
      { numRuns: 3000 },
    );
  });

  it('tells many ways on from one place apart', () => {
    const values = Array.from({ length: 500 }, (_, at) => `x${String.fromCharCode(0x4e00 + at)}`);
    expect(scan(values, values.join(''), () => true)).to.have.length(500);
  });
});
