import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** A value that may come from a file, and then follows it. */
export interface Live<T> {
  readonly current: T;
  close(): void;
}

export function constant<T>(value: T): Live<T> {
  return { current: value, close: () => undefined };
}

/**
 * The parsed content of a file, read again when it changes: Kubernetes replaces a mounted Secret by turning a link,
 * which watching the file would miss, so it is simply read every second. A content that cannot be parsed is reported
 * once, and the last good one stays in use.
 *
 * @throws whatever `parse` throws for the content at the start, and Error where the file cannot be read.
 */
export function followFile<T>(
  path: string,
  parse: (text: string) => T,
  report: (problem: Error) => void,
  intervalMs = 1000,
): Live<T> {
  let text = readNow(path);
  let current = parse(text);
  let closed = false;

  const check = async (): Promise<void> => {
    const latest = await readFile(path, 'utf8').catch(() => undefined);
    // A file is absent for a moment while it is being replaced.
    if (latest === undefined || latest === text) return;
    text = latest;
    try {
      current = parse(latest);
    } catch (error) {
      report(error instanceof Error ? error : new Error('It cannot be parsed.'));
    }
  };
  const schedule = (): NodeJS.Timeout => {
    const next = setTimeout(() => {
      void check().then(() => {
        if (!closed) timer = schedule();
      });
    }, intervalMs);
    next.unref();
    return next;
  };
  let timer = schedule();

  return {
    get current() {
      return current;
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** @throws Error that completes the sentence "<setting> …". */
export function readNow(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(`names ${path}, which cannot be read`);
  }
}
