import { freePort } from '../testing/processes.ts';
import { GatewayClient } from './client.ts';
import type { InlineBench } from './inlineBench.ts';
import { MASTER_KEY, startLiteLlmBehindProxy } from './litellm.ts';
import { startService } from './service.ts';

/** A running LiteLLM behind a running guardrail. */
export interface Inline extends Omit<InlineBench, 'model'> {
  readonly stop: () => Promise<void>;
}

/**
 * Starts a LiteLLM without a guardrail, and the guardrail as a proxy in front of it.
 *
 * @throws Error with one sentence that names what to set or install.
 */
export async function startInline(modelUrl: string): Promise<Inline> {
  const { url, client: admin, newKey, stop } = await startLiteLlmBehindProxy(modelUrl);
  try {
    const port = await freePort();
    const service = await startService({ GUARDRAIL_PROXY_UPSTREAM: url, GUARDRAIL_PROXY_PORT: String(port) });
    return {
      client: new GatewayClient(`http://127.0.0.1:${port}`, ({ key }) => ({
        authorization: `Bearer ${key ?? MASTER_KEY}`,
      })),
      admin,
      masterKey: MASTER_KEY,
      newKey,
      stop: async () => {
        await service.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
