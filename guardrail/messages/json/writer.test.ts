import { expect } from 'chai';
import fc from 'fast-check';
import { atOnce } from '../../eventLoop.ts';
import { MAX_NESTING } from '../contract.ts';
import { TooDeepError, writingJson, writingText } from './writer.ts';

describe('JSON that is written in steps', () => {
  it('has the bytes of JSON.stringify', () => {
    const value = fc.jsonValue({ maxDepth: 5, depthSize: 'large', stringUnit: 'binary' });
    fc.assert(
      fc.property(value, (one) => {
        expect(atOnce(writingText(one))).to.equal(JSON.stringify(one));
      }),
    );
  });

  it('has the bytes of JSON.stringify for what no JSON has', () => {
    const odd = [
      { a: undefined, b: 1 },
      { a: undefined },
      [undefined, Number.NaN, -0],
      JSON.parse('{"__proto__":{"a":1},"b":"\\ud800"}'),
    ];
    expect(odd.map((one) => atOnce(writingText(one)))).to.deep.equal(odd.map((one) => JSON.stringify(one)));
  });

  it('has no character in two parts', () => {
    const unit = fc.constantFrom('a', '"', '\n', '\u00e9', '\ud83d\ude00', '\ud83d', '\ude00');
    const long = fc.tuple(fc.array(unit, { minLength: 1, maxLength: 5 }), fc.integer({ min: 20_000, max: 40_000 }));
    fc.assert(
      fc.property(long, ([units, times]) => {
        const text = units.join('').repeat(times);
        const parts = atOnce(writingJson({ text }));
        const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
        expect(bytes.equals(Buffer.from(JSON.stringify({ text })))).to.equal(true);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused if it is nested too deeply', () => {
    const nested = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);
    expect(atOnce(writingText(nested(MAX_NESTING)))).to.have.length(2 * MAX_NESTING + 1);
    expect(() => atOnce(writingText(nested(MAX_NESTING + 1)))).to.throw(TooDeepError);
  });
});
