/** Flattens the schema of a resource to tables of fields. Pure. */
import type { StructuralSchema } from '../crdgen/schema.ts';

/** A field in a table. */
export interface Field {
  /** From the resource: `spec.guardrail.inline`. */
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly isRequired: boolean;
}

/** The fields of one object. Small objects within it are in the same table; large ones have a table of their own. */
export interface FieldTable {
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly fields: readonly Field[];
}

/** An object with at least so many fields, those within it included, has a table of its own. */
const LARGE = 8;

/** @returns the table of an object, and after it those of the large objects within it, in the order of the schema. */
export function fieldTables(path: string, schema: StructuralSchema): FieldTable[] {
  const fields: Field[] = [];
  const others: FieldTable[] = [];
  const add = (parent: string, object: StructuralSchema): void => {
    for (const [name, member] of Object.entries(object.properties ?? {})) {
      const at = `${parent}.${name}`;
      fields.push({ path: at, schema: member, isRequired: object.required?.includes(name) === true });
      // Every kind has the same conditions. The reference describes them once.
      if (at === 'status.conditions') continue;
      const inner = innerObject(at, member);
      if (inner === undefined) continue;
      if (countFields(inner.schema) >= LARGE) others.push(...fieldTables(inner.path, inner.schema));
      else add(inner.path, inner.schema);
    }
  };
  add(path, schema);
  return [{ path, schema, fields }, ...others];
}

/** The object in a field: itself, an item of a list, or a value of a map. */
function innerObject(path: string, schema: StructuralSchema): { path: string; schema: StructuralSchema } | undefined {
  if (schema.properties !== undefined) return { path, schema };
  if (schema.items !== undefined) return innerObject(`${path}[]`, schema.items);
  if (schema.additionalProperties !== undefined) return innerObject(`${path}.*`, schema.additionalProperties);
  return undefined;
}

function countFields(schema: StructuralSchema): number {
  return Object.values(schema.properties ?? {}).reduce((sum, member) => {
    const inner = innerObject('', member);
    return sum + 1 + (inner === undefined ? 0 : countFields(inner.schema));
  }, 0);
}
