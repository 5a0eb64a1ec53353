import { freePort } from '../harness/processes.ts';
import { GatewayClient } from './client.ts';
import type { ScriptedWitness } from '../harness/upstream/modelServer.ts';
import type { Case } from './suite.ts';
import { MASTER_KEY, startLiteLlmBehindProxy } from './litellm.ts';
import { startService } from './service.ts';

/** A running LiteLLM behind a running guardrail. */
export interface Inline {
  /** Calls the proxy with the master key. */
  readonly client: GatewayClient;
  /** Calls LiteLLM itself. */
  readonly admin: GatewayClient;
  /** The master key, for clients of other projects. */
  readonly masterKey: string;
  /** Creates a virtual key, in a new team if `team` is true. */
  readonly newKey: (team: boolean) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** A case for the guardrail as a proxy in front of LiteLLM. */
export type InlineBench = Omit<Inline, 'stop'> & { readonly model: ScriptedWitness };
export type InlineCase = Case<InlineBench>;

const GUARDRAIL_KEY = 'sk-guardrail-behind-litellm';

/**
 * Starts a LiteLLM, and the guardrail as a proxy in front of it.
 * @param isCallback whether LiteLLM calls the guardrail too
 *
 * @throws Error with one sentence that names what to set or install.
 */
export async function startInline(modelUrl: string, isCallback: boolean): Promise<Inline> {
  const [apiPort, port] = [await freePort(), await freePort()];
  const {
    url,
    client: admin,
    newKey,
    stop,
  } = await startLiteLlmBehindProxy({
    modelUrl,
    guardrailUrl: isCallback ? `http://127.0.0.1:${apiPort}` : undefined,
    guardrailKey: GUARDRAIL_KEY,
  });
  try {
    const settings = {
      GUARDRAIL_PORT: String(apiPort),
      GUARDRAIL_PROXY_UPSTREAM: url,
      GUARDRAIL_PROXY_PORT: String(port),
    };
    const service = await startService(settings, GUARDRAIL_KEY);
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
