/** The two files that describe the chart's values, from one description: `values.yaml` and `values.schema.json`. */
import { Document, isMap, isScalar } from 'yaml';

/** The description of one value, as JSON Schema. */
export interface ValueSchema {
  readonly type: 'string' | 'integer' | 'boolean' | 'object' | 'array';
  readonly description?: string;
  /** The default. Objects with properties get theirs from their properties. */
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly items?: ValueSchema;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
  /** Default: refused, so that a misspelled value is reported. */
  readonly additionalProperties?: boolean;
}

type Properties = Readonly<Record<string, ValueSchema>>;

const COMMENT_WIDTH = 110;

/** `values.schema.json`: Helm refuses values that do not match it. */
export function schemaFile(values: Properties): string {
  // Helm adds `global` to the values of a chart that another chart includes.
  const root: ValueSchema = { type: 'object', properties: { ...values, global: { type: 'object' } } };
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...strict(root) };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** `values.yaml`: each default, below its description. */
export function valuesFile(values: Properties, header: string): string {
  const document = new Document(defaultsOf(values));
  describe(document.contents, values);
  if (isMap(document.contents)) {
    for (const { key } of document.contents.items) if (isScalar(key)) key.spaceBefore = true;
  }
  document.commentBefore = ` ${header}`;
  return document.toString({ lineWidth: 0 });
}

function strict(schema: ValueSchema): ValueSchema {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(items && { items: strict(items) }),
    ...(properties && {
      additionalProperties: schema.additionalProperties ?? false,
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, strict(value)])),
    }),
  };
}

function defaultsOf(properties: Properties): Record<string, unknown> {
  const entries = Object.entries(properties).map(([name, schema]) => [
    name,
    schema.default ?? (schema.properties && defaultsOf(schema.properties)),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function describe(node: unknown, properties: Properties): void {
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    const schema = isScalar(key) ? properties[String(key.value)] : undefined;
    if (!isScalar(key) || schema === undefined) continue;
    if (schema.description !== undefined) key.commentBefore = wrapped(schema.description);
    if (schema.properties && schema.default === undefined) describe(value, schema.properties);
  }
}

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length < COMMENT_WIDTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(` ${word}`);
  }
  return lines.join('\n');
}
