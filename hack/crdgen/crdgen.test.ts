import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { generate, GenerationError, type KindNames } from './crdgen.ts';
import * as good from './fixtures/good.ts';
import type { Problem } from './schema.ts';
import { projectSources } from './project.ts';

const root = join(import.meta.dirname, '../..');
const tsconfig = join(root, 'tsconfig.json');

function kindNamed(kind: string): KindNames {
  const singular = kind.toLowerCase();
  return {
    group: 'example.dev',
    version: 'v1',
    kind,
    listKind: `${kind}List`,
    plural: `${singular}s`,
    singular,
    shortName: singular.slice(0, 2),
  };
}

function problemsOf(run: () => unknown): readonly Problem[] {
  try {
    run();
  } catch (error) {
    if (error instanceof GenerationError) return error.problems;
    throw error;
  }
  return [];
}

/** A part of a type that a CRD would lose or reject, in the field `spec.at`. */
interface Loss {
  readonly what: string;
  /** The TypeScript type of the field. Default: string. */
  readonly type?: string;
  readonly isOptional?: true;
  /** The doc comments of the field, of the spec and of the kind; by default, a description alone. */
  readonly doc?: string;
  readonly specDoc?: string;
  readonly kindDoc?: string;
  readonly reason: string;
  /** Where it is reported: a field, by default `spec.at`, or a line of the source. */
  readonly field?: string;
}

/** Types that some losses refer to. TypeScript finds a doc comment only at the beginning of a line. */
const SHAPES = `
/** A shape. */
export interface LeftShape {
  /** A text. */
  at: string;
}
/** A shape. */
export interface RightShape {
  /** A number. */
  at: number;
}
/** A recursion. */
export interface Recursive {
  /** The next one. */
  next?: Recursive;
}
/** A map. */
export interface FieldsAndMap {
  /** A text. */
  text: string;
  [name: string]: string;
}`;

const rule = (text: string): string =>
  `@x-kubernetes-validations [{"rule": "${text}", "message": "this is not allowed: write something else"}]`;

const LOSSES: readonly Loss[] = [
  { field: 'source', what: 'an unknown tag', doc: '@remarks more', reason: '@remarks would be lost' },
  { field: 'source', what: 'a repeated tag', doc: '@maxLength 1\n@maxLength 2', reason: '@maxLength occurs twice' },
  {
    field: 'source',
    what: 'a value that is not JSON',
    doc: '@default 24h',
    reason: 'the value of @default is not JSON: 24h',
  },
  {
    field: 'source',
    what: 'a link to something that is no constant',
    doc: '@default {@link missing.at}',
    reason: '@default {@link missing.at} does not link to an exported text or number',
  },
  { field: 'source', what: '@readOnly', doc: '@readOnly', reason: '@readOnly would be lost' },
  { field: 'source', what: '@example', doc: '@example "one"', reason: '@example would be lost' },
  { field: 'source', what: '@if', doc: '@if {"type": "string"}\n@then {"maxLength": 3}', reason: '@if would be lost' },
  {
    field: 'source',
    what: '@propertyNames',
    doc: '@propertyNames {"maxLength": 3}',
    reason: '@propertyNames would be lost',
  },
  {
    field: 'source',
    what: '@uniqueItems',
    type: 'string[]',
    doc: '@uniqueItems\n@listType atomic',
    reason: '@uniqueItems would be',
  },
  {
    what: 'a recursion',
    type: 'Recursive',
    isOptional: true,
    field: 'spec.at.next',
    reason: 'the type contains itself',
  },
  { what: 'a tuple', type: '[string, number]', doc: '@listType atomic', reason: 'is a tuple' },
  { what: 'any value', type: 'unknown', reason: 'has no type that a CRD can express' },
  { what: 'two types', type: 'string | number', reason: 'has the types string and number' },
  { what: 'a union of objects', type: 'LeftShape | RightShape', reason: 'anyOf: a CRD cannot express it' },
  {
    what: 'an exclusive bound',
    type: 'number',
    doc: '@exclusiveMinimum 0',
    field: 'source',
    reason: '@exclusiveMinimum would',
  },
  { what: 'null', type: 'string | null', reason: 'has the types string and null' },
  { what: 'fields beside a map', type: 'FieldsAndMap', reason: 'has both named fields' },
  {
    field: 'source',
    what: 'a template literal',
    type: '`${number}s`',
    reason: 'a template literal type would allow any string',
  },
  { field: 'source', what: 'a Date', type: 'Date', reason: 'JSON has no Date type' },
  { what: 'a look-ahead', doc: '@pattern ^(?=a)b$', reason: 'the pattern ^(?=a)b$ is not in RE2 syntax' },
  { what: 'an unknown format', doc: '@format money', reason: 'format money is unknown for string' },
  { what: 'int64 of a number', type: 'number', doc: '@format int64', reason: 'format int64 is unknown for number' },
  {
    what: 'an integer that JavaScript rounds',
    type: 'number',
    doc: '@asType integer\n@format int64',
    reason: 'allows integers that JavaScript would round',
  },
  { what: 'an unbounded string under a rule', specDoc: rule('has(self.at)'), reason: 'needs @maxLength' },
  {
    what: 'an unbounded list under a rule',
    type: 'string[]',
    doc: `@listType atomic\n@eachItem {"maxLength": 3}\n${rule('size(self) > 0')}`,
    reason: 'needs @maxItems',
  },
  {
    what: 'an unbounded map under a rule',
    type: 'Record<string, string>',
    doc: `@eachValue {"maxLength": 3}\n${rule('size(self) > 0')}`,
    reason: 'needs @maxProperties',
  },
  {
    what: 'a rule about changes of an optional field',
    isOptional: true,
    doc: `@maxLength 3\n${rule('self == oldSelf')}`,
    reason: 'would not run when the field is added or removed',
  },
  {
    what: 'a rule without a message',
    doc: `@maxLength 3\n@x-kubernetes-validations [{"rule": "self != ''"}]`,
    reason: '@x-kubernetes-validations must be a JSON array of objects with rule and message',
  },
  {
    what: 'a rule with a short message',
    doc: '@maxLength 3\n@x-kubernetes-validations [{"rule": "true", "message": "no"}]',
    reason: 'must be one line of more than 20 characters',
  },
  { what: 'a field without a description', doc: '', reason: 'has no description' },
  { what: 'a list without a type', type: 'string[]', reason: 'needs @listType' },
  {
    what: 'a column without a field',
    kindDoc: '@printcolumn [{"name": "At", "type": "string", "jsonPath": ".spec.att"}]',
    reason: 'its path .spec.att matches no field',
    field: '@printcolumn At',
  },
];

