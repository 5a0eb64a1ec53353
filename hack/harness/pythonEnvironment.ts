import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from './cache.ts';
import { withFileLock } from './lock.ts';

const run = promisify(execFile);

/** A program of PyPI that tests run, and how pip installs it. */
export interface PythonProgram {
  /** The name in messages. */
  readonly name: string;
  /** The folder in the cache. It contains the version, so that another version is installed beside it. */
  readonly folder: string;
  /** The arguments of `pip install`, with pinned versions. */
  readonly install: readonly string[];
  /** The Python versions that it needs, for messages. */
  readonly python: string;
}

/**
 * Installs a program in a virtual environment in the user's cache folder, once.
 *
 * @param log called before an installation.
 * @param cache the folder of the environments.
 * @returns the folder of its executables.
 * @throws Error that says what to install if it cannot be installed.
 */
export async function pythonEnvironment(
  program: PythonProgram,
  log: (line: string) => void = () => undefined,
  cache = CACHE,
): Promise<string> {
  const { name, folder } = program;
  const home = join(cache, folder);
  const bin = join(home, 'bin');
  const complete = join(home, 'ready');
  if (existsSync(complete)) return bin;
  // The lock is beside the environment, which the installation replaces.
  const lock = join(cache, 'python', folder);
  await mkdir(lock, { recursive: true });
  const waiting = (): void => {
    log(`Another run is installing ${name}; waiting for it …`);
  };
  await withFileLock(lock, waiting, async () => {
    if (existsSync(complete)) return;
    log(`Installing ${name} from PyPI, once …`);
    await installInto(home, program);
    // Written last, so that an interrupted installation starts again.
    await writeFile(complete, '');
  });
  return bin;
}

async function installInto(home: string, { name, install, python }: PythonProgram): Promise<void> {
  const bin = join(home, 'bin');
  await rm(home, { recursive: true, force: true });
  try {
    await run('python3', ['-m', 'venv', home]);
    await run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...install], {
      maxBuffer: 16 * 1024 * 1024,
    });
  } catch (error) {
    const [command = '', ...printed] = error instanceof Error ? error.message.trim().split('\n') : [];
    const reason = printed.length === 0 ? command : printed.join('\n');
    throw new Error(
      `Installing ${name} failed. Install ${python} with venv and pip, and allow access to PyPI. ${reason}`,
      { cause: error },
    );
  }
}
