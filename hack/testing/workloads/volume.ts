import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { VolumeFiles } from './container.ts';

/**
 * Makes a folder hold exactly these files, changed all at once as a kubelet does it: they lie in a folder of their own
 * that the link `..data` points to, and each is reached through a link. Whoever reads sees all old or all new ones.
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
