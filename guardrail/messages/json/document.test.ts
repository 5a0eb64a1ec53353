import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../../hack/harness/scale.ts';
import { JsonError, parseDocument, parsing, type Node } from './document.ts';

/** The values of the tokens, read again from their places. */
function reread(text: string, node: Node): unknown {
  switch (node.kind) {
    case 'object': {
      const entries = node.members.map(({ name, node: member }) => [reread(text, name), reread(text, member)]);
      return Object.fromEntries(entries) as unknown;
    }
    case 'array':
      return node.items.map((item) => reread(text, item));
    default:
      return JSON.parse(text.slice(node.start, node.end)) as unknown;
  }
}

const problemOf = (text: string): string => {
  try {
    parseDocument(text);
    return 'none';
  } catch (error) {
    if (error instanceof JsonError) return error.problem;
    throw error;
  }
};

describe('parseDocument', () => {
  it('reads a long string with escapes in steps', () => {
    const value = '"😀\n\u0000'.repeat(100_000);
    const text = JSON.stringify({ [value]: [value, 'short'] }).replaceAll('😀', '\\ud83d\\ude00');
    const work = parsing(text);
    let steps = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) steps += 1;
    expect(step.value.root.value).to.deep.equal({ [value]: [value, 'short'] });
    expect(reread(text, step.value.root)).to.deep.equal({ [value]: [value, 'short'] });
    expect(steps).to.be.at.least(text.length / 40_000);
    expect(problemOf(text.slice(0, -20))).to.equal('invalid_json');
    expect(problemOf(text.replaceAll('\\n', '\\q'))).to.equal('invalid_json');
  });

  it('reads any JSON as JSON.parse does, and knows the place of each token', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), fc.constantFrom(undefined, 1, '\t', '\r\n '), (json, indent) => {
        const value = JSON.parse(json) as unknown;
        const text = ` ${JSON.stringify(value, undefined, indent)}\n`;
        const root = parseDocument(text);
        expect(root.value).to.deep.equal(value);
        expect(reread(text, root)).to.deep.equal(value);
      }),
    );
  });

  it('accepts what JSON.parse accepts, and nothing else', () => {
    const accepts = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const tokens = '{ } [ ] , : " \\ u 0 / b n - + . e E 1 9 "a" true null {"a": 1.5'.split(' ');
    const soup = fc.array(fc.constantFrom(...tokens, ' ', '\n', '\u0001', '\ufeff', '\u00a0'));
    fc.assert(
      fc.property(
        soup.map((parts) => parts.join('')),
        (text) => {
          expect(problemOf(text) === 'none').to.equal(accepts(text));
        },
      ),
      { numRuns: runs(5000) },
    );
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('', '"', '\\', ',', '}', '0'), (json, at, char) => {
        const place = at % (json.length + 1);
        const text = json.slice(0, place) + char + json.slice(place + 1);
        expect(problemOf(text) === 'none').to.equal(accepts(text));
      }),
      { numRuns: runs(5000) },
    );
  });

  const cases: [name: string, text: string, problem: string][] = [
    ['256 levels', '['.repeat(256) + ']'.repeat(256), 'none'],
    ['257 levels', '['.repeat(257) + ']'.repeat(257), 'too_deep'],
    ['a million brackets', '['.repeat(1_000_000), 'too_deep'],
    ['half a million values', `[${'0,'.repeat(500_000)}0]`, 'too_many_values'],
    ['a string without an end', '"\\', 'invalid_json'],
  ];
  for (const [name, text, problem] of cases) {
    it(`finds ${problem} in ${name}`, () => expect(problemOf(text)).to.equal(problem));
  }

  it('keeps all members of one name, and a member named __proto__', () => {
    const root = parseDocument('{"a":1,"a":2,"__proto__":{"b":3}}');
    if (root.kind !== 'object') throw new Error('not an object');
    expect(root.members.map(({ name, node }) => [name.value, node.value])).to.deep.equal([
      ['a', 1],
      ['a', 2],
      ['__proto__', { b: 3 }],
    ]);
    expect([...(root.repeated ?? [])]).to.deep.equal(['a']);
    expect(Object.keys(root.value)).to.deep.equal(['a', '__proto__']);
  });
});
