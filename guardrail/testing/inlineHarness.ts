/** Test support: the service with its inline proxy, before an upstream that a test scripts. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from '../../hack/harness/gateway/listen.ts';
import { eventually, startHarness, type Harness, type HarnessOptions } from './appHarness.ts';

/** A request as the upstream received it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** Answers a request. `request` is read to its end, unless `isUnread` is set. */
export type Script = (response: ServerResponse, received: Received, request: IncomingMessage) => unknown;

export interface Inline extends Harness {
  /** What the upstream received, oldest first. */
  readonly received: Received[];
  /** Requests whose connection the proxy closed before their answer was complete. */
  readonly aborted: string[];
  /** Sets how the upstream answers. With `isUnread`, it does not read the body first. */
  script(script: Script, isUnread?: boolean): void;
  /** Sends a chat completion with a message. */
  chat(content: string, fields?: object, init?: RequestInit): Promise<Response>;
}

export const TOKEN = 'sk-of-a-client';

/** A chat completion with a text. */
export const completion = (content: string): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  });

/** An event of a streamed chat completion. */
export const chunk = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

/** Answers with what the last message of a chat says. */
export const echo: Script = (response, { body }) => {
  const { messages, stream } = JSON.parse(body) as { messages: { content: string }[]; stream?: boolean };
  const content = messages.at(-1)?.content ?? '';
  if (stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of content.match(/.{1,3}/gsu) ?? []) response.write(chunk(piece));
    response.end(`${chunk('', 'stop')}data: [DONE]\n\n`);
  } else {
    response.writeHead(200, { 'content-type': 'application/json' }).end(completion(content));
  }
};

interface Options extends HarnessOptions {
  /** The path of the upstream's base URL. */
  readonly prefix?: string;
  /** The upstream is also that of the MCP proxy. */
  readonly hasMcp?: boolean;
}

export async function startInline({
  env = {},
  prefix = '',
  hasMcp = false,
  ...options
}: Options = {}): Promise<Inline> {
  const received: Received[] = [];
  const aborted: string[] = [];
  let current: Script = echo;
  let unread = false;
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers, rawHeaders } = request;
    response.once('close', () => {
      if (!response.writableFinished) aborted.push(url);
    });
    const parts: Buffer[] = [];
    if (!unread) {
      try {
        for await (const part of request) parts.push(part as Buffer);
      } catch {
        return;
      }
    }
    const one = { method, url, headers, rawHeaders, body: Buffer.concat(parts).toString('latin1') };
    one.body = Buffer.from(one.body, 'latin1').toString('utf8');
    received.push(one);
    try {
      await current(response, one, request);
    } catch {
      response.writeHead(500).end();
    }
  }
  const { port, stop } = await listen(server);
  const harness = await startHarness({
    env: {
      GUARDRAIL_PROXY_UPSTREAM: `http://127.0.0.1:${port}${prefix}`,
      GUARDRAIL_PROXY_PORT: '0',
      ...(hasMcp && { GUARDRAIL_MCP_UPSTREAM: `http://127.0.0.1:${port}`, GUARDRAIL_MCP_PORT: '0' }),
      ...env,
    },
    ...options,
  });
  return {
    ...harness,
    received,
    aborted,
    script(script, isUnread = false) {
      current = script;
      unread = isUnread;
    },
    chat: (content, fields = {}, init = {}) =>
      fetch(`${harness.proxyUrl}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...fields }),
        ...init,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...(init.headers as object) },
      }),
    async stop() {
      try {
        return await harness.stop();
      } finally {
        await stop();
      }
    },
  };
}

/** A connection of a client that sends bytes as they are. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything received so far, one character for each byte. */
  readonly text: () => string;
  /** Resolves with everything received, when the connection is closed. */
  closed(): Promise<string>;
}

export function rawClient(url: string): RawClient {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  socket.on('error', () => undefined);
  return {
    socket,
    text: () => text,
    async closed() {
      if (!socket.closed) await once(socket, 'close');
      return text;
    },
  };
}

/**
 * Sends bytes, and returns all that comes until the connection ends. After an answer that leaves it open, it ends when the
 * server has served other connections: what else the bytes contain has been read by then.
 */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<string> {
  const client = rawClient(url);
  client.socket.write(bytes);
  await eventually(() => client.socket.closed || /^HTTP\/1\.1 (?!100)/m.test(client.text()));
  for (let n = 0; n < 3 && !client.socket.closed; n += 1) {
    const other = rawClient(url);
    other.socket.write('no HTTP\r\n\r\n');
    await other.closed();
  }
  client.socket.destroy();
  return client.closed();
}
