/**
 * Provides kube-apiserver, etcd, kubectl and the other programs of Kubernetes. It searches `KUBEBUILDER_ASSETS`, the cache that
 * setup-envtest also uses, and `PATH`. Programs that are not found are downloaded, or else built from Go modules, into that
 * cache.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isExecutable } from '../executables.ts';
import { withFileLock } from '../lock.ts';
import type { Report } from '../progress.ts';
import { build, goCommand, WORK_PREFIX as BUILD_PREFIX } from './build.ts';
import {
  ARCHIVE_BINARIES,
  ARCHIVE_VERSION,
  type ArchiveSource,
  download,
  WORK_PREFIX as DOWNLOAD_PREFIX,
} from './download.ts';
import { type BinaryName, KUBERNETES_VERSION, platformName } from './versions.ts';

/** Where programs are searched and stored. All fields have defaults; tests set their own. */
export interface BinarySources {
  env?: NodeJS.ProcessEnv;
  report?: Report;
  /** Default: the release archives of controller-tools, with their pinned SHA-512. */
  archive?: ArchiveSource;
  /** Builds into a folder. Default: with the Go on `PATH`. */
  build?: typeof build;
}

const MINOR = KUBERNETES_VERSION.split('.').slice(0, 2).join('.');
const ETCD_MINORS = ['3.5', '3.6'];
/** A client can be one minor version older or newer than its server. */
const KUBECTL_SKEW = 1;
const LEFTOVER_AGE_MS = 24 * 60 * 60_000;

/**
 * The paths of the named programs.
 * @throws Error with the remedy if a program cannot be found, downloaded or built
 */
export async function ensureBinaries<Name extends BinaryName>(
  names: readonly Name[],
  sources: BinarySources = {},
): Promise<Record<Name, string>> {
  const { env = process.env, report = () => undefined } = sources;
  const lookUp = (): Promise<Map<Name, string>> => findBinaries(names, env);
  let found = await lookUp();
  if (found.size < names.length) {
    const cache = cacheFolder(env);
    mkdirSync(cache, { recursive: true });
    const waiting = (): void => {
      report('Another run is fetching the control plane; waiting for it …');
    };
    await withFileLock(cache, waiting, async () => {
      removeLeftovers(cache);
      found = await lookUp();
      const missing = (): Name[] => names.filter((name) => !found.has(name));
      let whyNot = '';
      if (missing().some((name) => ARCHIVE_BINARIES.includes(name))) {
        whyNot = await download(versionFolder(cache, ARCHIVE_VERSION), report, sources.archive);
        found = await lookUp();
      }
      if (missing().length === 0) return;
      const go = await goCommand(env);
      if (go === undefined) {
        throw new Error(
          `These programs of Kubernetes ${MINOR} are missing: ${missing().join(', ')} (not in the cache, not on PATH; ` +
            `${whyNot === '' ? '' : `${whyNot}; `}no Go 1.21 or newer to build them). ` +
            'Connect to the Internet once, install Go (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder that contains them.',
        );
      }
      await (sources.build ?? build)({
        names: missing(),
        folder: versionFolder(cache, KUBERNETES_VERSION),
        version: KUBERNETES_VERSION,
        go,
        env,
        report,
      });
      found = await lookUp();
    });
  }
  return Object.fromEntries(
    names.map((name) => {
      const path = found.get(name);
      if (path === undefined) throw new Error(`${name} was installed, but does not run on this machine.`);
      return [name, path];
    }),
  ) as Record<Name, string>;
}

/** The paths of those named programs that are available. */
export async function findBinaries<Name extends BinaryName>(
  names: readonly Name[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Map<Name, string>> {
  const found = new Map<Name, string>();
  for (const name of names) {
    const path = await find(name, env);
    if (path !== undefined) found.set(name, path);
  }
  return found;
}

/**
 * Removes what a killed run has left, after a delay: a machine that sleeps during a build loses the lock, and its build
 * continues.
 */
function removeLeftovers(cache: string): void {
  for (const entry of readdirSync(cache)) {
    const folder = join(cache, entry);
    if (!entry.startsWith(BUILD_PREFIX) && !entry.startsWith(DOWNLOAD_PREFIX)) continue;
    if (Date.now() - statSync(folder).mtimeMs < LEFTOVER_AGE_MS) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The folder in which setup-envtest keeps its versions. A run locks it while it fetches programs. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const home = env.HOME ?? homedir();
  if (process.platform === 'darwin') return join(home, 'Library/Application Support/io.kubebuilder.envtest/k8s');
  return join(env.XDG_DATA_HOME ?? join(home, '.local/share'), 'kubebuilder-envtest/k8s');
}

function versionFolder(cache: string, version: string): string {
  return join(cache, `${version}-${platformName()}`);
}

async function find(name: BinaryName, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const assets = env.KUBEBUILDER_ASSETS;
  if (assets !== undefined && assets !== '') {
    const path = join(assets, name);
    if (isExecutable(path)) return path;
    if (name === 'kube-apiserver' || name === 'etcd') {
      throw new Error(`KUBEBUILDER_ASSETS is ${assets}, which does not contain ${name}. Correct it, or unset it.`);
    }
  }
  for (const folder of cachedVersions(cacheFolder(env))) {
    if (isExecutable(join(folder, name))) return join(folder, name);
  }
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    if (folder !== '' && isExecutable(path) && (await hasRightVersion(name, path))) return path;
  }
  return undefined;
}

/** The cached 1.36.x for this machine, newest first. */
function cachedVersions(cache: string): string[] {
  const suffix = `-${platformName()}`;
  try {
    return readdirSync(cache)
      .filter((entry) => entry.startsWith(`${MINOR}.`) && entry.endsWith(suffix))
      .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((entry) => join(cache, entry));
  } catch {
    return [];
  }
}

async function hasRightVersion(name: BinaryName, path: string): Promise<boolean> {
  const args = name === 'kubectl' ? ['version', '--client'] : ['--version'];
  try {
    const { stdout } = await promisify(execFile)(path, args, { timeout: 10_000 });
    const [, major, minor] = /v?(\d+)\.(\d+)\.\d+/.exec(stdout) ?? [];
    if (major === undefined || minor === undefined) return false;
    if (name === 'etcd') return ETCD_MINORS.includes(`${major}.${minor}`);
    if (name !== 'kubectl') return `${major}.${minor}` === MINOR;
    const [wantedMajor, wantedMinor] = MINOR.split('.').map(Number);
    return Number(major) === wantedMajor && Math.abs(Number(minor) - (wantedMinor ?? 0)) <= KUBECTL_SKEW;
  } catch {
    return false;
  }
}
