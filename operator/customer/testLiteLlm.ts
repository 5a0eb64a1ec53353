/** For tests: a real LiteLLM with its database and a model server. */
import { globSync, mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startModelServer } from '../../hack/conformance/modelServer.ts';
import { startPostgres } from '../../hack/conformance/postgres.ts';
import { freePort, removeAtExit, startProcess, waitUntilReady } from '../../hack/local/processes.ts';

/** A running LiteLLM that serves the models gpt-4o-mini and fast, each for {@link callCost} USD a call. */
export interface TestLiteLlm {
  readonly url: string;
  readonly masterKey: string;
  /** Makes a paid call for a customer. @returns its status and body */
  chat(customerId: string, model?: string): Promise<{ status: number; body: string }>;
  stop(): Promise<void>;
}

const masterKey = 'sk-customers';
const costPerToken = 0.001;
/** What a call costs, in USD: the model server counts six tokens for "Hello." and its echo. */
export const callCost = 6 * costPerToken;

/** @throws Error with a sentence that says what to set or install. */
export async function startTestLiteLlm(): Promise<TestLiteLlm> {
  const lab = process.env.LITELLM_LAB ?? '';
  const migrations = 'venv/lib/python3*/site-packages/litellm_proxy_extras/migrations/*/migration.sql';
  const scripts = lab === '' ? [] : globSync(join(lab, migrations)).sort();
  if (scripts.length === 0) {
    throw new Error('Set LITELLM_LAB to a folder with a LiteLLM that can be run: venv/bin/litellm and prisma-shim.');
  }
  const models = await startModelServer();
  const model = (name: string): object => ({
    model_name: name,
    litellm_params: {
      model: 'openai/echo',
      api_base: `${models.url}/v1`,
      api_key: 'sk-none',
      max_retries: 0,
      input_cost_per_token: costPerToken,
      output_cost_per_token: costPerToken,
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'customers-litellm-'));
  removeAtExit(folder);
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    stringify({
      model_list: [model('gpt-4o-mini'), model('fast')],
      general_settings: { master_key: masterKey, proxy_batch_write_at: 1 },
      litellm_settings: { drop_params: true, num_retries: 0 },
      router_settings: { num_retries: 0, disable_cooldowns: true },
    }),
  );
  const database = await startPostgres(scripts);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startProcess({
    name: 'LiteLLM',
    command: join(lab, 'venv', 'bin', 'litellm'),
    args: ['--config', config, '--host', '127.0.0.1', '--port', String(port)],
    cwd: folder,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      PRISMA_QUERY_ENGINE_BINARY: join(lab, 'prisma-shim', 'query-engine'),
      DISABLE_SCHEMA_UPDATE: 'true',
      LITELLM_TELEMETRY: 'False',
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      LITELLM_SALT_KEY: 'sk-salt',
      LITELLM_LOG: 'ERROR',
      NO_DOCS: 'True',
      PYTHONUNBUFFERED: '1',
    },
    logFile: join(folder, 'litellm.log'),
  });
  const ready = async (): Promise<boolean> =>
    await fetch(`${url}/health/readiness`).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    );
  await waitUntilReady(child, ready, 180_000);
  return {
    url,
    masterKey,
    chat: async (customerId, name = 'gpt-4o-mini') => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: name, user: customerId, messages: [{ role: 'user', content: 'Hello.' }] }),
      });
      return { status: response.status, body: await response.text() };
    },
    stop: async () => {
      await child.stop();
      await database.stop();
      await models.stop();
    },
  };
}