/** The source of the kind with one loss. An empty doc comment has no description. */
function sourceOf({ type = 'string', isOptional, doc, specDoc = '', kindDoc = '' }: Loss, index: number): string {
  const comment = (description: string, tags: string): string =>
    `/**\n${[description, ...tags.split('\n')].map((line) => ` * ${line}`).join('\n')}\n */`;
  return `${comment('Spec.', specDoc)}
export interface Kind${index}Spec {
${comment(doc === '' ? '' : 'A field.', doc ?? '')}
  at${isOptional ? '?' : ''}: ${type};
}
/** Status. */
export interface Kind${index}Status {
  /** A number. */
  count?: number;
}
${comment('Kind.', kindDoc)}
export interface Kind${index} { spec: Kind${index}Spec; status?: Kind${index}Status }`;
}

describe('CRD generator', function () {
  this.timeout(60_000);

  describe('for supported types', () => {
    let crd: { spec: { names: object; versions: [{ schema: { openAPIV3Schema: RootSchema } } & object] } };
    interface RootSchema {
      properties: Schemas;
      'x-kubernetes-validations': unknown;
    }
    type Schemas = Record<'spec' | 'status', { properties: Record<string, unknown> }>;
    let properties: Schemas;
    before(() => {
      const file = join(import.meta.dirname, 'fixtures/good.ts');
      const metadata = { annotations: { 'example.dev/a': '1' }, labels: { b: '2' } };
      const files = generate({ files: [file], tsconfig, kinds: [kindNamed('Good')], constants: good, ...metadata });
      crd = parse(files.get('goods.example.dev.yaml') ?? '') as typeof crd;
      properties = crd.spec.versions[0].schema.openAPIV3Schema.properties;
    });

    for (const [field, schema] of Object.entries({
      only: { description: 'One value only.', type: 'string', enum: ['this'] },
      most: { description: 'A default that the program has, too.', type: 'number', default: 7 },
      interval: { description: 'Another.', type: 'string', maxLength: 8, default: '5m' },
      whole: { description: 'A whole number.', type: 'integer', format: 'int32' },
      share: { description: 'A number or a percentage.', maxLength: 5, 'x-kubernetes-int-or-string': true },
      names: {
        description: 'Names, each once.',
        type: 'array',
        maxItems: 3,
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', maxLength: 5 },
      },
      map: {
        description: 'Any texts.',
        type: 'object',
        maxProperties: 2,
        additionalProperties: { type: 'string', maxLength: 7 },
      },
      part: {
        description: 'A part, described where it is used, where it has another rule.',
        type: 'object',
        'x-kubernetes-validations': [
          { rule: 'true', message: 'this rule always holds: nothing to do' },
          { rule: 'has(self.text)', message: 'part must have a text: write one' },
        ],
        properties: { text: { description: 'A text.', type: 'string', maxLength: 5, default: 'a' } },
      },
    })) {
      it(`converts ${field}`, () => {
        expect(properties.spec.properties[field]).to.deep.equal(schema);
      });
    }

    it('matches the items of a list by their key', () => {
      expect(properties.spec.properties.parts).to.include({ 'x-kubernetes-list-type': 'map' });
      expect(properties.spec.properties.parts).to.have.deep.property('x-kubernetes-list-map-keys', ['name']);
    });

    it('names the kind, its columns, its status and its revision', () => {
      expect(crd).to.have.nested.property('metadata.name', 'goods.example.dev');
      expect(crd).to.have.deep.nested.property('metadata.annotations', { 'example.dev/a': '1' });
      expect(crd).to.have.deep.nested.property('metadata.labels', { b: '2' });
      expect(crd.spec.versions[0].schema.openAPIV3Schema['x-kubernetes-validations']).to.deep.equal([
        { rule: "self.metadata.name != 'no'", message: 'the name must not be no: use another name' },
      ]);
      expect(crd.spec.names).to.deep.include({ kind: 'Good', shortNames: ['go'], categories: ['all'] });
      expect(crd).to.have.nested.property('spec.conversion.strategy', 'None');
      expect(crd.spec.versions[0]).to.have.deep.property('subresources', { status: {} });
      expect(crd.spec.versions[0]).to.have.deep.property('additionalPrinterColumns', [
        { name: 'Name', type: 'string', jsonPath: '.spec.name' },
        { name: 'First', type: 'string', jsonPath: '.status.parts[0].name', priority: 1 },
      ]);
    });
  });

  describe('reports place and reason of', () => {
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'crdgen-'));
    });
    after(() => {
      rmSync(folder, { recursive: true });
    });
    function problemsIn(losses: readonly Loss[], names: readonly string[]): readonly Problem[] {
      const file = join(folder, `lossy-${names[0] ?? ''}.mts`);
      writeFileSync(file, [SHAPES, ...losses.map((loss) => sourceOf(loss, LOSSES.indexOf(loss)))].join('\n'));
      const files = [file] as const;
      const kinds = names.map(kindNamed);
      return problemsOf(() => generate({ files, tsconfig, kinds, constants: {}, annotations: {}, labels: {} }));
    }

    // The types of some losses cannot be compiled. They are found in the source of the types.
    for (const [index, loss] of LOSSES.entries()) {
      if (loss.field !== 'source') continue;
      it(loss.what, () => {
        const problems = problemsIn([loss], [`Kind${index}`]);
        expect(problems[0]?.place).to.match(/lossy-Kind\d+\.mts:\d+$/);
        expect(problems.map(({ reason }) => reason).join('\n')).to.include(loss.reason);
      });
    }

    describe('a schema', () => {
      const losses = LOSSES.filter(({ field }) => field !== 'source');
      let problems: readonly Problem[];
      before(() => {
        problems = problemsIn(
          losses,
          losses.map((loss) => `Kind${LOSSES.indexOf(loss)}`),
        );
      });
      for (const loss of losses) {
        it(loss.what, () => {
          const kind = `Kind${LOSSES.indexOf(loss)} ${loss.field ?? 'spec.at'}`;
          const found = problems.filter(({ place }) => place === kind);
          expect(found.map(({ reason }) => reason).join('\n')).to.include(loss.reason);
        });
      }
    });

    it('a kind that does not exist', () => {
      const [first = { what: '', reason: '' }] = LOSSES.filter(({ what }) => what === 'a tuple');
      expect(() => problemsIn([first], ['Nothing'])).to.throw('No file declares a type Nothing.');
    });
  });

  it('matches the files of crds/', () => {
    const files = generate(projectSources(root));
    const directory = join(root, 'crds');
    const written = Object.fromEntries(
      readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
    );
    expect(written, 'run npm run generate').to.deep.equal(Object.fromEntries(files));
  });
});
