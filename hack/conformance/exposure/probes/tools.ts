import type { JsonObject } from '../../../harness/gateway/gateway.ts';
import { MCP_TOOL } from '../../../harness/upstream/mcpServer.ts';
import { responseObject } from '../../../harness/upstream/dialects.ts';
import type { Reply } from '../../../harness/upstream/modelServer.ts';
import { type Probe, request, sentBy } from '../probe.ts';

/** The name of the MCP server in the suite's configuration. */
export const MCP_SERVER = 'lab';

const ROUTE = '/mcp';
const ACCEPT = { accept: 'application/json, text/event-stream' };

const call = (about: string): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: `${MCP_SERVER}-${MCP_TOOL}`, arguments: { about } },
});

/** The tool reads this from the model server, so the value is only in the tool's answer. */
const coded = (value: string): string => Buffer.from(value).toString('base64');

/** Makes the model call the tool. */
const calling = (code: string): Reply => ({
  json: responseObject([
    {
      id: 'fc_1',
      type: 'function_call',
      status: 'completed',
      call_id: 'c1',
      name: `${MCP_SERVER}-${MCP_TOOL}`,
      arguments: JSON.stringify({ code }),
    },
  ]),
});

/** Requests for which LiteLLM itself calls the tools of its MCP servers and shows the results to the model. */
const TOOLED = '`/v1/responses` with MCP tools of LiteLLM';
const ownTools = sentBy(TOOLED, 'results of a tool', 'request', async ({ client, model }, value) => {
  let calls = 0;
  model.script(({ path }) => {
    calls += 1;
    return path.includes('/responses') && calls === 1 ? calling(coded(value)) : undefined;
  });
  const tools = [{ type: 'mcp', server_label: 'litellm', server_url: 'litellm_proxy', require_approval: 'never' }];
  return client.raw('/v1/responses', { body: { model: 'gpt-4o', input: 'Hello', tools } });
});

/** Tool calls of an MCP server through LiteLLM. */
export const MCP_PROBES: readonly Probe[] = [
  request(ROUTE, 'arguments of a tool', call, { path: '/mcp/', headers: ACCEPT }),
  request('/mcp-rest/tools/call', 'arguments of a tool', (about) => ({
    server_id: MCP_SERVER,
    name: MCP_TOOL,
    arguments: { about },
  })),
  ownTools,
];
