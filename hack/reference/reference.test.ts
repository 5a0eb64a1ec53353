import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { StructuralSchema } from '../crdgen/schema.ts';
import { readDocComments } from './docComments.ts';
import { fieldTables } from './fields.ts';
import { anchorOf, plain, table } from './markdown.ts';
import { guardrailMetrics, operatorMetrics } from './metrics.ts';
import { generateReference } from './reference.ts';
import { PATTERNS, ruleMessages, typeText } from './schemaText.ts';

const root = join(import.meta.dirname, '../..');
const crds = new Map(
  readdirSync(join(root, 'crds')).map((name) => [name, readFileSync(join(root, 'crds', name), 'utf8')]),
);

describe('the reference', function () {
  this.timeout(10_000);
  let page: string;
  before(() => {
    page = generateReference(crds);
  });

  it('has an anchor for each field, setting and metric, and each anchor once', () => {
    const ids = [...page.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids).to.include.members([
      'gatewaycustomer-spec-maxbudget',
      'gatewayinstance-spec-guardrail-inline-unknownroutes',
      'guardrailpolicy-spec-teams-allow-value',
      'gatewaycustomer-condition-synced',
      'guardrail-encryption-keys-file',
      'operator-watch-namespaces',
      'metric-guardrail-requests-total',
      'gateway-guardrail-dev-paused',
    ]);
  });

  it('explains each row', () => {
    const cellsOf = (line: string): string[] => line.slice(2, -2).split(/ \| /);
    const empty: string[] = [];
    let rows = 0;
    for (const block of page.split('\n\n').filter((text) => text.startsWith('| '))) {
      const [head = '', , ...lines] = block.trim().split('\n');
      const column = cellsOf(head).findIndex((cell) => /^(?:Meaning|Description)/.test(cell));
      rows += lines.length;
      empty.push(...lines.filter((line) => (cellsOf(line)[column] ?? '').trim() === ''));
    }
    expect(rows).to.be.greaterThan(500);
    expect(empty).to.deep.equal([]);
  });

  it('has each metric that the sources define', () => {
    const sources = globSync('{operator,guardrail}/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/testing/**'] });
    const name = /\bname: '((?:gateway_guardrail_operator|guardrail)_\w+)'/g;
    const defined = sources.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(name)].map(([, one = '']) => one),
    );
    const known = [...operatorMetrics(), ...guardrailMetrics()].map((metric) => metric.name);
    expect(defined).to.have.length.above(15);
    expect(known, 'register it in hack/reference/metrics.ts').to.include.members(defined);
  });

  it('names only patterns that the CRDs have', () => {
    const text = [...crds.values()].join('\n');
    expect([...PATTERNS.keys()].filter((pattern) => !text.includes(pattern))).to.deep.equal([]);
  });
});

describe('the words for a schema', () => {
  const cases: readonly [schema: StructuralSchema, text: string][] = [
    [{ type: 'string' }, 'string'],
    [{ type: 'string', minLength: 1, maxLength: 63 }, 'string, 1 to 63 characters'],
    [{ type: 'string', minLength: 0, maxLength: 63 }, 'string, at most 63 characters'],
    [{ type: 'string', enum: ['A', 'B'] }, '`A`, `B`'],
    [{ type: 'string', format: 'date-time' }, 'time'],
    [{ type: 'string', pattern: '^a|b$' }, 'string, matches `^a|b$`'],
    [{ type: 'integer', minimum: 0 }, 'integer, at least 0'],
    [{ type: 'integer', minimum: 0, maximum: 9 }, 'integer, 0 to 9'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, 'integer, 1 to 9'],
    [
      { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 9 } },
      'list of strings (at most 9 characters), at most 3 items',
    ],
    [{ type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } }, 'map of lists of strings'],
    [{ 'x-kubernetes-int-or-string': true }, 'integer or string'],
    [{}, 'any value'],
  ];
  for (const [schema, text] of cases) {
    it(`${JSON.stringify(schema)} is "${text}"`, () => {
      expect(typeText(schema)).to.equal(text);
    });
  }

  it('contain the rules of a field, of its items and of its values', () => {
    const rule = (message: string): Pick<StructuralSchema, 'x-kubernetes-validations'> => ({
      'x-kubernetes-validations': [{ rule: 'true', message }],
    });
    const schema = { ...rule('a'), items: { ...rule('b'), additionalProperties: rule('c') } };
    expect(ruleMessages(schema)).to.deep.equal(['a', 'b', 'c']);
  });
});

describe('the tables of fields', () => {
  const leaf = { type: 'string' } as const;
  const many = Object.fromEntries('abcdefgh'.split('').map((name) => [name, leaf]));

  it('contain small objects, and follow large ones with a table of their own', () => {
    const schema: StructuralSchema = {
      properties: {
        name: leaf,
        small: { properties: { x: leaf }, required: ['x'] },
        list: { items: { properties: { y: leaf } } },
        large: { properties: many },
      },
      required: ['name'],
    };
    const tables = fieldTables('spec', schema);
    expect(tables.map(({ path, fields }) => [path, fields.map((field) => field.path)])).to.deep.equal([
      ['spec', ['spec.name', 'spec.small', 'spec.small.x', 'spec.list', 'spec.list[].y', 'spec.large']],
      ['spec.large', Object.keys(many).map((name) => `spec.large.${name}`)],
    ]);
    expect(tables[0]?.fields.filter(({ isRequired }) => isRequired).map(({ path }) => path)).to.deep.equal([
      'spec.name',
      'spec.small.x',
    ]);
  });
});

describe('the Markdown', () => {
  it('escapes what would be markup, except in code', () => {
    expect(plain('a <b> *c* `d <e> *f*` [g](h)')).to.equal(
      String.raw`a &lt;b> \*c\* ` + '`d <e> *f*`' + String.raw` \[g\](h)`,
    );
    expect(table(['A'], [['x|y']])).to.equal('| A |\n| --- |\n| x\\|y |');
  });

  it('derives an anchor from a name', () => {
    expect(anchorOf('GatewayInstance.spec.allow[].value')).to.equal('gatewayinstance-spec-allow-value');
    expect(anchorOf('--watch-namespaces')).to.equal('watch-namespaces');
  });
});

describe('doc comments', () => {
  it('are read from constants and members', () => {
    const comments = readDocComments(join(root, 'operator/conditions/reasons.ts'));
    expect(comments.get('customerConditions.Synced')).to.equal("The gateway's record matches the spec.");
    expect(comments.get('policyConditions.Accepted')).to.equal('The policy is valid.');
  });
});
