/** The schemas of CRDs: their form, and their conversion from the schemas of the schema generator. */

/** The supported fields of an apiextensions schema. */
export interface StructuralSchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  items?: StructuralSchema;
  properties?: Record<string, StructuralSchema>;
  required?: readonly string[];
  additionalProperties?: StructuralSchema;
  'x-kubernetes-validations'?: readonly ValidationRule[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-int-or-string'?: true;
}

/** One CEL rule. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
  readonly reason?: string;
}

/** An input schema, with any contents. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A part of the types that a CRD cannot express, or that the API server would silently drop. */
export interface Problem {
  /** A source file, relative to the working directory, and a line; or a kind and the path of a field. */
  readonly place: string;
  /** The fault, and its remedy. */
  readonly reason: string;
}

/** Called for everything that a CRD cannot express, with the path of the field, such as `spec.models[]`. */
export type Report = (field: string, reason: string) => void;

/** Keywords with the same meaning in both formats, in the order in which they are written. */
const KEPT = [
  ...['description', 'default', 'enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'],
];
/** Keywords that {@link Converter} converts. */
const CONVERTED = [
  ...['type', 'format', 'const', 'items', 'eachItem', 'eachValue', 'properties', 'required', 'additionalProperties'],
  ...['listType', 'listMapKey', 'x-kubernetes-validations', 'x-kubernetes-int-or-string'],
];
/** Formats that apiextensions checks or keeps. It silently ignores all others. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
  string: ['byte', 'date', 'date-time', 'duration', 'uuid', 'uri', 'email', 'hostname', 'ipv4', 'ipv6', 'cidr'],
};

/**
 * Converts a schema of the generator to one that the API server keeps completely.
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
  return new Converter(definitions, report).convert(schema, field, []);
}

class Converter {
  readonly #definitions: Readonly<Record<string, JsonSchema>>;
  readonly #report: Report;

  constructor(definitions: Readonly<Record<string, JsonSchema>>, report: Report) {
    this.#definitions = definitions;
    this.#report = report;
  }

  /** @param around the names of the types that contain this one */
  convert(raw: JsonSchema, path: string, around: readonly string[]): StructuralSchema {
    const { schema, names } = this.#inline(raw);
    if (names.some((name) => around.includes(name))) {
      this.#report(path, 'the type contains itself. Declare a separate type for each level.');
      return {};
    }
    const within = [...around, ...names];
    const result: StructuralSchema = {};
    for (const key of Object.keys(schema)) {
      if (!CONVERTED.includes(key) && !KEPT.includes(key)) {
        this.#report(
          path,
          `${key}: a CRD cannot express it. Write it as @x-kubernetes-validations, or use another type.`,
        );
      }
    }
    for (const key of KEPT) if (schema[key] !== undefined) Object.assign(result, { [key]: schema[key] });
    this.#convertType(schema, result, path);
    if (schema.listType !== undefined) result['x-kubernetes-list-type'] = schema.listType as string;
    if (schema.listMapKey !== undefined) result['x-kubernetes-list-map-keys'] = [schema.listMapKey as string];
    const rules = readRules(schema['x-kubernetes-validations'], path, this.#report);
    if (rules !== undefined) result['x-kubernetes-validations'] = rules;
    this.#convertObject(schema, result, path, within);
    if (Array.isArray(schema.items)) this.#report(path, 'is a tuple. Use an object with named fields.');
    else if (schema.items !== undefined) {
      result.items = this.convert({ ...(schema.items as object), ...(schema.eachItem as object) }, `${path}[]`, within);
    }
    if (result.type === undefined && result['x-kubernetes-int-or-string'] !== true) {
      this.#report(path, 'has no type that a CRD can express. Declare one.');
    }
    return result;
  }

  /** Replaces a `$ref` by its target. Keys beside the reference take precedence; the rules of both apply. */
  #inline(raw: JsonSchema): { readonly schema: JsonSchema; readonly names: readonly string[] } {
    if (typeof raw.$ref !== 'string') return { schema: raw, names: [] };
    const { $ref, ...beside } = raw;
    const name = decodeURIComponent($ref.replace('#/definitions/', ''));
    const { schema: target, names } = this.#inline(this.#definitions[name] ?? {});
    const rules = [target, beside].flatMap((part) => list(part['x-kubernetes-validations']));
    const schema = { ...target, ...beside, ...(rules.length > 0 && { 'x-kubernetes-validations': rules }) };
    return { schema, names: [name, ...names] };
  }

  #convertType(raw: JsonSchema, result: StructuralSchema, path: string): void {
    const types = [raw.type ?? []].flat() as NonNullable<StructuralSchema['type']>[];
    if (raw['x-kubernetes-int-or-string'] === true) result['x-kubernetes-int-or-string'] = true;
    else if (types.length > 1) this.#report(path, `has the types ${types.join(' and ')}. Choose one.`);
    else if (types[0] !== undefined) result.type = types[0];
    // The API server accepts `const`, but does not check it.
    if (raw.const !== undefined) result.enum = [raw.const];
    if (raw.format === undefined) return;
    const known = FORMATS[result.type ?? ''] ?? [];
    if (known.includes(raw.format as string)) result.format = raw.format as string;
    else {
      const what = `format ${raw.format as string} is unknown for ${result.type ?? 'this type'}`;
      this.#report(path, `${what}. Known formats: ${known.join(', ') || 'none'}.`);
    }
  }

  #convertObject(raw: JsonSchema, result: StructuralSchema, path: string, within: readonly string[]): void {
    const { properties, additionalProperties: values, eachValue } = raw;
    if (properties !== undefined) {
      result.properties = {};
      for (const [name, property] of Object.entries(properties as Readonly<Record<string, JsonSchema>>)) {
        const converted = this.convert(property, `${path}.${name}`, within);
        if ((converted.description ?? '') === '') {
          this.#report(`${path}.${name}`, 'has no description. Write a doc comment; kubectl explain shows it.');
        }
        result.properties[name] = converted;
      }
      if (list(raw.required).length > 0) result.required = raw.required as string[];
    }
    // Beside properties, false is equal to pruning, and apiextensions accepts no other value.
    if (values === undefined || values === false) return;
    if (properties !== undefined)
      this.#report(path, 'has both named fields and a map. Move the map into a field of its own.');
    result.additionalProperties = this.convert(
      { ...(values as object), ...(eachValue as object) },
      `${path}{}`,
      within,
    );
  }
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
  const { rule, message, fieldPath = '', reason = '', ...others } = value as Record<string, unknown>;
  const areTexts = [rule, message, fieldPath, reason].every((part) => typeof part === 'string');
  return areTexts && Object.keys(others).length === 0;
}
