/** The operators of Presidio's anonymizer and deanonymizer: what replaces a value. */
import { createHash, randomBytes } from 'node:crypto';
import { toUtf16 } from '../detection/detection.ts';
import { isObject, type JsonObject } from '../messages/messages.ts';
import { decrypt, encrypt, isKey } from './aesCipher.ts';
import { codePointLength } from './codePoints.ts';
import { PresidioError } from './errors.ts';

/** An operator with its parameters, for all values of an entity type. */
export interface OperatorConfig {
  readonly name: string;
  readonly params: JsonObject;
}

/** Replaces a value of a type. @throws PresidioError for wrong parameters */
type Operator = (value: string, params: JsonObject, entityType: string) => string;

/** A table of operators by their names. */
export type Operators = ReadonlyMap<string, Operator>;

const keep: Operator = (value) => value;

/** Without `custom`, which runs Python code and is refused over HTTP by Presidio too. */
export const ANONYMIZERS: Operators = new Map<string, Operator>([
  ['encrypt', (value, params) => encrypt(keyIn(params), wellFormed(value))],
  ['hash', hash],
  ['keep', keep],
  ['mask', mask],
  ['redact', () => ''],
  ['replace', replace],
]);

export const DEANONYMIZERS: Operators = new Map<string, Operator>([
  ['decrypt', restore],
  ['deanonymize_keep', keep],
]);

/** The operators of a request by entity type; `DEFAULT` for all others. @throws PresidioError */
export function readOperators(value: unknown, field: string): Map<string, OperatorConfig> {
  if (value === undefined || value === null) return new Map();
  if (!isObject(value)) throw new PresidioError(422, `${field} must be an object.`);
  return new Map(
    Object.entries(value).map(([type, config]) => {
      if (!isObject(config)) throw new PresidioError(422, `${field} must contain objects.`);
      const { type: name, ...params } = config;
      if (typeof name !== 'string' || name === '') {
        throw new PresidioError(422, 'Invalid input, operator config must contain operator_name');
      }
      return [type, { name, params }];
    }),
  );
}

/** @throws PresidioError for an unknown name */
export function operatorOf(operators: Operators, name: string): Operator {
  const operator = operators.get(name);
  if (!operator) throw new PresidioError(422, `Invalid operator class. Use ${[...operators.keys()].join(', ')}.`);
  return operator;
}

function replace(_: string, { new_value: value }: JsonObject, entityType: string): string {
  if (!value) return `<${entityType}>`;
  if (typeof value !== 'string') throw badType('new_value', 'string', value);
  return value;
}

function mask(value: string, params: JsonObject): string {
  const { masking_char: character, chars_to_mask: count, from_end: fromEnd } = params;
  requireParameter(character, 'masking_char');
  if (typeof character !== 'string') throw badType('masking_char', 'string', character);
  if (codePointLength(character) > 1) {
    throw new PresidioError(422, 'Invalid input, masking_char must be a character');
  }
  requireParameter(count, 'chars_to_mask');
  // Python counts true as 1.
  if (typeof count !== 'boolean' && !Number.isSafeInteger(count)) throw badType('chars_to_mask', 'number', count);
  requireParameter(fromEnd, 'from_end');
  if (fromEnd && typeof fromEnd !== 'boolean') throw badType('from_end', 'boolean', fromEnd);

  const length = codePointLength(value);
  const at = toUtf16(value);
  const masked = Math.min(length, Math.max(0, Number(count)));
  const mark = character.repeat(masked);
  return fromEnd ? value.slice(0, at(length - masked)) + mark : mark + value.slice(at(masked));
}

const MIN_SALT_BYTES = 16;

/** Without a salt, equal values get different hashes: nobody can find a value by hashing guesses. */
function hash(value: string, params: JsonObject): string {
  const { hash_type: type = 'sha256', salt } = params;
  requireParameter(type, 'hash_type');
  if (type !== 'sha256' && type !== 'sha512') {
    throw new PresidioError(422, "Parameter hash_type value is not in range of values ['sha256', 'sha512']");
  }
  const digest = createHash(type).update(wellFormed(value), 'utf8');
  return digest.update(salt === undefined ? randomBytes(32) : saltOf(salt)).digest('hex');
}

function saltOf(salt: unknown): Buffer {
  if (typeof salt !== 'string') throw badType('salt', 'string', salt);
  const bytes = Buffer.from(salt, 'utf8');
  if (bytes.length === 0) {
    throw new PresidioError(
      422,
      'Salt parameter cannot be empty. Either omit the salt parameter to auto-generate a random salt, or provide a salt of at least 16 bytes (128 bits).',
    );
  }
  if (bytes.length < MIN_SALT_BYTES) {
    throw new PresidioError(422, `Salt must be at least 16 bytes (128 bits). Provided salt is ${bytes.length} bytes.`);
  }
  return bytes;
}

function restore(value: string, params: JsonObject): string {
  const text = decrypt(keyIn(params), value);
  if (text === undefined) throw new PresidioError(422, 'A text is not encrypted with this key.');
  return text;
}

function keyIn({ key }: JsonObject): Buffer {
  requireParameter(key, 'key');
  if (typeof key !== 'string') throw new PresidioError(422, "Invalid parameter value for 'key'.");
  const bytes = Buffer.from(key, 'utf8');
  if (!isKey(bytes)) throw new PresidioError(422, 'Invalid input, key must be of length 128, 192 or 256 bits');
  return bytes;
}

/** UTF-8 writes all lone surrogates alike: their hashes would be equal, and encryption would lose them. */
function wellFormed(value: string): string {
  if (!value.isWellFormed())
    throw new PresidioError(422, 'A value contains a lone surrogate, which has no UTF-8 form.');
  return value;
}

function requireParameter(value: unknown, name: string): void {
  if (value === undefined || value === null) throw new PresidioError(422, `Expected parameter ${name}`);
}

function badType(name: string, expected: string, value: unknown): PresidioError {
  const actual = Array.isArray(value) ? 'array' : typeof value;
  const isNamed = ['string', 'boolean', 'array'].includes(actual) || Number.isSafeInteger(value);
  return new PresidioError(
    422,
    isNamed
      ? `Invalid parameter value for ${name}. Expecting '${expected}', but got '${actual}'.`
      : `Invalid parameter value for '${name}'.`,
  );
}
