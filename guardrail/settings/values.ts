/**
 * Schemas for the values of settings. Each reads a text. Its error completes the sentence "<name> …" and does not
 * repeat the text, which may be a secret.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import * as z from 'zod';

const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KI: 1024,
  MI: 1024 ** 2,
  GI: 1024 ** 3,
  KIB: 1024,
  MIB: 1024 ** 2,
  GIB: 1024 ** 3,
};

/** A schema that reads a text and produces a value of type `T`. */
export type TextSchema<T> = z.ZodType<T, string>;

/** Creates a schema from a function that throws an Error for an invalid text. */
export function parsedBy<T>(parse: (text: string) => T): TextSchema<T> {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not valid' });
      return z.NEVER;
    }
  });
}

/** A size in bytes. */
export function size(min: number, max: number): TextSchema<number> {
  return z
    .string()
    .transform((text) => {
      const match = /^(\d+(?:\.\d+)?) ?([KMG](?:i?B|i))?$/i.exec(text);
      return Math.floor(Number(match?.[1]) * (SIZE_UNITS[(match?.[2] ?? '').toUpperCase()] ?? Number.NaN));
    })
    .refine(
      (value) => value >= min && value <= max,
      `must be a size such as 512KiB or 10MiB, from ${min} to ${max} bytes`,
    );
}

export function integer(min: number, max: number): TextSchema<number> {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, { error, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, error);
}

export function flag(): TextSchema<boolean> {
  return z.stringbool({
    truthy: ['true', '1'],
    falsy: ['false', '0'],
    case: 'sensitive',
    error: 'must be true or false',
  });
}

const listFormat = new Intl.ListFormat('en', { type: 'disjunction' });

export function oneOf<const T extends readonly [string, ...string[]]>(...values: T): TextSchema<T[number]> {
  return z.enum(values, { error: `must be ${listFormat.format(values)}` });
}

/** Entries separated by commas: at least one, and no duplicates. */
export function listOf<T>(item: TextSchema<T>): TextSchema<readonly T[]> {
  return z
    .string()
    .transform(entriesOf)
    .pipe(z.array(item).min(1, 'must contain at least one entry'))
    .refine((items) => new Set(items).size === items.length, 'must not contain the same entry twice');
}

export function matching(pattern: RegExp, error: string): TextSchema<string> {
  return z.string().regex(pattern, error);
}

export function httpUrl(): TextSchema<URL> {
  return z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).transform((text) => new URL(text));
}

/** The origin of a web page, as browsers send it. */
export function origin(): TextSchema<string> {
  return z
    .string()
    .refine((text) => URL.parse(text)?.origin === text, 'must contain origins such as https://app.example.com');
}

/** The base URL of a server, perhaps with a path. No slash ends the path, except that of the root. */
export function upstreamUrl(): TextSchema<URL> {
  return httpUrl()
    .refine(({ username, password }) => username === '' && password === '', 'must not contain a user or a password')
    .refine(({ href }) => !/[?#]/.test(href), 'must not contain a query or a fragment')
    .transform((url) => {
      url.pathname = url.pathname.replace(/\/+$/, '');
      return url;
    });
}

/** Keys of 32 bytes in base64 or hexadecimal, separated by commas or line ends. The first key encrypts. */
export function encryptionKeys(text: string): readonly [Buffer, ...Buffer[]] {
  const [first, ...others] = entriesOf(text).map((entry) => {
    const key = Buffer.from(entry, /^[0-9a-fA-F]{64}$/.test(entry) ? 'hex' : 'base64');
    const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(entry);
    if (key.length !== 32 || !(isBase64 || entry.length === 64)) {
      throw new Error(
        'must contain keys of 32 bytes in base64 or hexadecimal: generate one with `openssl rand -base64 32`',
      );
    }
    return key;
  });
  if (!first) throw new Error('must contain at least one key');
  return [first, ...others];
}

/** One or more certificates in PEM. */
export function certificates(text: string): string {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0 || !blocks.every(isCertificate)) {
    throw new Error('must contain certificates in PEM, which begin with -----BEGIN CERTIFICATE-----');
  }
  return text;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).serialNumber !== '';
  } catch {
    return false;
  }
}

/** A private key in PEM, without a passphrase. */
export function privateKey(text: string): string {
  try {
    createPrivateKey(text);
    return text;
  } catch {
    throw new Error('must contain a private key in PEM without a passphrase');
  }
}

/** The parts of a text between commas and line ends. */
export function entriesOf(text: string): string[] {
  return text
    .split(/[,\r\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
