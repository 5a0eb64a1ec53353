/** Finds parts of a finished schema that the API server would accept and ignore, or reject only at installation. */
import { RE2JS } from 're2js';
import type { Report, StructuralSchema } from './schema.ts';

/** Formats whose values have a maximum length that the API server knows. */
const BOUNDED_FORMATS = ['date', 'date-time', 'duration'];
/** The largest integer that a JavaScript number holds exactly. */
const MAX_SAFE = String(Number.MAX_SAFE_INTEGER);

/** One place in a schema. */
interface Place {
  readonly schema: StructuralSchema;
  readonly field: string;
  /** Whether a CEL rule applies to the place or to one of its parents. */
  readonly underRule: boolean;
  /** Whether the field and its parents are always present. */
  readonly always: boolean;
  /** Whether the place is in the spec. Users write only its values. */
  readonly isUserInput: boolean;
}

/** Checks the schema of `spec` or `status`. */
export function checkSchema(root: StructuralSchema, field: 'spec' | 'status', report: Report): void {
  const visit = (place: Place): void => {
    const { schema } = place;
    const underRule = place.underRule || (schema['x-kubernetes-validations'] ?? []).length > 0;
    for (const problem of placeProblems({ ...place, underRule })) report(place.field, problem);
    const enter = (inner: StructuralSchema | undefined, path: string, always: boolean): void => {
      if (inner) visit({ ...place, schema: inner, field: `${place.field}${path}`, underRule, always });
    };
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      enter(property, `.${name}`, place.always && (schema.required ?? []).includes(name));
    }
    // The API server does not match old and new items, except in lists of type map.
    enter(schema.items, '[]', false);
    enter(schema.additionalProperties, '{}', false);
  };
  visit({ schema: root, field, underRule: false, always: field === 'spec', isUserInput: field === 'spec' });
}

function placeProblems({ schema, underRule, always, isUserInput }: Place): string[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const isBounded = schema.enum !== undefined || BOUNDED_FORMATS.includes(schema.format ?? '');
  const isText = schema.type === 'string' || schema['x-kubernetes-int-or-string'] === true;
  const isSafe =
    schema.type !== 'integer' ||
    schema.format === 'int32' ||
    (schema.maximum ?? Number.POSITIVE_INFINITY) <= Number.MAX_SAFE_INTEGER ||
    rules.some(({ rule }) => rule.includes(`<= ${MAX_SAFE}`));
  const unbounded = [
    ['@maxLength', isText && !isBounded && schema.maxLength === undefined],
    ['@maxItems', schema.type === 'array' && schema.maxItems === undefined],
    ['@maxProperties', schema.additionalProperties !== undefined && schema.maxProperties === undefined],
  ] as const;
  const found: (readonly [isProblem: boolean, reason: string])[] = [
    ...rules.flatMap(({ rule, message }) => [
      [
        !/^\S.{20,}$/.test(message),
        `the message of the rule ${rule} must be one line of more than 20 characters. State the remedy.`,
      ] as const,
      [
        /\boldSelf\b/.test(rule) && !always,
        `the rule ${rule} would not run when the field is added or removed. Move it to a parent that is always present.`,
      ] as const,
    ]),
    [
      schema.pattern !== undefined && !isRe2(schema.pattern),
      `the pattern ${schema.pattern ?? ''} is not in RE2 syntax, which the API server requires.`,
    ],
    [
      schema.type === 'array' && !['atomic', 'set', 'map'].includes(schema['x-kubernetes-list-type'] ?? ''),
      'needs @listType atomic, set or map. Server-side apply merges the list by it.',
    ],
    [
      isUserInput && !isSafe,
      `allows integers that JavaScript would round. Limit it to ${MAX_SAFE}, or use @format int32.`,
    ],
    ...unbounded.map(
      ([tag, isUnbounded]) =>
        [
          underRule && isUnbounded,
          `needs ${tag}: the API server estimates the cost of a CEL rule on it by this.`,
        ] as const,
    ),
  ];
  return found.flatMap(([isProblem, reason]) => (isProblem ? [reason] : []));
}

function isRe2(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}

/** One column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: number;
}

/** Checks that each column shows a field. Otherwise it would always be empty. */
export function checkColumns(
  columns: readonly PrinterColumn[],
  parts: Record<string, StructuralSchema>,
  report: Report,
): void {
  const text: StructuralSchema = { type: 'string' };
  const metadata: StructuralSchema = { properties: { name: text, creationTimestamp: text } };
  for (const { name, jsonPath } of columns) {
    let schema: StructuralSchema | undefined = { properties: { ...parts, metadata } };
    for (const step of jsonPath.matchAll(/\.([A-Za-z0-9]+)|\[[^\]]*\]/g)) {
      schema = step[1] === undefined ? schema?.items : schema?.properties?.[step[1]];
    }
    if (schema === undefined) report(`@printcolumn ${name}`, `its path ${jsonPath} matches no field.`);
  }
}
