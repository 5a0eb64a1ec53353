/**
 * Converts JSON schemas of the schema generator to structural schemas of apiextensions. Everything that apiextensions would
 * reject or silently drop is reported.
 */

import type { JsonSchema, Report, StructuralSchema, ValidationRule } from './structuralSchema.ts';

/** Keywords with the same meaning in both formats. */
const kept = [
  'description',
  'default',
  'enum',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'x-kubernetes-preserve-unknown-fields',
] as const;

/** Keywords that {@link Converter} converts. */
const converted = new Set([
  'type',
  'format',
  'const',
  'nullable',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'items',
  'eachItem',
  'eachValue',
  'properties',
  'required',
  'additionalProperties',
  'anyOf',
  'listType',
  'listMapKey',
  'mapType',
  'x-kubernetes-validations',
  'x-kubernetes-int-or-string',
]);

/** The remedies for rejected keywords. */
const remedies: Readonly<Record<string, string>> = {
  patternProperties: 'a CRD cannot express it. Use one map of strings.',
  uniqueItems: 'a CRD cannot express it. Use @listType set.',
  allOf: 'a CRD would drop a part of it. Write one type with all fields.',
  oneOf: 'a CRD would drop a part of it. Make the fields optional, and write the rule as @x-kubernetes-validations.',
  not: 'a CRD cannot express it. Write the rule as @x-kubernetes-validations.',
};

/** Formats that apiextensions checks or keeps. It silently ignores all others. */
const formats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
  string: ['byte', 'date', 'date-time', 'duration', 'uuid', 'uri', 'email', 'hostname', 'ipv4', 'ipv6', 'cidr'],
};

const NOTHING: JsonSchema = {};

/**
 * Converts a schema of the generator to one that the API server keeps completely. No type may contain itself: source.ts reports
 * such types.
 * @param schema a schema of the generator, without its `definitions`
 * @param definitions the targets of `$ref`
 * @param field path of the field, for problems
 * @param report receives each loss
 */
export function toStructural(
  schema: JsonSchema,
  definitions: Readonly<Record<string, JsonSchema>>,
  field: string,
  report: Report,
): StructuralSchema {
  return new Converter(definitions, report).convert(schema, field);
}

class Converter {
  readonly #definitions: Readonly<Record<string, JsonSchema>>;
  readonly #report: Report;

  constructor(definitions: Readonly<Record<string, JsonSchema>>, report: Report) {
    this.#definitions = definitions;
    this.#report = report;
  }

  convert(raw: JsonSchema, path: string): StructuralSchema {
    const resolved = this.#inline(raw);
    const result: StructuralSchema = {};
    for (const key of Object.keys(resolved)) {
      if (!converted.has(key) && !(kept as readonly string[]).includes(key)) {
        this.#report(path, `${key}: ${remedies[key] ?? 'the API server would silently drop it.'}`);
      }
    }
    for (const key of kept) if (resolved[key] !== undefined) Object.assign(result, { [key]: resolved[key] });
    this.#convertType(resolved, result, path);
    this.#convertBounds(resolved, result, path);
    this.#convertExtensions(resolved, result, path);
    this.#convertObject(resolved, result, path);
    this.#convertList(resolved, result, path);
    this.#convertUnion(resolved, result, path);
    if (isUntyped(result)) {
      this.#report(path, 'has no type. Declare a type, or allow any value with @x-kubernetes-preserve-unknown-fields.');
    }
    return result;
  }

