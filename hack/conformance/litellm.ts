import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GuardrailCallback } from '../../operator/api/v1alpha1/v1alpha1.ts';
import { type Document, parse, parseDocument, type YAMLMap } from 'yaml';
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { GatewayClient } from './client.ts';
import { GUARDRAIL } from './exposure/probes/bypass.ts';
import { PASS_THROUGH } from './exposure/probes/passThrough.ts';
import { MCP_SERVER } from './exposure/probes/tools.ts';
import type { Interceptor } from './interceptor.ts';
import { MCP_PATH } from '../harness/upstream/mcpServer.ts';
import type { ScriptedWitness, Witness } from '../harness/upstream/modelServer.ts';
import { startLiteLlm } from '../harness/litellm/litellm.ts';
import type { Case } from './suite.ts';

/** A running LiteLLM that calls the suite's model server and guardrail. */
export interface LiteLlm {
  readonly url: string;
  readonly client: GatewayClient;
  /** Creates a virtual key, in a new team if `team` is true. */
  readonly newKey: (team: boolean) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** The inputs of the LiteLLM cases. */
export interface LiteLlmBench extends Pick<LiteLlm, 'client' | 'newKey'> {
  readonly model: Witness;
  readonly guardrail: Interceptor;
}

/** The inputs of the cases that need the real LiteLLM, whose model has scripted answers. */
export interface RealLiteLlmBench extends LiteLlmBench {
  readonly model: ScriptedWitness;
}

/** A case for LiteLLM. */
export type LiteLlmCase = Case<LiteLlmBench>;

/** The servers that a gateway calls. */
export interface Backends {
  readonly modelUrl: string;
  readonly guardrailUrl: string;
  readonly guardrailKey: string;
}

/** LiteLLM's timeout for guardrail calls, in seconds; well above the duration of any call. */
const GUARDRAIL_TIMEOUT_S = 15;
export const MASTER_KEY = 'sk-conformance';
/** A second, fail-open entry for the same guardrail, for calls that name it in `guardrails`. */
export const FAILS_OPEN = 'fails-open';
const SAMPLE = join(import.meta.dirname, '../samples/litellm/config.yaml');

/** @returns the sample configuration with the addresses and ports of this run, and the entry of one of the clients. */
async function configuration(backends: Backends, callback: GuardrailCallback): Promise<string> {
  const document = await configurationOf(backends.modelUrl);
  document.setIn(['general_settings', 'pass_through_endpoints'], passThrough(backends.modelUrl));
  const guardrail = ['guardrails', 0, 'litellm_params'];
  if (callback === 'Full') {
    const { mode, default_on, api_key } = (document.getIn(guardrail) as YAMLMap).toJSON() as JsonObject;
    const params = { guardrail: 'llm_shield_proxy', mode, default_on, api_base: backends.guardrailUrl, api_key };
    document.setIn(guardrail, document.createNode(params));
    return document.toString();
  }
  document.setIn([...guardrail, 'api_base'], backends.guardrailUrl);
  document.setIn([...guardrail, 'timeout'], GUARDRAIL_TIMEOUT_S);
  const { guardrails } = document.toJS() as { guardrails: readonly [{ readonly litellm_params: object }] };
  document.addIn(['guardrails'], {
    guardrail_name: FAILS_OPEN,
    litellm_params: { ...guardrails[0].litellm_params, default_on: false, unreachable_fallback: 'fail_open' },
  });
  return document.toString();
}

/**
 * @returns the sample configuration of a LiteLLM behind the guardrail. LiteLLM records the calls in its database, with their
 *   texts.
 */
async function configurationBehindProxy({ modelUrl, guardrailUrl }: BehindProxy): Promise<string> {
  const document = await configurationOf(modelUrl);
  if (guardrailUrl === undefined) document.delete('guardrails');
  else document.setIn(['guardrails', 0, 'litellm_params', 'api_base'], guardrailUrl);
  document.setIn(['general_settings', 'store_prompts_in_spend_logs'], true);
  document.setIn(['general_settings', 'proxy_batch_write_at'], 1);
  return document.toString();
}

/** @returns the sample configuration with the model server of this run. */
async function configurationOf(modelUrl: string): Promise<Document> {
  const document = parseDocument(await readFile(SAMPLE, 'utf8'));
  const model = ['model_list', 0, 'litellm_params'];
  document.setIn([...model, 'api_base'], `${modelUrl}/v1`);
  document.setIn([...model, 'api_key'], 'sk-none');
  document.setIn([...model, 'max_retries'], 0);
  document.setIn(['general_settings', 'master_key'], MASTER_KEY);
  const { model_list: models, ...parts } = parse(measuredParts(modelUrl)) as Record<string, object[]>;
  for (const other of models ?? []) document.addIn(['model_list'], other);
  for (const [name, part] of Object.entries(parts)) document.setIn([name], document.createNode(part));
  document.setIn(['litellm_settings'], { drop_params: true, num_retries: 0 });
  document.setIn(['router_settings'], { num_retries: 0, disable_cooldowns: true });
  return document;
}

/** What only the probes of the table need: other providers, an MCP server, an agent, a search and provider files. */
const measuredParts = (url: string): string => `
model_list:
  - { model_name: anthropic/*, litellm_params: { model: anthropic/*, api_base: ${url}, api_key: sk-none } }
  - { model_name: rerank, litellm_params: { model: cohere/rerank-v3.5, api_base: ${url}/rerank, api_key: sk-none } }
  - { model_name: ocr, litellm_params: { model: mistral/mistral-ocr-latest, api_base: ${url}/v1, api_key: sk-none } }
  - { model_name: gemini-echo, litellm_params: { model: gemini/gemini-2.5-flash, api_base: ${url}, api_key: sk-none } }
assistant_settings: { custom_llm_provider: openai, litellm_params: { api_base: ${url}/v1, api_key: sk-none } }
search_tools: [{ search_tool_name: lab-search, litellm_params: { search_provider: searxng, api_base: ${url} } }]
agent_list:
  - agent_name: lab-agent
    agent_card_params:
      { protocolVersion: '1.0', name: lab-agent, description: d, url: ${url}/a2a, version: 1.0.0, skills: [],
        capabilities: { streaming: false }, defaultInputModes: [text], defaultOutputModes: [text] }
mcp_servers: { ${MCP_SERVER}: { url: ${url}${MCP_PATH}, transport: http, auth_type: none } }
files_settings: [{ custom_llm_provider: openai, api_base: ${url}/v1, api_key: sk-none }]
`;

function passThrough(modelUrl: string): JsonObject[] {
  const target = { target: `${modelUrl}${PASS_THROUGH.plain}`, headers: {} };
  return [
    { path: PASS_THROUGH.plain, ...target },
    { path: PASS_THROUGH.guarded, ...target, guardrails: { [GUARDRAIL]: null } },
  ];
}

/**
 * Starts the LiteLLM in the folder `LITELLM_LAB` with the sample configuration and its own database.
 *
 * @throws Error with one sentence that names what to set or install.
 */
export async function useLiteLlm(backends: Backends, callback: GuardrailCallback = 'Generic'): Promise<LiteLlm> {
  return startConfigured(await configuration(backends, callback), backends);
}

/** The servers that a LiteLLM behind the guardrail calls. */
export interface BehindProxy extends Pick<Backends, 'modelUrl' | 'guardrailKey'> {
  /** The guardrail that it calls too; undefined: none. */
  readonly guardrailUrl?: string | undefined;
}

/** Like {@link useLiteLlm}, to run behind the guardrail. */
export async function startLiteLlmBehindProxy(backends: BehindProxy): Promise<LiteLlm> {
  return startConfigured(await configurationBehindProxy(backends), backends);
}

async function startConfigured(
  config: string,
  { modelUrl, guardrailKey }: Pick<Backends, 'modelUrl' | 'guardrailKey'>,
): Promise<LiteLlm> {
  const { url, stop } = await startLiteLlm(config, { GUARDRAIL_API_KEY: guardrailKey, ...providers(modelUrl) });
  const client = new GatewayClient(url, ({ key }) => ({ authorization: `Bearer ${key ?? MASTER_KEY}` }));
  const newKey = async (team: boolean): Promise<string> => {
    const made = team ? await client.post('/team/new', {}) : undefined;
    const teamId = made?.body.team_id;
    const { status, body } = await client.post('/key/generate', typeof teamId === 'string' ? { team_id: teamId } : {});
    if (status === 200 && typeof body.key === 'string') return body.key;
    throw new Error(`LiteLLM did not create a virtual key (status ${status}).`);
  };
  return { url, client, newKey, stop };
}

/** The providers to which LiteLLM passes calls through unchanged. */
function providers(modelUrl: string): Record<string, string> {
  return {
    OPENAI_API_BASE: `${modelUrl}/v1`,
    OPENAI_API_KEY: 'sk-none',
    ANTHROPIC_API_BASE: modelUrl,
    ANTHROPIC_API_KEY: 'sk-none',
  };
}
