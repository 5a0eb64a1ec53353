import { expect } from 'chai';
import fc from 'fast-check';
import { ServiceError } from './errors.ts';
import { MAX_DEPTH, parseJson } from './json.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));

function codeOf(body: Buffer | string): string {
  try {
    parseJson(Buffer.from(body));
    return 'none';
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError);
    return (error as ServiceError).code;
  }
}

describe('parsing JSON', () => {
  it('returns the same as JSON.parse for any JSON with any whitespace', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const spaced = JSON.stringify(JSON.parse(text), undefined, space);
        // -0 is written as 0.
        expect(JSON.stringify(parse(spaced))).to.equal(JSON.stringify(JSON.parse(spaced)));
      }),
    );
  });

  it('refuses what JSON.parse refuses, and only deep nesting and duplicate names in addition', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'{}[]":,\\ u0a1-.e'.split(''), '"a"', 'null', '\\"')), (parts) => {
        const text = parts.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        const code = codeOf(text);
        if (!valid) expect(code).to.not.equal('none');
        else expect(code).to.be.oneOf(['none', 'duplicate_name']);
      }),
      { numRuns: 3000 },
    );
  });

  it('finds duplicate names at any depth and in any notation, per object', () => {
    const objects: [text: string, code: string][] = [
      ['{"a":1,"b":2}', 'none'],
      ['{"a":1,"a":2}', 'duplicate_name'],
      ['{"a":1,"\\u0061":2}', 'duplicate_name'],
      ['{"\\"":1,"\\u0022":2}', 'duplicate_name'],
      ['{"\\\\":1,"\\"":2}', 'none'],
      ['[{"a":1},{"a":1}]', 'none'],
      ['{"a":{"a":{"a":1}}}', 'none'],
      ['{"x":{"a":1},"a":[{"a":1}],"b":{"a":1,"c":"a","d":["a","a"]}}', 'none'],
      ['{"x":[{"a":[],"a":1}]}', 'duplicate_name'],
      ['{"a" : 1 ,\n "a" : 2}', 'duplicate_name'],
      ['{"__proto__":1,"__proto__":2}', 'duplicate_name'],
      ['{"a":"b","b":"a"}', 'none'],
    ];
    for (const [text, code] of objects) expect(codeOf(text), text).to.equal(code);
  });

  it('keeps __proto__ as an ordinary member', () => {
    const value = parse('{"__proto__":{"polluted":true}}') as object;
    expect(Object.keys(value)).to.deep.equal(['__proto__']);
    expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
  });

  it(`accepts at most ${MAX_DEPTH} levels`, () => {
    expect(codeOf('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH))).to.equal('none');
    expect(codeOf('['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1))).to.equal('too_deep');
    expect(codeOf(`["${'['.repeat(1000)}"]`)).to.equal('none');
  });
});
