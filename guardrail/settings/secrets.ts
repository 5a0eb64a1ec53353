import * as z from 'zod';
import { constant, followFile, readNow, type Live } from '../liveFile.ts';

/** A value given in the environment, or the file that contains it. */
export type Secret<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'file'; readonly path: string; readonly parse: (text: string) => T };

/** Where a secret comes from: its text, or the path of its file. */
export type SecretSource = { readonly text: string } | { readonly path: string };

/**
 * A setting with a twin `<NAME>_FILE` that names a file with the value. A change of the file takes effect without a
 * restart.
 * @param parse throws an Error whose message completes the sentence "<name> …" and does not repeat the value.
 */
export function secret<T>(parse: (text: string) => T): z.ZodType<Secret<T> | undefined, SecretSource | undefined> {
  return z
    .custom<SecretSource>()
    .transform((source, context): Secret<T> => {
      try {
        if ('text' in source) return { kind: 'value', value: parse(source.text) };
        parse(readNow(source.path));
        return { kind: 'file', path: source.path, parse };
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not valid' });
        return z.NEVER;
      }
    })
    .optional()
    .meta({ secret: true });
}

export function isSecret(schema: z.ZodType): boolean {
  return schema.meta()?.secret === true;
}

/** Opens a secret and follows its file. `report` receives the problem if new content is invalid. */
export function openSecret<T>(source: Secret<T>, report: (problem: Error) => void): Live<T> {
  return source.kind === 'value' ? constant(source.value) : followFile(source.path, source.parse, report);
}

/** Reads a secret once. */
export function readSecret<T>(source: Secret<T>): T {
  return source.kind === 'value' ? source.value : source.parse(readNow(source.path));
}
