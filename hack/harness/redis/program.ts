/** Finds the Redis programs, or fetches them on Debian and its derivatives. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from '../cache.ts';
import { isExecutable } from '../executables.ts';

const run = promisify(execFile);
/** Where the package is unpacked. */
const FOLDER = join(CACHE, 'redis');
const NAMES = ['redis-server', 'valkey-server'];

/**
 * The program of the server: from `REDIS_SERVER`, from PATH or from the cache. On Debian and its derivatives also from the
 * package `redis-server`, which root installs and other users unpack into the cache.
 * @throws Error with one sentence that says what to install
 */
export async function findRedisServer(progress: (message: string) => void = () => undefined): Promise<string> {
  const configured = process.env.REDIS_SERVER;
  if (configured !== undefined && configured !== '') {
    if (isExecutable(configured)) return configured;
    throw new Error(`REDIS_SERVER is ${configured}, which is not an executable file.`);
  }
  const found = onPath() ?? cachedBinary();
  if (found !== undefined) return found;
  if (await hasProgram('apt-get')) {
    try {
      if (process.getuid?.() === 0) await installPackage(progress);
      else await unpackPackage(progress);
    } catch (error) {
      throw new Error(
        `Redis is not installed, and fetching the package redis-server failed. Install redis-server or valkey-server.`,
        { cause: error },
      );
    }
    const installed = onPath() ?? cachedBinary();
    if (installed !== undefined) return installed;
  }
  throw new Error('Redis is not installed. Install redis-server 6.2 or later, or valkey-server, on PATH.');
}

/** The client in the folder of a server. */
export function clientOf(server: string): string | undefined {
  const client = join(server, '..', server.endsWith('valkey-server') ? 'valkey-cli' : 'redis-cli');
  return isExecutable(client) ? client : undefined;
}

function onPath(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin', '/usr/sbin'];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function cachedBinary(): string | undefined {
  return ['redis-server', 'redis-check-rdb'].map((name) => join(FOLDER, 'usr', 'bin', name)).find(isExecutable);
}

async function hasProgram(name: string): Promise<boolean> {
  return run('which', [name]).then(
    () => true,
    () => false,
  );
}

async function installPackage(progress: (message: string) => void): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // The package starts a system service after its installation, which is not required here.
  const options = ['-o', 'Dpkg::Use-Pty=0', 'install', '--yes', '--no-install-recommends', 'redis-server'];
  progress('Installing the package redis-server …');
  await run('apt-get', options, { env }).catch(async () => {
    progress('Reading the package lists first …');
    await run('apt-get', ['update'], { env });
    await run('apt-get', options, { env });
  });
}

async function unpackPackage(progress: (message: string) => void): Promise<void> {
  const packages = join(FOLDER, 'packages');
  mkdirSync(packages, { recursive: true });
  progress(`Downloading the package redis-server and unpacking it into ${FOLDER} …`);
  // Debian's redis-server is a link to redis-check-rdb of redis-tools, which needs these libraries.
  const required = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblua5.1-0', 'liblzf1'];
  const optional = ['lua-bitop', 'lua-cjson', 'libhiredis0.14', 'libhiredis1.1.0'];
  await run('apt-get', ['download', ...required], { cwd: packages });
  for (const name of optional) await run('apt-get', ['download', name], { cwd: packages }).catch(() => undefined);
  for (const file of readdirSync(packages)) await run('dpkg-deb', ['-x', join(packages, file), FOLDER]);
}

/** @returns the environment of a program. An unpacked package finds its libraries beside it, an installed one in the system's folders. */
export function withLibraries(command: string): NodeJS.ProcessEnv {
  const libraries = join(command, '..', '..', 'lib');
  if (!command.startsWith(FOLDER)) return process.env;
  const folders = readdirSync(libraries).map((name) => join(libraries, name));
  return { ...process.env, LD_LIBRARY_PATH: folders.join(delimiter) };
}
