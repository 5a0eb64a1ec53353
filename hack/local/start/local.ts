/** Starts the parts that need no cluster: the development gateway with its echo model, and a guardrail with the playground. */
import { join } from 'node:path';
import { answersOk, freePort, portInUse, startProcess, waitUntilReady } from '../../harness/processes.ts';
import type { Progress } from '../../harness/progress.ts';
import type { GuardrailAddress } from './guardrailFile.ts';
import type { Parts, Places } from './parts.ts';
import type { StartSettings } from './settings.ts';

/** The gateway whose customers the operator manages. */
export interface Gateway {
  readonly url: string;
  readonly masterKey: string;
  /** The proxy's name, if it is not the default. */
  readonly proxyName?: string;
  /** The log file; undefined for an external gateway. */
  readonly log: string | undefined;
}

/** A guardrail in addition to the one that the operator deploys. It is available first, and serves the playground. */
export interface LocalGuardrail extends GuardrailAddress {
  readonly log: string;
}

/** The parts that need no cluster. */
export interface Local {
  readonly gateway: Gateway;
  readonly playground: LocalGuardrail;
}

/** The API key of the gateway and of the playground. Both listen only on the loopback interface. */
const LOCAL_KEY = 'sk-local-development';
const TIMEOUT_MS = 60_000;

/** Starts the local parts. An external gateway replaces the development gateway. */
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
  requestedPort: number,
  { root, home, logs, guardrailFile }: Places,
  parts: Parts,
): Promise<Gateway> {
  const port = requestedPort === 0 ? await freePort() : requestedPort;
  const child = parts.addProcess(
    await startProcess({
      name: 'The development gateway',
      command: process.execPath,
      args: [
        join(root, 'hack/harness/gateway/main.ts'),
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
  await waitUntilReady(child, () => answersOk(`${url}/health/liveliness`), TIMEOUT_MS);
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
        // Uses the settings of a new user: GUARDRAIL_ variables of this shell belong to another guardrail.
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
  await waitUntilReady(child, () => answersOk(`${url}/readyz`), TIMEOUT_MS);
  return { url, key: LOCAL_KEY, log: child.logFile };
}

/** The port after the gateway's, if it is free: the playground's address then is the same at each start. */
async function portBeside(gatewayPort: number): Promise<number> {
  const port = gatewayPort + 1;
  return gatewayPort === 0 || port > 65_535 || (await portInUse(port)) ? freePort() : port;
}
