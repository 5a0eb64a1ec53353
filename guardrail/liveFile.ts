import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { repeat } from './repeated.ts';

/** A constant value, or the current content of a file. */
export interface Live<T> {
  readonly current: T;
  close(): void;
}

export function constant<T>(value: T): Live<T> {
  return { current: value, close: () => undefined };
}

/**
 * Follows the parsed content of a file. Kubernetes updates a mounted Secret or ConfigMap by a symbolic link, which file
 * notifications miss, so the content is compared once a second. While the content is not valid, or the file is not
 * readable, the last valid value stays in use.
 *
 * @param report receives each problem once. Its message completes the sentence "<setting> …".
 * @throws what `parse` throws for the first content, and Error if the file is not readable.
 */
export function followFile<T>(
  path: string,
  parse: (text: string) => T,
  report: (problem: Error) => void,
  intervalMs = 1000,
): Live<T> {
  let text = readNow(path);
  let current = parse(text);
  let failedReads = 0;
  let closed = false;

  const check = async (): Promise<void> => {
    const latest = await readFile(path, 'utf8').catch(() => undefined);
    if (closed) return;
    if (latest === undefined) {
      failedReads += 1;
      // A file may be missing for a moment while it is replaced, but not at two checks in a row.
      if (failedReads === 2) report(new Error(unreadable(path)));
      return;
    }
    failedReads = 0;
    if (latest === text) return;
    text = latest;
    try {
      current = parse(latest);
    } catch (error) {
      report(error instanceof Error ? error : new Error('is not valid'));
    }
  };
  const checks = repeat(check, intervalMs);

  return {
    get current() {
      return current;
    },
    close() {
      closed = true;
      checks.end();
    },
  };
}

/** @throws Error that completes the sentence "<setting> …". */
export function readNow(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(unreadable(path));
  }
}

function unreadable(path: string): string {
  return `names ${path}, which cannot be read`;
}
