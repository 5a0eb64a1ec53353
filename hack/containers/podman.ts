/**
 * Builds and stores container images with podman. They are in a store of the project's cache; the machine's own images are
 * neither used nor changed.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from '../harness/cache.ts';
import { temporaryFolder } from '../harness/processes.ts';

const STORE = join(CACHE, 'containers');
/**
 * podman's state of the store until the next reboot. Its path may have at most 50 characters, so it is not beside the store.
 */
const STORE_STATE = `/run/guardrail-images-${createHash('sha256').update(STORE).digest('hex').slice(0, 8)}`;

/**
 * Runs podman on the project's store.
 *
 * @throws Error with the end of podman's output, or with what to install
 */
export async function podman(
  args: readonly string[],
  options: { readonly timeout?: number } = {},
): Promise<{ readonly stdout: string }> {
  const store = ['--root', STORE, '--runroot', STORE_STATE];
  try {
    return await run('podman', [...store, ...args], options);
  } catch (error) {
    const { stderr = '', code } = error as { readonly stderr?: string; readonly code?: unknown };
    if (code === 'ENOENT') {
      throw new Error('Images are built with podman, which is missing. Install it (apt-get install podman).', {
        cause: error,
      });
    }
    const end = stderr.trimEnd().split('\n').slice(-15).join('\n');
    throw new Error(`podman ${args[0] ?? ''} failed:\n${end}`, { cause: error });
  }
}

/** Builds an image. Images that it starts from are in the store already. */
export function buildImage(args: readonly string[]): Promise<unknown> {
  // Builds without a separate container for each step, which needs rights that some machines do not grant.
  return podman(['build', '--isolation', 'chroot', '--pull=never', ...args]);
}

/** Whether the store has an image. */
export async function imageExists(image: string): Promise<boolean> {
  try {
    await podman(['image', 'exists', image]);
    return true;
  } catch (error) {
    const { code } = (error as Error).cause as { readonly code?: unknown };
    // Any other exit code says that the store cannot be read.
    if (code === 1) return false;
    throw error;
  }
}

/**
 * The arguments of a build that let npm trust the certificate authority of this machine: a proxy with its own authority may be
 * between this machine and the registry.
 *
 * @param folder exists during the build
 */
export function npmTrust(folder: string): string[] {
  const authority = process.env.NODE_EXTRA_CA_CERTS;
  if (authority === undefined) return [];
  const settings = join(folder, 'npmrc');
  writeFileSync(settings, 'cafile=/etc/npm-ca.crt\n');
  return ['--volume', `${realpathSync(authority)}:/etc/npm-ca.crt:ro`, '--volume', `${settings}:/root/.npmrc:ro`];
}

/** Does some work with a new folder, and then removes it. It is removed at the latest when this process exits. */
export async function withTemporaryFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder('image-', parent);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program that ends at the latest with this process. */
export async function run(
  command: string,
  args: readonly string[],
  options: object = {},
): Promise<{ readonly stdout: string }> {
  const running = promisify(execFile)(command, args, { maxBuffer: 64 << 20, ...options });
  const stop = (): void => {
    running.child.kill();
  };
  process.once('exit', stop);
  try {
    return await running;
  } finally {
    process.off('exit', stop);
  }
}
