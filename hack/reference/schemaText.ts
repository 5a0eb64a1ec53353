/** Describes the schema of a field in words: its type, its limits and its rules. Pure. */
import type { StructuralSchema } from '../crdgen/schema.ts';
import { code } from './markdown.ts';

/** Patterns that have a name. */
export const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', 'a DNS subdomain'],
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'a DNS label'],
  ['^[-._a-zA-Z0-9]+$', 'a key of a Secret or a ConfigMap'],
  [
    String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
    'a quantity',
  ],
]);

/** The type of a field, and its limits. */
export function typeText(schema: StructuralSchema): string {
  return [typeName(schema), ...limits(schema)].join(', ');
}

/** The type of a field, without its limits. */
function typeName(schema: StructuralSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (schema.format === 'date-time') return 'time';
  if (schema.items !== undefined) return `list of ${plural(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map of ${plural(schema.additionalProperties)}`;
  return schema.type ?? 'any value';
}

function plural(schema: StructuralSchema): string {
  const name = typeName(schema);
  const inner = limits(schema);
  const named = /^[a-z]+$/.test(name) ? `${name}s` : name.replace(/^(list|map) /, '$1s ');
  return inner.length === 0 ? named : `${named} (${inner.join(', ')})`;
}

function limits(schema: StructuralSchema): string[] {
  const { pattern } = schema;
  return [
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minItems, schema.maxItems, 'items'),
    range(schema.minProperties, schema.maxProperties, 'entries'),
    range(schema.minimum, schema.maximum, ''),
    pattern === undefined ? undefined : (PATTERNS.get(pattern) ?? `matches ${code(pattern)}`),
  ].filter((text) => text !== undefined);
}

function range(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  const ofUnit = unit === '' ? '' : ` ${unit}`;
  if (min !== undefined && min > 0 && max !== undefined) return `${min} to ${max}${ofUnit}`;
  if (max !== undefined) return min === 0 && unit === '' ? `0 to ${max}` : `at most ${max}${ofUnit}`;
  return min === undefined || (min === 0 && unit !== '') ? undefined : `at least ${min}${ofUnit}`;
}

/** The messages of the rules of a field, and of the items of a list or the values of a map. */
export function ruleMessages(schema: StructuralSchema | undefined): string[] {
  if (schema === undefined) return [];
  return [
    ...(schema['x-kubernetes-validations'] ?? []).map(({ message }) => message),
    ...ruleMessages(schema.items),
    ...ruleMessages(schema.additionalProperties),
  ];
}
