import { expect } from 'chai';
import fc from 'fast-check';
import { parseDocument } from 'yaml';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import { MAX_YAML_ANCHORS, MAX_YAML_BYTES, MAX_YAML_DEPTH, parseYaml, YamlError } from './yaml.ts';

describe('parseYaml', () => {
  for (const [what, text, message] of [
    [
      'a text that is too long',
      `a: ${'x'.repeat(MAX_YAML_BYTES)}`,
      'is 257 KiB long, but the limit is 256 KiB: shorten it',
    ],
    ['a key twice', 'a: 1\nb: {c: 1, c: 2}', 'is not valid YAML at line 2, column 11 (DUPLICATE_KEY): correct it'],
    ['an open bracket', 'a: [', /^is not valid YAML at line 1, column 5 \(\w+\): correct it$/],
    ['two documents', 'a: 1\n---\nb: 1', 'contains several YAML documents: keep only one'],
    ['an alias without an anchor', 'a: *b', /\(BAD_ALIAS\)/],
    ['an alias before its anchor', 'a: *b\nc: &b 1', /\(BAD_ALIAS\)/],
    ['deep brackets', '['.repeat(MAX_YAML_DEPTH + 1) + ']'.repeat(MAX_YAML_DEPTH + 1), /\(TOO_DEEP\)/],
    ['brackets as deep as the stack', '['.repeat(50_000) + ']'.repeat(50_000), /^is not valid YAML/],
    [
      'too many anchors',
      Array.from({ length: MAX_YAML_ANCHORS + 1 }, (_, n) => `- &a${n} x\n`).join(''),
      /\(TOO_MANY_ANCHORS\)/,
    ],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => parseYaml(text))
        .to.throw(YamlError)
        .with.property('message')
        .that.satisfies((found: string) => (typeof message === 'string' ? found === message : message.test(found)));
    });
  }

  it('accepts a text at the limits of length and depth', () => {
    expect(parseYaml(`a: ${'x'.repeat(MAX_YAML_BYTES - 3)}`)?.get('a')).to.have.length(MAX_YAML_BYTES - 3);
    expect(parseYaml('['.repeat(MAX_YAML_DEPTH) + ']'.repeat(MAX_YAML_DEPTH))).not.to.equal(undefined);
    expect(parseYaml('a: &b 1\nc: [*b, {d: *b}]')?.toJS()).to.deep.equal({ a: 1, c: [1, { d: 1 }] });
    expect(parseYaml('# nothing')?.contents ?? null).to.equal(null);
  });

  it("finds the same duplicates as the parser's own check", () => {
    const key = fc.constantFrom('a', 'b', '1', '"1"', '0x1', 'null', '~', 'true', '"true"', '<<', '1.0');
    const value = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('x', '1'),
        fc
          .array(fc.tuple(key, tie('value')), { maxLength: 3 })
          .map((pairs) => `{${pairs.map((pair) => pair.join(': ')).join(', ')}}`),
        fc.array(tie('value'), { maxLength: 2 }).map((items) => `[${items.join(', ')}]`),
      ),
    })).value;
    fc.assert(
      fc.property(value, (text) => {
        const expected = parseDocument(text, { uniqueKeys: true }).errors.length > 0;
        let found = false;
        try {
          parseYaml(text);
        } catch (error) {
          found = (error as YamlError).code === 'DUPLICATE_KEY';
        }
        expect(found).to.equal(expected);
      }),
    );
  });

  it('takes linear time in the number of keys', () =>
    expectLinearTime('keys', 25_000, (length) => parseYaml(Array.from({ length }, (_, n) => `k${n}: v\n`).join(''))));
});
