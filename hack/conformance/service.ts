import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, removeAtExit, startProcess, waitUntilReady } from '../harness/processes.ts';
import { FORBIDDEN } from './syntheticPerson.ts';

/** The guardrail under test. */
export interface Service {
  readonly url: string;
  /** The API keys of two tenants. */
  readonly keys: readonly [string, string];
  stop(): Promise<void>;
}

const READY_MS = 30_000;

/** Blocks one text and keeps the defaults otherwise. */
export const POLICY = JSON.stringify({
  deny: [{ value: FORBIDDEN, type: 'SECRET_PROJECT' }],
  entities: { SECRET_PROJECT: 'block' },
});

const random = (): string => randomBytes(24).toString('hex');

async function ready(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/readyz', url));
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * Uses the service at `GUARDRAIL_URL` with the keys in `GUARDRAIL_API_KEYS` (two tenants, separated by a comma). Without
 * `GUARDRAIL_URL`, starts this project's service.
 *
 * @throws Error with one sentence if the service does not become ready.
 */
export async function useService(): Promise<Service> {
  const given = process.env.GUARDRAIL_URL;
  if (given !== undefined && given !== '') {
    const [first, second] = (process.env.GUARDRAIL_API_KEYS ?? '')
      .split(',')
      .map((entry) => entry.replace(/^[^:]*:/, ''));
    if (first === undefined || first === '' || second === undefined) {
      throw new Error('GUARDRAIL_URL requires GUARDRAIL_API_KEYS with the keys of two tenants: "a:key1,b:key2".');
    }
    if (!(await ready(given))) throw new Error(`The guardrail at GUARDRAIL_URL (${given}) is not ready.`);
    return { url: given, keys: [first, second], stop: () => Promise.resolve() };
  }
  // An external LiteLLM brings its own key.
  return startService({}, process.env.GUARDRAIL_API_KEY ?? random());
}

/**
 * Starts this project's service on a free port, with mappings in memory.
 *
 * @param settings more settings, with their prefix
 * @param first the API key of the first tenant
 * @throws Error with one sentence if the service does not become ready.
 */
export async function startService(settings: Readonly<Record<string, string>>, first = random()): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  removeAtExit(folder);
  const port = Number(settings.GUARDRAIL_PORT ?? (await freePort()));
  const keys = [first, random()] as const;
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GUARDRAIL_'));
  const child = await startProcess({
    name: 'The guardrail',
    command: process.execPath,
    args: [join(import.meta.dirname, '../../guardrail/main.ts')],
    env: {
      ...Object.fromEntries(inherited),
      GUARDRAIL_HOST: '127.0.0.1',
      GUARDRAIL_PORT: String(port),
      GUARDRAIL_METRICS_PORT: '0',
      GUARDRAIL_API_KEYS: `first:${keys[0]},second:${keys[1]}`,
      GUARDRAIL_POLICY: POLICY,
      ...settings,
    },
    logFile: join(folder, 'guardrail.log'),
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, () => ready(url), READY_MS);
  return { url, keys, stop: () => child.stop() };
}
