/** The packages of the image, from npm's lock files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of a lock file, as far as it is read. */
export interface LockEntry {
  readonly version?: string;
  /** The SPDX expression that the package states. */
  readonly license?: string;
  /** Whether only development needs it. */
  readonly dev?: boolean;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The content of `package-lock.json`: the project at the path '', and each package at its folder. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** A package in the image. */
export interface ImagePackage {
  /** The folder, relative to the project. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/**
 * The packages that are installed here and that the image contains. npm lists what it has installed on this platform in a lock
 * file of its own.
 * @param root the folder that contains `node_modules`
 */
export function installedPackages(root: string): ImagePackage[] {
  return imagePackages(JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')) as LockFile);
}

/** The packages of a lock file that are not only for development. */
export function imagePackages({ packages }: LockFile): ImagePackage[] {
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version = '', license: licence = '' }]) => ({
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence,
    }));
}

/** A lock file with only these packages, and a project without development dependencies. */
export function reducedLock<T extends LockFile>(lock: T, packages: readonly ImagePackage[]): T {
  const { devDependencies: _devDependencies, ...project } = lock.packages[''] ?? {};
  const kept = packages.map(({ path }): [string, LockEntry] => [path, lock.packages[path] ?? {}]);
  return { ...lock, packages: { '': project, ...Object.fromEntries(kept) } };
}
