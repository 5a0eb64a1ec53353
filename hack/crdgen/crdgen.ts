/**
 * Generates CustomResourceDefinitions from the types of `operator/api`. Pure except for reading the sources: the same types
 * give identical files. If a CRD cannot express a part of the types, generation fails with file, field and reason.
 */
import { createGenerator } from 'ts-json-schema-generator';
import type ts from 'typescript';
import { stringify } from 'yaml';
import { checkColumns, checkSchema } from './checks.ts';
import type { Problem } from './problems.ts';
import { GenerationError } from './problems.ts';
import { Constants, createProgram, extraTags, nearestLocation, readKind } from './source.ts';
import type { JsonSchema, Report, StructuralSchema, ValidationRule } from './structuralSchema.ts';
import { readRules, toStructural } from './structural.ts';

export { GenerationError, type Problem } from './problems.ts';

/** The names of a kind in the API. */
export interface KindNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortName: string;
}

/** The input of the generator. */
export interface Sources {
  /** The file that exports the type of each kind. */
  readonly file: string;
  readonly tsconfig: string;
  readonly kinds: readonly KindNames[];
  /** Annotations of each CRD. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Labels of each CRD. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A CRD, as it is applied. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: {
    readonly name: string;
    readonly annotations: Readonly<Record<string, string>>;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

/**
 * Compiles the types for {@link generate}.
 * @throws Error if they do not compile
 */
export function compile(sources: Pick<Sources, 'file' | 'tsconfig'>): ts.Program {
  return createProgram(sources.file, sources.tsconfig);
}

/**
 * @param program the types, if they are compiled already
 * @returns the files of `crds/` by name: one for each kind, and a kustomization
 * @throws GenerationError with all losses
 */
export function generate(sources: Sources, program: ts.Program = compile(sources)): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const problems: Problem[] = [];
  for (const names of sources.kinds) {
    const crd = generateCrd(program, sources, names, problems);
    files.set(`${names.plural}.${names.group}.yaml`, render(crd));
  }
  if (problems.length > 0) throw new GenerationError(problems);
  const resources = [...files.keys()].sort();
  files.set(
    'kustomization.yaml',
    render({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources }),
  );
  return files;
}

function generateCrd(
  program: ts.Program,
  sources: Sources,
  names: KindNames,
  problems: Problem[],
): CustomResourceDefinition {
  const source = readKind(program, sources.file, names.kind);
  const seen = new Set<string>();
  const report: Report = (field, reason) => {
    // A type that is used in two places is reported once.
    const file = nearestLocation(source.locations, field) || sources.file;
    if (!seen.has(`${file} ${reason}`)) problems.push({ file, field: `${names.kind} ${field}`, reason });
    seen.add(`${file} ${reason}`);
  };
  for (const { file, field, reason } of source.problems) {
    if (!seen.has(`${file} ${reason}`)) problems.push({ file, field: `${names.kind} ${field}`, reason });
    seen.add(`${file} ${reason}`);
  }
  // The generator cannot process some of the reported types.
  const broken = source.problems.length > 0;
  const spec = broken ? {} : schemaOf(program, sources, `${names.kind}Spec`, 'spec', report);
  const status =
    broken || !source.locations.has('status')
      ? undefined
      : schemaOf(program, sources, `${names.kind}Status`, 'status', report);
  if (source.tags.description === '') report('', 'the kind has no description. Write a doc comment above its type.');
  const columns = broken
    ? []
    : checkColumns(source.tags.printcolumn, status === undefined ? { spec } : { spec, status }, report);
  const description = source.tags.description;
  const rules = readRules(source.tags.validations, '', report);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${names.plural}.${names.group}`,
      annotations: sources.annotations,
      labels: sources.labels,
    },
    spec: {
      group: names.group,
      scope: 'Namespaced',
      names: {
        kind: names.kind,
        listKind: names.listKind,
        plural: names.plural,
        singular: names.singular,
        shortNames: [names.shortName],
        ...(source.tags.categories === undefined ? {} : { categories: source.tags.categories }),
      },
      conversion: { strategy: 'None' },
      versions: [
        {
          name: names.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: objectSchema(description, spec, status, rules) },
        },
      ],
    },
  };
}

/** The schema of a whole object. */
function objectSchema(
  description: string,
  spec: StructuralSchema,
  status: StructuralSchema | undefined,
  rules: readonly ValidationRule[] | undefined,
): StructuralSchema {
  return {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Version of the API that this object is written in.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: { type: 'object' },
      spec,
      ...(status === undefined ? {} : { status: bornUnobserved(status) }),
    },
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
  };
}

/**
 * A new object has a status that describes no generation of it. Without this default it would have none, and clients that
 * wait, such as kstatus, would take it for complete before its controller has seen it.
 */
function bornUnobserved(status: StructuralSchema): StructuralSchema {
  return status.properties?.observedGeneration === undefined
    ? status
    : { ...status, default: { observedGeneration: -1 } };
}

function schemaOf(
  program: ts.Program,
  sources: Sources,
  type: string,
  field: 'spec' | 'status',
  report: Report,
): StructuralSchema {
  let raw: unknown;
  try {
    raw = createGenerator({
      path: sources.file,
      tsconfig: sources.tsconfig,
      tsProgram: program,
      expose: 'all',
      functions: 'fail',
      extraTags,
    }).createSchema(type);
  } catch (error) {
    report(field, `a schema cannot express the type: ${error instanceof Error ? error.message : String(error)}.`);
    return {};
  }
  const schema = withConstants(raw, new Constants(program, sources.file));
  const definitions = (schema.definitions ?? {}) as Readonly<Record<string, JsonSchema>>;
  const structural = toStructural(definitions[type] ?? {}, definitions, field, report);
  checkSchema(structural, field, report);
  return structural;
}

/** The schema generator reads a value that is not JSON as text. Replaces links by the values of their constants. */
function withConstants(schema: unknown, constants: Constants): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown): unknown =>
    key === 'default' && typeof value === 'string' ? (constants.resolve(value) ?? value) : value,
  ) as JsonSchema;
}

function render(object: object): string {
  return `# Generated by \`npm run generate\` from operator/api. Not to be edited.\n${stringify(object, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
  })}`;
}
