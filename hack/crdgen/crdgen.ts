/**
 * Generates CustomResourceDefinitions from the types of `operator/api`. Pure except for reading the sources: the same types
 * give identical files. If a CRD cannot express a part of the types, generation fails with place and reason.
 */
import { createGenerator, type SchemaGenerator } from 'ts-json-schema-generator';
import { stringify } from 'yaml';
import { checkColumns, checkSchema, type PrinterColumn } from './checks.ts';
import { EXTRA_TAGS, kindComment, linkedConstant, sourceProblems } from './comments.ts';
import {
  type JsonSchema,
  type Problem,
  readRules,
  type Report,
  type StructuralSchema,
  toStructural,
} from './schema.ts';

/** The types cannot be converted to CRDs without a loss. Nothing was written. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ place, reason }) => `${place}: ${reason}`).join('\n'));
    this.problems = problems;
  }
}

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
  /** The files that declare the types. The first one exports the types of each kind: `Kind`, `KindSpec` and `KindStatus`. */
  readonly files: readonly [string, ...string[]];
  readonly tsconfig: string;
  readonly kinds: readonly KindNames[];
  /** The constants that a tag `@default {@link name}` can name. */
  readonly constants: object;
  /** Annotations of each CRD. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Labels of each CRD. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * @returns the files of `crds/` by name: one for each kind, and a kustomization
 * @throws GenerationError with all losses
 * @throws Error if the types do not compile
 */
export function generate(sources: Sources): ReadonlyMap<string, string> {
  const { tsconfig, constants, kinds } = sources;
  const [path] = sources.files;
  const problems = sources.files.flatMap((file) => sourceProblems(file, constants));
  // The schema generator cannot process some of the reported types.
  if (problems.length > 0) throw new GenerationError(problems);
  const compiled = createGenerator({ path, tsconfig, expose: 'all', functions: 'fail', extraTags: EXTRA_TAGS });
  const files = new Map<string, string>();
  for (const names of kinds) {
    const report: Report = (field, reason) => problems.push({ place: `${names.kind} ${field}`.trim(), reason });
    files.set(`${names.plural}.${names.group}.yaml`, render(generateCrd(compiled, sources, names, report)));
  }
  if (problems.length > 0) throw new GenerationError(problems);
  const resources = [...files.keys()].sort();
  const kustomization = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources };
  return files.set('kustomization.yaml', render(kustomization));
}

function generateCrd(compiled: SchemaGenerator, sources: Sources, names: KindNames, report: Report): object {
  const { group, version, kind, listKind, plural, singular, shortName } = names;
  const comment = kindComment(sources.files, kind);
  if (comment === undefined) throw new Error(`No file declares a type ${kind}.`);
  const { description, printcolumn = [], categories } = comment;
  if (description === '') report('', 'the kind has no description. Write a doc comment above its type.');
  const spec = schemaOf(compiled, sources, `${kind}Spec`, report);
  const status = schemaOf(compiled, sources, `${kind}Status`, report);
  const columns = printcolumn as readonly PrinterColumn[];
  checkColumns(columns, { spec, status }, report);
  const rules = readRules(comment['x-kubernetes-validations'], '', report);
  const schema = {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Version of the API that this object is written in.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: { type: 'object' },
      spec,
      status: bornUnobserved(status),
    },
    ...(rules && { 'x-kubernetes-validations': rules }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: sources.annotations, labels: sources.labels },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind,
        listKind,
        plural,
        singular,
        shortNames: [shortName],
        ...(categories !== undefined && { categories }),
      },
      conversion: { strategy: 'None' },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}

function schemaOf(compiled: SchemaGenerator, sources: Sources, type: string, report: Report): StructuralSchema {
  const field = type.endsWith('Spec') ? 'spec' : 'status';
  try {
    const { definitions } = withConstants(compiled.createSchema(type), sources.constants);
    const all = definitions as Readonly<Record<string, JsonSchema>>;
    const structural = toStructural(all[type] ?? {}, all, field, report);
    checkSchema(structural, field, report);
    return structural;
  } catch (error) {
    report(field, `a schema cannot express the type: ${error instanceof Error ? error.message : String(error)}.`);
    return {};
  }
}

/**
 * A new object has a status that describes no generation of it. Without this default it would have none, and clients that
 * wait, such as kstatus, would take it for complete before its controller has seen it.
 */
function bornUnobserved(status: StructuralSchema): StructuralSchema {
  const isObserved = status.properties?.observedGeneration !== undefined;
  return isObserved ? { ...status, default: { observedGeneration: -1 } } : status;
}

/** The schema generator reads a value that is not JSON as text. Replaces links by the values of their constants. */
function withConstants(schema: unknown, constants: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown): unknown =>
    key === 'default' && typeof value === 'string' ? (linkedConstant(value, constants) ?? value) : value,
  ) as JsonSchema;
}

function render(object: object): string {
  const yaml = stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
  return `# Generated by \`npm run generate\` from operator/api. Not to be edited.\n${yaml}`;
}
