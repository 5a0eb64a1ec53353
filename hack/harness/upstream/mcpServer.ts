import type { Context } from 'koa';
import type { Json, JsonObject } from '../gateway/gateway.ts';

/** The path at which the model server speaks the Model Context Protocol (streamable HTTP, without sessions). */
export const MCP_PATH = '/mcp';

/** The only tool. It returns its argument, which can be in base64. */
export const MCP_TOOL = 'lookup';

const PROTOCOL_VERSION = '2025-06-18';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: JsonObject;
}

function resultOf({ method, params }: Message): Json | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: typeof params?.protocolVersion === 'string' ? params.protocolVersion : PROTOCOL_VERSION,
        capabilities: { tools: {} },
        serverInfo: { name: 'conformance', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list': {
      const inputSchema = { type: 'object', properties: { about: { type: 'string' }, code: { type: 'string' } } };
      return { tools: [{ name: MCP_TOOL, description: 'Looks something up', inputSchema }] };
    }
    case 'tools/call': {
      const { about, code } = (params?.arguments ?? {}) as { about?: string; code?: string };
      const found = code === undefined ? about : Buffer.from(code, 'base64').toString('utf8');
      return { content: [{ type: 'text', text: `Found: ${found ?? 'nothing'}` }], isError: false };
    }
    default:
      return undefined;
  }
}

/**
 * Answers one request of an MCP client.
 * @param remember called with the body of each tool call
 */
export function answerMcp(ctx: Context, text: string, remember: (body: string) => void): void {
  if (ctx.method !== 'POST') {
    // The server has no messages of its own to stream.
    ctx.status = 405;
    return;
  }
  const message = JSON.parse(text) as Message;
  if (message.id === undefined) {
    ctx.status = 202;
    return;
  }
  if (message.method === 'tools/call') remember(text);
  const result = resultOf(message);
  ctx.body =
    result === undefined
      ? { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } }
      : { jsonrpc: '2.0', id: message.id, result };
}
