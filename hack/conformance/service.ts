import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { answersOk, freePort, startProcess, temporaryFolder, waitUntilReady } from '../harness/processes.ts';
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
const POLICY = JSON.stringify({
  deny: [{ value: FORBIDDEN, type: 'SECRET_PROJECT' }],
  entities: { SECRET_PROJECT: 'block' },
});

const random = (): string => randomBytes(24).toString('hex');

/**
 * Starts this project's service on a free port, with mappings in memory.
 *
 * @param settings more settings, with their prefix
 * @param first the API key of the first tenant
 * @throws Error with one sentence if the service does not become ready.
 */
export async function startService(
  settings: Readonly<Record<string, string>> = {},
  first = random(),
): Promise<Service> {
  const folder = temporaryFolder('conformance-');
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
  await waitUntilReady(child, () => answersOk(`${url}/readyz`), READY_MS);
  return { url, keys, stop: () => child.stop() };
}
