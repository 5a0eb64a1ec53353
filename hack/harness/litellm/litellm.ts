import { globSync, mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answersOk, freePort, removeAtExit, startProcess, waitUntilReady } from '../processes.ts';
import { startPostgres } from './postgres.ts';

/** A LiteLLM that tests start. */
export interface LiteLlmProcess {
  readonly url: string;
  readonly pid: number;
  /** Stops LiteLLM and its database. */
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
 * Starts the LiteLLM of the folder `LITELLM_LAB`, with its own PostgreSQL.
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
  const folder = mkdtempSync(join(tmpdir(), 'litellm-'));
  removeAtExit(folder);
  const file = join(folder, 'config.yaml');
  await writeFile(file, config);
  const database = options.database ? await startPostgres(scripts) : undefined;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startProcess({
    name: 'LiteLLM',
    command: join(lab, 'venv', 'bin', 'litellm'),
    args: ['--config', file, '--host', '127.0.0.1', '--port', String(port)],
    cwd: folder,
    env: {
      ...process.env,
      ...(database === undefined ? {} : { DATABASE_URL: database.url }),
      PRISMA_QUERY_ENGINE_BINARY: join(lab, 'prisma-shim', 'query-engine'),
      DISABLE_SCHEMA_UPDATE: 'true',
      LITELLM_TELEMETRY: 'False',
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      LITELLM_SALT_KEY: 'sk-salt',
      LITELLM_LOG: 'ERROR',
      NO_DOCS: 'True',
      PYTHONUNBUFFERED: '1',
      ...env,
    },
    logFile: join(folder, 'litellm.log'),
  });
  const stop = async (): Promise<void> => {
    await child.stop();
    await database?.stop();
  };
  try {
    await waitUntilReady(child, () => answersOk(`${url}/health/readiness`), READY_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid, stop };
}
