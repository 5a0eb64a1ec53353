/** What needs no cluster: the development gateway with its echo model, and a guardrail that serves the playground. */
import { join } from 'node:path';
import { answers } from '../../testing/answers.ts';
import { freePort, portInUse, startProcess, waitUntilReady } from '../../testing/processes.ts';
import type { Progress } from '../../testing/progress.ts';
import type { GuardrailAddress } from './guardrailFile.ts';
import type { Parts, Places } from './parts.ts';
import type { StartSettings } from './settings.ts';

/** The gateway whose customers the operator manages. */
export interface Gateway {
  readonly url: string;
  readonly masterKey: string;
  /** Its own name, where it is not the default one. */
  readonly proxyName?: string;
  /** Undefined where it is not ours. */
  readonly log: string | undefined;
}

/** A guardrail of our own, beside the one that the operator deploys: the first to be there, and the playground's. */
export interface LocalGuardrail extends GuardrailAddress {
  readonly log: string;
}

/** What can be used without a cluster. */
export interface Local {
  readonly gateway: Gateway;
  readonly playground: LocalGuardrail;
}

/** Of the gateway and of the playground: both are reached from this machine alone. */
const LOCAL_KEY = 'sk-local-development';
const TIMEOUT_MS = 60_000;

/**
 * Starts them; a gateway that runs already stands for the development gateway.
 */
export async function startLocal(
  settings: StartSettings,
  { places, parts, progress }: { places: Places; parts: Parts; progress: Progress },
): Promise<Local> {
  const given = settings.gateway;
  const [gateway, playground] = await Promise.all([
    given
      ? { ...given, proxyName: 'litellm', log: undefined }
      : progress.step('Development gateway', () => startGateway(settings.gatewayPort, places, parts)),
    progress.step('Guardrail and playground', () => startGuardrail(settings.gatewayPort, places, parts)),
  ]);
  return { gateway, playground };
}

async function startGateway(
  wantedPort: number,
  { root, home, logs, guardrailFile }: Places,
  parts: Parts,
): Promise<Gateway> {
  const port = wantedPort === 0 ? await freePort() : wantedPort;
  const child = parts.addProcess(
    await startProcess({
      name: 'The development gateway',
      command: process.execPath,
      args: [
        join(root, 'hack/testing/gateway/main.ts'),
        `--port=${port}`,
        `--guardrail-file=${guardrailFile}`,
        `--state-file=${join(home, 'gateway.json')}`,
      ],
      env: { ...process.env, DEV_GATEWAY_MASTER_KEY: LOCAL_KEY },
      cwd: root,
      logFile: join(logs, 'gateway.log'),
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, () => answers(`${url}/health/liveliness`), TIMEOUT_MS);
  return { url, masterKey: LOCAL_KEY, log: child.logFile };
}

async function startGuardrail(gatewayPort: number, { root, logs }: Places, parts: Parts): Promise<LocalGuardrail> {
  const port = await portBeside(gatewayPort);
  const child = parts.addProcess(
    await startProcess({
      name: 'The guardrail',
      command: process.execPath,
      args: [join(root, 'guardrail/main.ts')],
      env: {
        // Its settings are those of a new user: the ones of this shell are meant for another guardrail.
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GUARDRAIL_'))),
        GUARDRAIL_HOST: '127.0.0.1',
        GUARDRAIL_PORT: String(port),
        GUARDRAIL_METRICS_PORT: '0',
        GUARDRAIL_API_KEYS: `local:${LOCAL_KEY}`,
        GUARDRAIL_PLAYGROUND: 'true',
      },
      cwd: root,
      logFile: join(logs, 'guardrail.log'),
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, () => answers(`${url}/readyz`), TIMEOUT_MS);
  return { url, key: LOCAL_KEY, log: child.logFile };
}

/** The port after the gateway's where it is free, so that the playground's address is the same at each start. */
async function portBeside(gatewayPort: number): Promise<number> {
  const port = gatewayPort + 1;
  return gatewayPort === 0 || port > 65_535 || (await portInUse(port)) ? freePort() : port;
}
