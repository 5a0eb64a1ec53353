import { expect } from 'chai';
import fc from 'fast-check';
import { ArrayElements } from './arrayElements.ts';

/** The elements of a text that arrives in pieces of the given sizes. */
function split(text: string, sizes: readonly number[] = [], maxBytes = 1_000_000): unknown[] {
  const elements = new ArrayElements(maxBytes);
  const bytes = Buffer.from(text);
  const found: string[] = [];
  let at = 0;
  for (const size of sizes) {
    found.push(...elements.push(bytes.subarray(at, at + size)));
    at += size;
  }
  found.push(...elements.push(bytes.subarray(at)));
  elements.end();
  return found.map((element) => JSON.parse(element) as unknown);
}

describe('elements of an array', () => {
  it('are those of the parsed text, however it is cut', () => {
    const lists = fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()));
    const pieces = fc.array(fc.integer({ min: 0, max: 9 }));
    fc.assert(
      fc.property(lists, pieces, fc.boolean(), (list, sizes, isIndented) => {
        const text = JSON.stringify(list, null, isIndented ? 2 : 0);
        expect(split(text, sizes)).to.deep.equal(JSON.parse(text));
      }),
    );
  });

  const refused: [name: string, text: string][] = [
    ['an object', '{"a":1}'],
    ['numbers', '[1,2]'],
    ['an unfinished list', '[{"a":1},'],
    ['an unfinished element', '[{"a":"'],
    ['nothing', ''],
    ['a second list', '[][]'],
    ['HTML', '<html></html>'],
  ];
  for (const [name, text] of refused) {
    it(`refuse ${name}`, () => {
      expect(() => split(text)).to.throw(/list/);
    });
  }

  it('have a maximum size, also in pieces', () => {
    const text = `[{"a":"${'x'.repeat(100)}"}]`;
    expect(split(text, [], 108)).to.have.length(1);
    expect(() => split(text, [], 107)).to.throw('too large');
    expect(() =>
      split(
        text,
        Array.from({ length: 10 }, () => 10),
        50,
      ),
    ).to.throw('too large');
  });
});
