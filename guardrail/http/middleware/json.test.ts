import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../../hack/harness/scale.ts';
import { atOnce } from '../../eventLoop.ts';
import { ServiceError } from './errors.ts';
import { checkNames, jsonBytes, MAX_DEPTH, parseJson, parseJsonInSteps, parsingLarge } from './json.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));

function codeOf(body: Buffer | string, read: (body: Buffer) => unknown = parseJson): string {
  try {
    read(Buffer.from(body));
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
      { numRuns: runs(3000) },
    );
  });

  it('reports the same problem as reading all names does', () => {
    const parts = [
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"b":1',
      '"a":2',
      '"\\u0061":[',
      '"',
      '\\',
      '['.repeat(MAX_DEPTH),
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), (chosen) => {
        const text = chosen.join('');
        const expected = codeOf(text, (body) => {
          checkNames(body);
          try {
            JSON.parse(text);
          } catch {
            throw new ServiceError('invalid_json');
          }
        });
        expect(codeOf(text)).to.equal(text === '' ? 'empty_body' : expected);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('does the same in steps', () => {
    const value = fc.json({ stringUnit: 'binary' });
    const soup = fc.array(fc.constantFrom(...'{}[]":,\\ u0a1-.e'.split(''), '"a"', 'null', '\\"', '{"a":1,"b":2}'));
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          soup.map((parts) => parts.join('')),
        ),
        (text) => {
          const inSteps = (body: Buffer): unknown => atOnce(parsingLarge(body));
          const code = codeOf(text);
          expect(codeOf(text, inSteps)).to.equal(code);
          if (code === 'none') expect(inSteps(Buffer.from(text))).to.deep.equal(parse(text));
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  for (const [what, text] of [
    ['names', `{${Array.from({ length: 100_000 }, (_, at) => `"${at}":0`).join(',')}}`],
    ['values', `[${'0,'.repeat(200_000)}0]`],
    ['escapes', `["${'\\"'.repeat(1_000_000)}"]`],
    ['invalid JSON', `{${Array.from({ length: 100_000 }, (_, at) => `"${at}":0`).join(',')}`],
  ] as const) {
    it(`yields many times in a body of ${what}`, () => {
      let steps = 0;
      const count = (body: Buffer): void => {
        for (const work = parsingLarge(body); work.next().done !== true;) steps += 1;
      };
      expect(codeOf(text, count)).to.equal(what === 'invalid JSON' ? 'invalid_json' : 'none');
      // No step reads more than 32,768 characters, or some hundred names.
      expect(steps).to.be.at.least(text.length / 32_768 + (what === 'names' ? 300 : 0));
    });
  }

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

describe('JSON of several megabytes', () => {
  const text = 'The figures of \u{1F600} and Müller are attached. '.repeat(200);
  const large = { texts: Array.from({ length: 2000 }, (_, at) => `${at} ${text}`) };
  const body = Buffer.from(JSON.stringify(large));

  /** The turns of the event loop during some work, and its result. */
  async function turnsDuring<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
    let turns = 0;
    let immediate: NodeJS.Immediate | undefined;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    immediate = setImmediate(count);
    const result = await work();
    clearImmediate(immediate);
    return { turns, result };
  }

  it('is read in several turns of the event loop, with the same result', async () => {
    const { turns, result } = await turnsDuring(async () => await parseJsonInSteps(body));
    expect(turns).to.be.above(0);
    expect(result).to.deep.equal(large);
  });

  it('is written in several turns of the event loop, with the same result', async () => {
    const { turns, result } = await turnsDuring(async () => await jsonBytes(large, body.length));
    expect(turns).to.be.above(0);
    expect(body.equals(result as Buffer)).to.equal(true);
  });

  it('is refused for the same reasons', async () => {
    const rest = JSON.stringify(large.texts.slice(0, 200));
    const faults = { duplicate_name: '{"a":1,"a":1,"b":', invalid_json: '{"a":', too_deep: '['.repeat(MAX_DEPTH + 1) };
    for (const [code, start] of Object.entries(faults)) {
      const broken = Buffer.from(`${start}${rest}${code === 'duplicate_name' ? '}' : ''}`);
      const parsing = async (): Promise<unknown> => await parseJsonInSteps(broken);
      const error = await parsing().then(
        () => undefined,
        (thrown: unknown) => thrown as ServiceError,
      );
      expect(error?.code).to.equal(code);
    }
  });

  it('is written as text if it is small', () => {
    expect(jsonBytes({ action: 'NONE' }, 100)).to.equal('{"action":"NONE"}');
  });
});
