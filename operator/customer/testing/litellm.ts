/** For tests: a real LiteLLM with its database and a model server. */
import { stringify } from 'yaml';
import { startLiteLlm } from '../../../hack/harness/litellm/litellm.ts';
import { startModelServer } from '../../../hack/harness/upstream/modelServer.ts';

/** A running LiteLLM that serves the models gpt-4o-mini and fast, each for {@link callCost} USD a call. */
export interface TestLiteLlm {
  readonly url: string;
  readonly masterKey: string;
  /** Makes a paid call for a customer. @param model null: no model. @returns status and body of the response */
  chat(customerId: string, model?: string | null): Promise<{ status: number; body: string }>;
  stop(): Promise<void>;
}

const masterKey = 'sk-customers';
const costPerToken = 0.001;
/** The cost of a call in USD: the model server counts six tokens for "Hello." and its echo. */
export const callCost = 6 * costPerToken;

/** @throws Error with a message that names the missing variable or program */
export async function startTestLiteLlm(): Promise<TestLiteLlm> {
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
  const config = {
    model_list: [model('gpt-4o-mini'), model('fast')],
    general_settings: { master_key: masterKey, proxy_batch_write_at: 1 },
    litellm_settings: { drop_params: true, num_retries: 0 },
    router_settings: { num_retries: 0, disable_cooldowns: true },
  };
  const { url, stop } = await startLiteLlm(stringify(config)).catch(async (error: unknown) => {
    await models.stop();
    throw error;
  });
  // On a busy machine, the first call that reads the database takes longer than an operator waits.
  await fetch(`${url}/budget/list`, { headers: { authorization: `Bearer ${masterKey}` } });
  return {
    url,
    masterKey,
    chat: async (customerId, name = 'gpt-4o-mini') => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...(name === null ? {} : { model: name }),
          user: customerId,
          messages: [{ role: 'user', content: 'Hello.' }],
        }),
      });
      return { status: response.status, body: await response.text() };
    },
    stop: async () => {
      await stop();
      await models.stop();
    },
  };
}