  /** Replaces a `$ref` by its target. Keys beside the reference take precedence; the rules of both apply. */
  #inline(raw: JsonSchema): JsonSchema {
    if (typeof raw.$ref !== 'string') return raw;
    const { $ref, ...beside } = raw;
    const target = this.#inline(this.#definitions[decodeURIComponent($ref.replace('#/definitions/', ''))] ?? NOTHING);
    const rules = [target, beside].flatMap((part) => list(part['x-kubernetes-validations']));
    return { ...target, ...beside, ...(rules.length > 0 && { 'x-kubernetes-validations': rules }) };
  }

  #convertType(raw: JsonSchema, result: StructuralSchema, path: string): void {
    const types = ([raw.type ?? []].flat() as unknown[]).map(text);
    const nullable = types.includes('null') || raw.nullable === true;
    const rest = types.filter((type) => type !== 'null');
    if (nullable) {
      result.nullable = true;
      if (result.enum !== undefined)
        this.#report(path, 'the API server would reject null for a nullable enum. Make the field optional instead.');
    }
    if (raw['x-kubernetes-int-or-string'] === true) {
      result['x-kubernetes-int-or-string'] = true;
    } else if (rest.length > 1) {
      this.#report(path, `has the types ${rest.join(' and ')}. Choose one, or add @x-kubernetes-int-or-string.`);
    } else if (rest.length === 1) {
      result.type = rest[0] as NonNullable<StructuralSchema['type']>;
    }
    // The API server accepts `const`, but does not check it.
    if (raw.const !== undefined) result.enum = [raw.const];
    const format = raw.format;
    if (format === undefined) return;
    const known = formats[result.type ?? ''] ?? [];
    if (typeof format === 'string' && known.includes(format)) result.format = format;
    else
      this.#report(
        path,
        `format ${text(format)} is unknown for ${result.type ?? 'this type'}. Known formats: ${known.join(', ') || 'none'}.`,
      );
  }

  #convertBounds(raw: JsonSchema, result: StructuralSchema, path: string): void {
    for (const [exclusive, inclusive] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      const bound = raw[exclusive];
      if (bound === undefined) continue;
      if (typeof bound !== 'number' || result[inclusive] !== undefined) {
        this.#report(path, `${exclusive} must be a number, and cannot be used together with ${inclusive}.`);
        continue;
      }
      result[inclusive] = bound;
      result[exclusive] = true;
    }
  }

  #convertExtensions(raw: JsonSchema, result: StructuralSchema, path: string): void {
    if (raw.listType !== undefined) result['x-kubernetes-list-type'] = text(raw.listType);
    if (raw.listMapKey !== undefined) result['x-kubernetes-list-map-keys'] = text(raw.listMapKey).split(/[\s,]+/);
    if (raw.mapType !== undefined) result['x-kubernetes-map-type'] = text(raw.mapType);
    const rules = readRules(raw['x-kubernetes-validations'], path, this.#report);
    if (rules !== undefined) result['x-kubernetes-validations'] = rules;
  }

  #convertObject(raw: JsonSchema, result: StructuralSchema, path: string): void {
    const properties = raw.properties as Readonly<Record<string, JsonSchema>> | undefined;
    if (properties !== undefined) {
      result.properties = {};
      for (const [name, property] of Object.entries(properties)) {
        result.properties[name] = this.convert(property, `${path}.${name}`);
      }
      if (list(raw.required).length > 0) result.required = list(raw.required) as string[];
    }
    const values = raw.additionalProperties;
    // Beside properties, false is equal to pruning, and apiextensions accepts no other value.
    if (values === undefined || values === false) return;
    if (properties !== undefined) {
      this.#report(path, 'has both named fields and a map. Move the map into a field of its own.');
      return;
    }
    result.additionalProperties = this.convert(
      { ...(values as JsonSchema), ...(raw.eachValue as JsonSchema | undefined) },
      `${path}{}`,
    );
  }

  #convertList(raw: JsonSchema, result: StructuralSchema, path: string): void {
    const items = raw.items;
    if (items === undefined) {
      if (result.type === 'array') this.#report(path, 'has no item type.');
      return;
    }
    if (Array.isArray(items)) {
      this.#report(path, 'is a tuple, which a CRD cannot express. Use an object with named fields.');
      result['x-kubernetes-preserve-unknown-fields'] = true;
      return;
    }
    const each = raw.eachItem as JsonSchema | undefined;
    result.items = this.convert({ ...(items as JsonSchema), ...each }, `${path}[]`);
  }

  /** Merges a union of object types into one type with all fields. `anyOf` lists the required fields of each member. */
  #convertUnion(raw: JsonSchema, result: StructuralSchema, path: string): void {
    const union = raw.anyOf;
    if (union === undefined) return;
    const shapes = list(union).map((shape) => this.convert(shape as JsonSchema, path));
    if (!shapes.every((shape) => shape.type === 'object' && shape.properties !== undefined)) {
      this.#report(path, 'is a union of different types, which a CRD cannot express. Choose one type.');
      result['x-kubernetes-preserve-unknown-fields'] = true;
      return;
    }
    const merged: Record<string, StructuralSchema> = {};
    for (const [name, property] of shapes.flatMap((shape) => Object.entries(shape.properties ?? {}))) {
      const known = merged[name];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(property)) {
        this.#report(
          `${path}.${name}`,
          'has different types in the members of a union. Declare one type, and write the differences as @x-kubernetes-validations.',
        );
      }
      merged[name] = property;
    }
    const required = shapes.map((shape) => shape.required ?? []);
    const always = required[0]?.filter((name) => required.every((names) => names.includes(name))) ?? [];
    result.type = 'object';
    result.properties = merged;
    if (always.length > 0) result.required = always;
    result.anyOf = required.map((names) => ({ required: names }));
  }
}

function isUntyped(schema: StructuralSchema): boolean {
  return (
    schema.type === undefined &&
    schema['x-kubernetes-int-or-string'] !== true &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Reads the value of a tag `@x-kubernetes-validations`.
 * @returns undefined if there is no tag
 */
export function readRules(rules: unknown, field: string, report: Report): ValidationRule[] | undefined {
  if (rules === undefined) return undefined;
  const valid = list(rules).filter(isRule);
  if (!Array.isArray(rules) || valid.length !== rules.length) {
    report(
      field,
      '@x-kubernetes-validations must be a JSON array of objects with rule and message, and fieldPath or reason.',
    );
  }
  return valid;
}

function isRule(value: unknown): value is ValidationRule {
  if (typeof value !== 'object' || value === null) return false;
  const { rule, message, fieldPath, reason, ...others } = value as Record<string, unknown>;
  return (
    typeof rule === 'string' &&
    typeof message === 'string' &&
    [fieldPath, reason].every((part) => part === undefined || typeof part === 'string') &&
    Object.keys(others).length === 0
  );
}
