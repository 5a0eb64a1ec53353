/** The operator with the settings of its pod, as a separate process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import type { ControlPlane } from '../../harness/controlplane.ts';
import { operatorContainer } from '../../harness/operatorContainer.ts';
import { freePort, type ManagedProcess, startProcess, waitUntilReady } from '../../harness/processes.ts';
import { limitBytes } from '../guardrail/program.ts';
import { collectable } from '../memory.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The lease of a killed operator expires after 15 s. */
const READY_MS = 45_000;

/** The namespace of the operator and of its lease. */
export const HOME = 'attack-operator';

export interface OperatorProgram {
  readonly pid: number;
  readonly end: string | undefined;
  /** The complete log since the first start. */
  log(): string;
  /** @returns whether /healthz answers 200. */
  healthy(): Promise<boolean>;
  metrics(): Promise<string>;
  kill(): Promise<void>;
  /** Restarts the operator, and waits until it is the leader. */
  restart(): Promise<void>;
}

export async function startOperator(plane: ControlPlane, folder: string): Promise<OperatorProgram> {
  const logFile = join(folder, 'operator.log');
  const [port, metricsPort] = [await freePort(), await freePort()];
  const heap = `--max-old-space-size=${Math.floor(memoryLimit() / 2 / 2 ** 20)}`;
  const get = async (path: string): Promise<{ status: number; text: string }> => {
    const origin = `http://127.0.0.1:${path === '/metrics' ? metricsPort : port}`;
    const { statusCode, body } = await request(`${origin}${path}`, { headersTimeout: 5_000 });
    return { status: statusCode, text: await body.text() };
  };
  const launch = async (): Promise<ManagedProcess> => {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('OPERATOR_'));
    const child = await startProcess({
      name: 'The operator',
      command: process.execPath,
      args: [
        ...collectable(),
        heap,
        join(ROOT, 'operator', 'main.ts'),
        `--namespace=${HOME}`,
        '--http-host=127.0.0.1',
        `--http-port=${port}`,
        `--metrics-port=${metricsPort}`,
      ],
      env: { ...Object.fromEntries(inherited), KUBECONFIG: plane.kubeconfig },
      logFile,
    });
    const leads = async (): Promise<boolean> => {
      const metrics = await get('/metrics').catch(() => undefined);
      return /^leader_election_master_status(?:\{.*\})? 1$/m.test(metrics?.text ?? '');
    };
    await waitUntilReady(child, leads, READY_MS);
    return child;
  };
  let child = await launch();
  return {
    get pid() {
      return child.pid;
    },
    get end() {
      return child.end;
    },
    log: () => readFileSync(logFile, 'utf8'),
    healthy: async () => (await get('/healthz').catch(() => undefined))?.status === 200,
    metrics: async () => (await get('/metrics')).text,
    kill: () => child.kill(),
    restart: async () => {
      child = await launch();
    },
  };
}

/** @returns the memory limit of the operator's container, in bytes. */
export function memoryLimit(): number {
  return limitBytes(operatorContainer().resources.limits.memory);
}
