import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { VolumeFiles } from './container.ts';

/**
 * Writes exactly these files into a folder, atomically like a kubelet: the files are in a subfolder to which the link `..data`
 * points, and each is a link through it. A reader sees either all old files or all new ones.
 */
export function writeVolume(folder: string, files: VolumeFiles): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const version = `..${process.hrtime.bigint()}`;
  for (const [path, content] of files) {
    const file = join(folder, version, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { mode: 0o600 });
  }
  mkdirSync(join(folder, version), { recursive: true, mode: 0o700 });
  const previous = currentVersion(folder);
  symlinkSync(version, join(folder, '..new'));
  renameSync(join(folder, '..new'), join(folder, '..data'));
  const entries = new Set([...files.keys()].map((path) => path.split('/')[0] ?? path));
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('..') && !entries.has(name)) rmSync(join(folder, name));
    else entries.delete(name);
  }
  for (const name of entries) symlinkSync(join('..data', name), join(folder, name));
  if (previous !== undefined) rmSync(join(folder, previous), { recursive: true });
}

function currentVersion(folder: string): string | undefined {
  try {
    return readlinkSync(join(folder, '..data'));
  } catch {
    return undefined;
  }
}
