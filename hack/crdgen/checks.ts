/** Finds parts of a finished schema that the API server would accept and ignore, or reject only at installation. */
import { RE2JS } from 're2js';
import type { Report, StructuralSchema, ValidationRule } from './structuralSchema.ts';

/** Formats whose values have a maximum length that the API server knows. */
const boundedFormats = new Set(['date', 'date-time', 'duration']);

/** The largest integer that a JavaScript number holds exactly. */
const MAX_SAFE = String(Number.MAX_SAFE_INTEGER);

/** The properties of one place in a schema. */
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
    checkPlace(place, report);
    const { schema } = place;
    const underRule = place.underRule || (schema['x-kubernetes-validations'] ?? []).length > 0;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const always = place.always && (schema.required ?? []).includes(name);
      visit({ ...place, schema: property, field: `${place.field}.${name}`, underRule, always });
    }
    // The API server does not match old and new items, except in lists of type map.
    if (schema.items !== undefined) {
      visit({ ...place, schema: schema.items, field: `${place.field}[]`, underRule, always: false });
    }
    if (schema.additionalProperties !== undefined) {
      visit({ ...place, schema: schema.additionalProperties, field: `${place.field}{}`, underRule, always: false });
    }
  };
  visit({ schema: root, field, underRule: false, always: field === 'spec', isUserInput: field === 'spec' });
}

function checkPlace({ schema, field, underRule, always, isUserInput }: Place, report: Report): void {
  for (const rule of schema['x-kubernetes-validations'] ?? []) checkRule(rule, field, always, report);
  checkPattern(schema, field, report);
  checkList(schema, field, report);
  const bounded = underRule || (schema['x-kubernetes-validations'] ?? []).length > 0;
  if (bounded) checkBounds(schema, field, report);
  if (isUserInput) checkInteger(schema, field, report);
}

function checkRule({ rule, message }: ValidationRule, field: string, always: boolean, report: Report): void {
  if (!/^\S.{20,}$/.test(message)) {
    report(field, `the message of the rule ${rule} must be one line of more than 20 characters. State the remedy.`);
  }
  if (/\boldSelf\b/.test(rule) && !always) {
    report(
      field,
      `the rule ${rule} would not run when the field is added or removed. Move it to a parent that is always present.`,
    );
  }
}

function checkPattern({ pattern }: StructuralSchema, field: string, report: Report): void {
  if (pattern === undefined) return;
  try {
    RE2JS.compile(pattern);
  } catch {
    report(
      field,
      `the pattern ${pattern} is not in RE2 syntax, which the API server requires. Remove look-around and back-references.`,
    );
  }
}

function checkList(schema: StructuralSchema, field: string, report: Report): void {
  if (schema.type !== 'array') return;
  const listType = schema['x-kubernetes-list-type'];
  if (!['atomic', 'set', 'map'].includes(listType ?? '')) {
    report(field, 'needs @listType atomic, set or map. Server-side apply merges the list by it.');
  }
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if ((listType === 'map') !== keys.length > 0)
    report(field, '@listType map requires @listMapKey, and @listMapKey requires @listType map.');
  for (const key of keys) {
    if (!(schema.items?.required ?? []).includes(key))
      report(field, `its key ${key} must be a required field of the items.`);
  }
}

function checkBounds(schema: StructuralSchema, field: string, report: Report): void {
  const isBounded = schema.enum !== undefined || boundedFormats.has(schema.format ?? '');
  const isText = schema.type === 'string' || schema['x-kubernetes-int-or-string'] === true;
  if (isText && !isBounded && schema.maxLength === undefined) {
    report(
      field,
      'needs @maxLength, because a CEL rule applies to it. The API server estimates the cost of the rule from this bound.',
    );
  }
  if (schema.type === 'array' && schema.maxItems === undefined) {
    report(
      field,
      'needs @maxItems, because a CEL rule applies to it. The API server estimates the cost of the rule from this bound.',
    );
  }
  if (schema.additionalProperties !== undefined && schema.maxProperties === undefined) {
    report(
      field,
      'needs @maxProperties, because a CEL rule applies to it. The API server estimates the cost of the rule from this bound.',
    );
  }
}

function checkInteger(schema: StructuralSchema, field: string, report: Report): void {
  if (schema.type !== 'integer' || schema.format === 'int32') return;
  const byRule = (schema['x-kubernetes-validations'] ?? []).some(({ rule }) => rule.includes(`<= ${MAX_SAFE}`));
  if (!byRule && (schema.maximum ?? Number.POSITIVE_INFINITY) > Number.MAX_SAFE_INTEGER) {
    report(field, `allows integers that JavaScript would round. Limit it to ${MAX_SAFE}, or use @format int32.`);
  }
}

/** One column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  readonly priority?: number;
}

/** Checks columns. A column with a wrong path would always be empty. */
export function checkColumns(
  columns: unknown,
  parts: { readonly spec: StructuralSchema; readonly status?: StructuralSchema },
  report: Report,
): readonly PrinterColumn[] {
  if (columns === undefined) return [];
  if (!Array.isArray(columns)) {
    report('@printcolumn', 'must be a JSON array of columns.');
    return [];
  }
  const root: StructuralSchema = {
    type: 'object',
    properties: {
      spec: parts.spec,
      ...(parts.status === undefined ? {} : { status: parts.status }),
      metadata: { type: 'object', properties: { name: { type: 'string' }, creationTimestamp: { type: 'string' } } },
    },
  };
  return (columns as readonly PrinterColumn[]).filter((column) => {
    const problem = columnProblem(column, root);
    if (problem !== undefined) report(`@printcolumn ${column.name}`, problem);
    return problem === undefined;
  });
}

function columnProblem(column: PrinterColumn, root: StructuralSchema): string | undefined {
  const known = ['name', 'type', 'jsonPath', 'description', 'format', 'priority'];
  const unknown = Object.keys(column).filter((key) => !known.includes(key));
  if (unknown.length > 0) return `has unknown properties: ${unknown.join(', ')}.`;
  if (!['string', 'number', 'integer', 'boolean', 'date'].includes(column.type)) {
    return `type ${column.type} is unknown. Known types: string, number, integer, boolean, date.`;
  }
  let schema: StructuralSchema | undefined = root;
  for (const step of column.jsonPath.matchAll(/\.([A-Za-z0-9]+)|\[[^\]]*\]/g)) {
    schema = step[1] === undefined ? schema?.items : schema?.properties?.[step[1]];
  }
  return schema === undefined || !column.jsonPath.startsWith('.')
    ? `its path ${column.jsonPath} matches no field. The column would always be empty.`
    : undefined;
}
