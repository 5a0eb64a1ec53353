/** The supported fields of an apiextensions schema. */
export interface StructuralSchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  description?: string;
  nullable?: true;
  default?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: true;
  exclusiveMaximum?: true;
  multipleOf?: number;
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
  anyOf?: readonly StructuralSchema[];
  'x-kubernetes-validations'?: readonly ValidationRule[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-int-or-string'?: true;
  'x-kubernetes-preserve-unknown-fields'?: true;
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

/** Called for everything that a CRD cannot express. */
export type Report = (field: string, reason: string) => void;
