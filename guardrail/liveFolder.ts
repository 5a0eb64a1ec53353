import { readFile, stat } from 'node:fs/promises';
import { readFileSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Live } from './liveFile.ts';
import { repeat } from './repeated.ts';

export type { Live } from './liveFile.ts';

/** The texts of the files that exist, by name. */
export type FolderContent = ReadonlyMap<string, string>;

export interface FolderOptions<T> {
  readonly folder: string;
  /** The names of the files. Others are ignored. */
  readonly names: readonly string[];
  /** Reads the content of all files together. */
  readonly read: (files: FolderContent) => T;
  /** Receives each problem once. */
  readonly report: (problem: Error) => void;
  /** Default: one second. */
  readonly intervalMs?: number;
}

/**
 * Follows what several files of a folder say together. Kubernetes replaces all files of a volume at once, by a symbolic
 * link, which file notifications miss. So the files are compared by their metadata once a second, and read only when they
 * change. While their content is not valid, the last valid value stays in use.
 */
export function followFolder<T>({
  folder,
  names,
  read,
  report,
  intervalMs = 1000,
}: FolderOptions<T>): Live<T | undefined> {
  let current: T | undefined;
  let seen: string | undefined;
  let closed = false;

  const use = (signature: string, files: FolderContent): void => {
    seen = signature;
    try {
      current = read(files);
    } catch (error) {
      report(error instanceof Error ? error : new Error('is not valid.'));
    }
  };
  const check = async (): Promise<void> => {
    const before = await signatureOf(folder, names);
    if (before === seen) return;
    const files = await readAll(folder, names);
    // Files that change while they are read are read again at the next check.
    if (!closed && (await signatureOf(folder, names)) === before) use(before, files);
  };
  use(signatureNow(folder, names), readAllNow(folder, names));
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

const describe = ({ dev, ino, size, mtimeMs }: Stats): string => [dev, ino, size, mtimeMs].join(':');

async function signatureOf(folder: string, names: readonly string[]): Promise<string> {
  const stats = await Promise.all(names.map((name) => stat(join(folder, name)).then(describe, () => '')));
  return stats.join('\n');
}

function signatureNow(folder: string, names: readonly string[]): string {
  return names.map((name) => attempt(() => describe(statSync(join(folder, name)))) ?? '').join('\n');
}

async function readAll(folder: string, names: readonly string[]): Promise<FolderContent> {
  const files = new Map<string, string>();
  // One after the other: together they can have 11 MB.
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (text !== undefined) files.set(name, text);
  }
  return files;
}

function readAllNow(folder: string, names: readonly string[]): FolderContent {
  const files = new Map<string, string>();
  for (const name of names) {
    const text = attempt(() => readFileSync(join(folder, name), 'utf8'));
    if (text !== undefined) files.set(name, text);
  }
  return files;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
