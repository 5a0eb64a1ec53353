import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type ts from 'typescript';
import { parse } from 'yaml';
import { compile, generate, GenerationError, type KindNames, type Problem } from './crdgen.ts';
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

function fixture(name: string): { file: string; program: ts.Program } {
  const file = join(import.meta.dirname, 'fixtures', name);
  return { file, program: compile({ file, tsconfig }) };
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
      const { file, program } = fixture('good.ts');
      const files = generate(
        { file, tsconfig, kinds: [kindNamed('Good')], annotations: { 'example.dev/a': '1' }, labels: { b: '2' } },
        program,
      );
      crd = parse(files.get('goods.example.dev.yaml') ?? '') as typeof crd;
      properties = crd.spec.versions[0].schema.openAPIV3Schema.properties;
    });

    for (const [field, schema] of Object.entries({
      only: { description: 'One value only.', type: 'string', enum: ['this'] },
      nullable: { description: 'May be null.', type: 'number', nullable: true },
      most: { description: 'A default that the program has, too.', type: 'number', default: 7 },
      interval: { description: 'Another.', type: 'string', maxLength: 8, default: '5m' },
      positive: { description: 'More than nothing.', type: 'number', minimum: 0, exclusiveMinimum: true },
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
      anything: { description: 'Anything at all.', 'x-kubernetes-preserve-unknown-fields': true },
      part: {
        description: 'A part, described where it is used.',
        type: 'object',
        'x-kubernetes-validations': [{ rule: 'true', message: 'this rule always holds: nothing to do' }],
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

    it('merges the members of a union, and keeps the required fields of each', () => {
      const text = (description: string): object => ({ description, type: 'string' });
      expect(properties.status.properties.shape).to.deep.equal({
        description: 'One shape or the other.',
        type: 'object',
        properties: { one: text('One.'), other: text('Other.'), both: text('Common to both.') },
        required: ['both'],
        anyOf: [{ required: ['one', 'both'] }, { required: ['other', 'both'] }],
      });
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

  describe('reports file, field and reason of', () => {
    let file: string;
    let program: ts.Program;
    before(() => {
      ({ file, program } = fixture('lossy.ts'));
    });

    for (const [kind, reason, field = 'spec.at'] of [
      ['UnlistedTag', '@remarks would be lost'],
      ['RepeatedTag', '@maxLength occurs twice'],
      ['NotJson', 'the value of @default is not JSON: 24h'],
      ['NoConstant', '@default {@link changing.at} does not link to an exported constant'],
      ['ReadOnly', '@readOnly would be lost'],
      ['Examples', '@example would be lost'],
      ['Conditional', '@if would be lost'],
      ['PropertyNames', '@propertyNames would be lost'],
      ['UniqueItems', '@uniqueItems would be lost'],
      ['Recursion', 'the type contains itself'],
      ['Tuple', 'is a tuple'],
      ['Untyped', 'has no type'],
      ['TwoTypes', 'has the types string and number'],
      ['UnlikeUnion', 'is a union of different types'],
      ['DifferingUnion', 'has different types in the members of a union', 'spec.at.at'],
      ['FieldsAndMap', 'has both named fields and a map'],
      ['Template', 'a template literal type would allow any string'],
      ['DateObject', 'JSON has no Date type'],
      ['LookAhead', 'the pattern ^(?=a)b$ is not in RE2 syntax'],
      ['UnknownFormat', 'format money is unknown for string'],
      ['NumberAsInt64', 'format int64 is unknown for number'],
      ['Rounded', 'allows integers that JavaScript would round'],
      ['UnboundedString', 'needs @maxLength'],
      ['UnboundedList', 'needs @maxItems'],
      ['UnboundedMap', 'needs @maxProperties'],
      ['TransitionOnOptional', 'would not run when the field is added or removed'],
      ['RuleWithoutMessage', '@x-kubernetes-validations must be a JSON array of objects with rule and message'],
      ['NoDescription', 'has no description'],
      ['NoListType', 'needs @listType'],
      ['OptionalMapKey', 'its key name must be a required field of the items'],
      ['EmptyColumn', 'its path .spec.att matches no field', '@printcolumn At'],
    ] as const) {
      it(kind, () => {
        const problems = problemsOf(() =>
          generate({ file, tsconfig, kinds: [kindNamed(kind)], annotations: {}, labels: {} }, program),
        );
        const about = problems.map((problem) => problem.field.replace(`${kind} `, ''));
        expect(about).to.include(field);
        expect(problems.map((problem) => problem.reason).join('\n')).to.include(reason);
        expect(problems[0]?.file).to.match(/fixtures\/lossy\.ts(:\d+)?$/);
      });
    }

    it('a kind that does not exist', () => {
      const run = (): unknown =>
        generate({ file, tsconfig, kinds: [kindNamed('Nothing')], annotations: {}, labels: {} }, program);
      expect(run).to.throw('lossy.ts exports no type Nothing.');
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
