/** Any JSON value, as received. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object with unknown fields. */
export interface JsonObject {
  [key: string]: Json;
}

/** @returns whether the value is a JSON object (not a list, not null) */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Part of the language since ES2025, but not yet of the compiler's library. */
const writer = JSON as unknown as { rawJSON(text: string): unknown };

/** @returns a field that is a string; '' for any other value */
export function stringField(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

/**
 * Formats a number like a float column of the real gateway: `10` becomes `10.0`. Clients in typed languages see the difference.
 * @returns a value that `JSON.stringify` prints in this way, or null
 */
export function float(value: number | null): unknown {
  if (value === null) return null;
  const text = String(value);
  return writer.rawJSON(/^-?\d+$/.test(text) ? `${text}.0` : text);
}
