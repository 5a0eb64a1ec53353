import { type Complaint, validationError } from './errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** The type of a field in a request body. `nullable` fields can be null. `required` fields must be present. */
export interface Field {
  readonly kind: 'string' | 'boolean' | 'float' | 'integer' | 'strings' | 'object' | 'time' | 'region';
  readonly nullable?: boolean;
  readonly required?: boolean;
}

export type Fields = Readonly<Record<string, Field>>;

type Reading = { readonly value: Json } | { readonly type: string; readonly msg: string };

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
const INTEGER = /^\s*[+-]?\d+(\.0*)?\s*$/;

const read: Record<Field['kind'], (value: Json) => Reading> = {
  string: (value) =>
    typeof value === 'string' ? { value } : { type: 'string_type', msg: 'Input should be a valid string' },
  boolean: (value) => {
    if (typeof value === 'boolean') return { value };
    const word = typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : undefined;
    if (word === undefined) return { type: 'bool_type', msg: 'Input should be a valid boolean' };
    if (['1', 'true', 'yes', 'on', 't', 'y'].includes(word)) return { value: true };
    if (['0', 'false', 'no', 'off', 'f', 'n'].includes(word)) return { value: false };
    return { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' };
  },
  float: (value) => {
    if (typeof value === 'number') return { value };
    if (typeof value !== 'string') return { type: 'float_type', msg: 'Input should be a valid number' };
    if (NUMBER.test(value)) return { value: Number(value) };
    return { type: 'float_parsing', msg: 'Input should be a valid number, unable to parse string as a number' };
  },
  integer: (value) => {
    if (typeof value === 'string' && INTEGER.test(value)) return { value: Math.trunc(Number(value)) };
    if (typeof value === 'string')
      return { type: 'int_parsing', msg: 'Input should be a valid integer, unable to parse string as an integer' };
    if (typeof value !== 'number') return { type: 'int_type', msg: 'Input should be a valid integer' };
    if (Number.isInteger(value)) return { value };
    return { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fractional part' };
  },
  strings: (value) => (Array.isArray(value) ? { value } : { type: 'list_type', msg: 'Input should be a valid list' }),
  object: (value) => (isObject(value) ? { value } : { type: 'dict_type', msg: 'Input should be a valid dictionary' }),
  time: (value) => {
    const time = typeof value === 'string' || typeof value === 'number' ? new Date(value) : undefined;
    if (time !== undefined && !Number.isNaN(time.getTime())) return { value: time.toISOString() };
    return { type: 'datetime_from_date_parsing', msg: 'Input should be a valid datetime or date' };
  },
  region: (value) =>
    value === 'eu' || value === 'us' ? { value } : { type: 'literal_error', msg: "Input should be 'eu' or 'us'" },
};

/**
 * Validates a request body as the real gateway does: it drops unknown fields, and accepts numbers as strings.
 * @param body the parsed body
 * @param fields the fields of the endpoint
 * @returns only the known fields that were sent, nulls included
 * @throws GatewayError 422 with a complaint for each invalid field
 */
export function readFields(body: unknown, fields: Fields): JsonObject {
  if (!isObject(body)) {
    const msg = 'Input should be a valid dictionary or object to extract fields from';
    throw validationError([{ type: 'model_attributes_type', loc: ['body'], msg }]);
  }
  const complaints: Complaint[] = [];
  const result: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const sent = body[name];
    if (sent === undefined) {
      if (field.required === true) complaints.push({ type: 'missing', loc: ['body', name], msg: 'Field required' });
      continue;
    }
    if (sent === null && field.nullable === true) {
      result[name] = null;
      continue;
    }
    const reading = read[field.kind](sent);
    if (!('value' in reading)) {
      complaints.push({ type: reading.type, loc: ['body', name], msg: reading.msg });
      continue;
    }
    result[name] = reading.value;
    if (field.kind !== 'strings') continue;
    (reading.value as Json[]).forEach((item, index) => {
      if (typeof item === 'string') return;
      complaints.push({ type: 'string_type', loc: ['body', name, index], msg: 'Input should be a valid string' });
    });
  }
  if (complaints.length > 0) throw validationError(complaints);
  return result;
}
