/** Any JSON value, as it came off the wire. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object whose fields are not known yet. */
export interface JsonObject {
  [key: string]: Json;
}

/** @returns whether the value is a JSON object (no list, not null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** In the language since ES2025, not yet in the compiler's library. */
const writer = JSON as unknown as { rawJSON(text: string): unknown };

/** @returns a field that is a string; '' for anything else. */
export function stringField(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

/**
 * Writes a number as the real gateway writes a float column: `10` becomes `10.0`. Clients in typed languages see the
 * difference.
 * @returns what `JSON.stringify` prints so, or null.
 */
export function float(value: number | null): unknown {
  if (value === null) return null;
  const text = String(value);
  return writer.rawJSON(/^-?\d+$/.test(text) ? `${text}.0` : text);
}
