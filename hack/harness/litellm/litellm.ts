import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answersOk, freePort, temporaryFolder, waitUntilReady } from '../processes.ts';
import { forkLiteLlm } from './forkServer.ts';
import { createDatabase } from './postgres.ts';

/** A LiteLLM that tests start. */
export interface LiteLlmProcess {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

const READY_MS = 180_000;
const MIGRATIONS = 'venv/lib/python3*/site-packages/litellm_proxy_extras/migrations/*/migration.sql';

/**
 * @returns the folder in which LiteLLM is installed
 * @throws Error with one sentence if none is set
 */
export function litellmLab(): string {
  const lab = process.env.LITELLM_LAB ?? '';
  if (lab === '') throw new Error('Set LITELLM_LAB to a folder with venv/bin/litellm and prisma-shim.');
  return lab;
}

/**
 * Starts the LiteLLM of the folder `LITELLM_LAB`, with its own database.
 * @param config its configuration, as YAML
 * @param env additional environment variables
 * @param options `database: false` starts it without a database: it then knows only the master key
 * @throws Error with one sentence that says what to set or install
 */
export async function startLiteLlm(
  config: string,
  env: Readonly<Record<string, string>> = {},
  options: { readonly database: boolean } = { database: true },
): Promise<LiteLlmProcess> {
  const lab = litellmLab();
  const scripts = globSync(join(lab, MIGRATIONS)).sort();
  if (scripts.length === 0) throw new Error(`LITELLM_LAB (${lab}) contains no LiteLLM. Run its setup.sh.`);
  const folder = temporaryFolder('litellm-');
  const file = join(folder, 'config.yaml');
  await writeFile(file, config);
  const common = {
    ...process.env,
    PRISMA_QUERY_ENGINE_BINARY: join(lab, 'prisma-shim', 'query-engine'),
    DISABLE_SCHEMA_UPDATE: 'true',
    // LiteLLM would compare its tables with the schema for seven seconds of processor time, and only log the result.
    LITELLM_PRISMA_COMMAND_TIMEOUT: '0.001',
    LITELLM_TELEMETRY: 'False',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    LITELLM_SALT_KEY: 'sk-salt',
    LITELLM_LOG: 'ERROR',
    NO_DOCS: 'True',
    PYTHONUNBUFFERED: '1',
  };
  const [port, database] = await Promise.all([freePort(), options.database ? createDatabase(scripts) : undefined]);
  const url = `http://127.0.0.1:${port}`;
  const child = await forkLiteLlm(join(lab, 'venv', 'bin', 'python'), common, {
    args: ['--config', file, '--host', '127.0.0.1', '--port', String(port)],
    cwd: folder,
    env: { ...common, ...(database !== undefined && { DATABASE_URL: database }), ...env },
    logFile: join(folder, 'litellm.log'),
  });
  try {
    await waitUntilReady(child, () => answersOk(`${url}/health/readiness`), READY_MS);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { url, pid: child.pid, stop: () => child.stop() };
}
