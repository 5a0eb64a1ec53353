import * as z from 'zod';
import { isObject, type JsonObject } from '../messages/messages.ts';

/** A field is missing or invalid. The caller gets 400. The message names the field and the requirement, never the value. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

export { isObject, type JsonObject };

/** Any JSON object, unchanged. `z.looseObject` would copy it and lose a member named `__proto__`. */
export const jsonObject = z
  .custom<JsonObject>(isObject, 'must be an object')
  .meta({ type: 'object', additionalProperties: true });

/**
 * Reads a value by its schema.
 * @throws FieldError about the first invalid field.
 */
export function parseFields<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new FieldError(issue ? sentence(issue) : 'The body is not valid for this endpoint.');
}

function sentence(issue: z.core.$ZodIssue): string {
  const field = issue.path.length === 0 ? 'The body' : pathOf(issue.path);
  return `${field} ${requirement(issue)}.`;
}

function requirement(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${articled(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_big':
      return limited('at most', issue.maximum, issue.origin);
    case 'too_small':
      return limited('at least', issue.minimum, issue.origin);
    case 'unrecognized_keys':
      return 'has an unknown field';
    case 'custom':
      return issue.message;
    default:
      return 'is not valid';
  }
}

function limited(bound: string, limit: number | bigint, origin: string): string {
  if (['number', 'int'].includes(origin)) return `must be ${bound} ${String(limit)}`;
  return `must have ${bound} ${String(limit)} ${origin === 'string' ? 'characters' : 'items'}`;
}

function articled(type: string): string {
  const name = type === 'record' ? 'object' : type;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

/** The path of a field. Contains only names of the schema and positions, because free objects are not validated. */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`))
    .join('');
}
