import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { CACHE } from '../harness/cache.ts';
import { withFileLock } from '../harness/lock.ts';
import { freePort, portInUse, startProcess, temporaryFolder, waitUntilReady } from '../harness/processes.ts';
import { type CallOptions, GatewayClient } from './client.ts';
import type { Backends } from './litellm.ts';

const VERSION = '1.15.2';

/** Newer versions of these packages break Portkey's streams (Portkey-AI/gateway#1389). */
const PINNED = { '@hono/node-server': '1.13.5', hono: '4.9.7', '@hono/node-ws': '1.2.0' };

/** Portkey's timeout for guardrail calls, in milliseconds; well above the duration of any call. */
const GUARDRAIL_TIMEOUT_MS = 10_000;

const READY_MS = 30_000;
const SAMPLE = join(import.meta.dirname, '../samples/portkey/config.json');

/** A running Portkey gateway that calls the suite's model server and guardrail. */
export interface Portkey {
  readonly client: GatewayClient<PortkeyCall>;
  readonly stop: () => Promise<void>;
}

/** The configuration of one call, beyond the sample. Portkey takes its whole configuration with each call. */
export interface PortkeyCall extends CallOptions {
  /** `openai` (default) or `anthropic`. */
  readonly provider?: string;
  /** The team in the configuration; null sends none. Default: `red`. */
  readonly team?: string | null;
}

/** @returns the folder of the pinned Portkey. Installs it from npm into the user's cache if it is missing. */
async function install(): Promise<string> {
  const folder = join(CACHE, `portkey-${VERSION}`);
  const installed = join(folder, '.installed');
  await mkdir(folder, { recursive: true });
  await withFileLock(
    folder,
    () => undefined,
    async () => {
      if (existsSync(installed)) return;
      const manifest = { private: true, dependencies: { '@portkey-ai/gateway': VERSION }, overrides: PINNED };
      await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
      const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      await promisify(execFile)('npm', args, { cwd: folder }).catch((error: unknown) => {
        throw new Error(`Installing @portkey-ai/gateway ${VERSION} from npm failed.`, { cause: error });
      });
      await writeFile(installed, '');
    },
  );
  return folder;
}

function configOf(sample: JsonObject, backends: Backends, call: PortkeyCall): string {
  const text = JSON.stringify(sample)
    .replaceAll('http://127.0.0.1:8080', backends.guardrailUrl)
    .replaceAll('$GUARDRAIL_API_KEY', call.key ?? backends.guardrailKey)
    .replaceAll('$TEAM', call.team ?? 'red');
  const config = JSON.parse(text) as JsonObject & Record<'input_guardrails' | 'output_guardrails', JsonObject[]>;
  for (const guardrail of [...config.input_guardrails, ...config.output_guardrails]) {
    const webhook = guardrail['default.webhook'] as JsonObject & { headers: JsonObject };
    webhook.timeout = GUARDRAIL_TIMEOUT_MS;
    if (call.team === null) delete webhook.headers['x-guardrail-team'];
  }
  const provider = call.provider ?? 'openai';
  return JSON.stringify({ ...config, provider, api_key: 'sk-none', custom_host: `${backends.modelUrl}/v1` });
}

/**
 * Starts the real Portkey gateway from npm, at a pinned version, on a free port.
 *
 * @throws Error with one sentence if the installation or the start fails.
 */
export async function usePortkey(backends: Backends): Promise<Portkey> {
  const folder = await install();
  const sample = JSON.parse(await readFile(SAMPLE, 'utf8')) as JsonObject;
  const port = await freePort();
  const logs = temporaryFolder('conformance-portkey-');
  const child = await startProcess({
    name: 'Portkey',
    command: process.execPath,
    args: [
      join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js'),
      `--port=${port}`,
      '--headless',
    ],
    env: { ...process.env, NODE_ENV: 'production' },
    logFile: join(logs, 'portkey.log'),
  });
  await waitUntilReady(child, () => portInUse(port), READY_MS);
  const client = new GatewayClient(`http://127.0.0.1:${port}`, (call: PortkeyCall) => ({
    'x-portkey-config': configOf(sample, backends, call),
  }));
  return { client, stop: () => child.stop() };
}
