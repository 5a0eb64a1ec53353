/** Test support: a real MCP server and a real MCP client, with the guardrail between them, and all that each side receives. */
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport, type EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { startInline, TOKEN, type Inline } from './inlineHarness.ts';

/** A request as the server received it. */
export interface ServerRequest {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface McpLab {
  readonly harness: Inline;
  /** The address at which clients call. */
  readonly url: URL;
  /** What the server received, oldest first. */
  readonly toServer: ServerRequest[];
  /** Every answer that clients received, as it came. */
  readonly toClient: string[];
  /** Connects a client. */
  connect(options?: ClientOptions): Promise<Client>;
  stop(): Promise<void>;
}

export interface ClientOptions {
  readonly headers?: Record<string, string>;
  readonly prepare?: (client: Client) => void;
}

export interface LabOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Answers with JSON in place of events. */
  readonly isJson?: boolean;
  /** Adds what the server offers. */
  readonly offer: (server: McpServer) => void;
}

export async function startMcpLab({ env = {}, isJson = false, offer }: LabOptions): Promise<McpLab> {
  const toServer: ServerRequest[] = [];
  const toClient: string[] = [];
  const server = await listen(toServer, isJson, offer);
  const { port } = server.address() as AddressInfo;
  const harness = await startInline({
    env: { GUARDRAIL_MCP_UPSTREAM: `http://127.0.0.1:${port}`, GUARDRAIL_MCP_PORT: '0', ...env },
  });
  const url = new URL(`http://127.0.0.1:${harness.app.mcpPort ?? 0}/mcp`);
  const clients: Client[] = [];
  return {
    ...{ harness, url, toServer, toClient },
    async connect({ headers = { authorization: `Bearer ${TOKEN}` }, prepare } = {}) {
      const client = new Client(
        { name: 'test', version: '1' },
        { capabilities: { sampling: {}, elicitation: { form: {} }, roots: {} } },
      );
      prepare?.(client);
      const fetch = recording(toClient);
      await client.connect(new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers } }));
      clients.push(client);
      return client;
    },
    async stop() {
      await Promise.all(clients.map((client) => client.close()));
      await harness.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A fetch that notes every part of an answer when it comes. */
function recording(received: string[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const at = received.push('') - 1;
    const decoder = new TextDecoder();
    const note = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        received[at] = (received[at] ?? '') + decoder.decode(part, { stream: true });
        controller.enqueue(part);
      },
    });
    return new Response(response.body?.pipeThrough(note) ?? null, response);
  };
}

async function listen(received: ServerRequest[], isJson: boolean, offer: LabOptions['offer']): Promise<Server> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const serve = async (request: IncomingMessage): Promise<[StreamableHTTPServerTransport, unknown]> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString('utf8');
    received.push({ method: request.method ?? '', headers: request.headers, body });
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? transports.get(id) : undefined;
    const transport = known ?? (await open());
    return [transport, body === '' ? undefined : (JSON.parse(body) as unknown)];
  };
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: isJson,
      eventStore: createEventStore(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    const mcp = new McpServer(
      { name: 'crm', version: '1' },
      { capabilities: { logging: {} }, instructions: 'Finds customers.' },
    );
    offer(mcp);
    await mcp.connect(transport);
    return transport;
  };
  const server = createServer((request, response) => {
    serve(request)
      .then(([transport, body]) => transport.handleRequest(request, response, body))
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Keeps the events of a server in their order. That of the SDK's examples mixes those of one millisecond. */
function createEventStore(): EventStore {
  const events: { readonly streamId: string; readonly message: JSONRPCMessage }[] = [];
  return {
    storeEvent(streamId, message) {
      events.push({ streamId, message });
      return Promise.resolve(String(events.length));
    },
    async replayEventsAfter(lastEventId, { send }) {
      const streamId = events[Number(lastEventId) - 1]?.streamId ?? '';
      for (const [at, event] of events.entries()) {
        const isPriming = Object.keys(event.message).length === 0;
        if (at >= Number(lastEventId) && event.streamId === streamId && !isPriming) {
          await send(String(at + 1), event.message);
        }
      }
      return streamId;
    },
  };
}
