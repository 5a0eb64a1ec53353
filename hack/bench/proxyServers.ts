/** The programs beside which the inline proxy is measured: a model, and a bare proxy. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type Dispatcher } from 'undici';

export const STREAM_CHARACTERS = 20_000;
export const PIECE = 4;
/** The pause of the model between two events of a stream, in milliseconds. */
const EVENT_MS = 1;
/** The same for a stream that stays open for long. */
const HELD_EVENT_MS = 2500;

/** A reverse proxy that does nothing but copy. */
function bareProxy(url: string): Server {
  const pool = new Pool(url, { pipelining: 1, allowH2: false });
  return createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const { host: _, connection: __, 'content-length': ___, ...rest } = headers;
      let running: Dispatcher.DispatchController | undefined;
      response.once('close', () => running?.abort(new Error('The client has disconnected.')));
      pool.dispatch(
        { method, path, headers: rest, body: Buffer.concat(parts) },
        {
          onRequestStart: (controller) => (running = controller),
          onResponseStart(_controller, status, received) {
            const { connection: ____, 'keep-alive': _____, 'transfer-encoding': ______, ...sent } = received;
            response.writeHead(status, sent);
            response.flushHeaders();
          },
          onResponseData(controller, part) {
            if (response.write(part)) return;
            controller.pause();
            response.once('drain', () => {
              controller.resume();
            });
          },
          onResponseEnd: () => void response.end(),
          onResponseError: () => void response.destroy(),
        },
      );
    });
  });
}

/** The model: repeats the pseudonyms of a request in an answer of the kind that a header names. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const [found = 'Nobody'] = /<EMAIL_ADDRESS_\w+>/.exec(Buffer.concat(parts).toString()) ?? [];
    const text = `Please write to ${found} about the invoice, and ask for a call. `;
    switch (request.headers['x-kind']) {
      case undefined:
        // A probe.
        response.end();
        break;
      case 'whole': {
        const message = { role: 'assistant', content: text.repeat(12) };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ id: 'chatcmpl-1', choices: [{ index: 0, message, finish_reason: 'stop' }] }));
        break;
      }
      case 'slow':
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event('Hello '));
        break;
      case 'held':
        void hold(response, text);
        break;
      default:
        void stream(response, text.repeat(STREAM_CHARACTERS / text.length).slice(0, STREAM_CHARACTERS));
    }
  });
}

function event(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

async function stream(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.socket?.setNoDelay(true);
  for (let at = 0; at < text.length; at += PIECE) {
    response.write(event(text.slice(at, at + PIECE)));
    await delay(EVENT_MS);
  }
  response.end('data: [DONE]\n\n');
}

/** Sends an event again and again, until the client leaves. */
async function hold(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  // Each stream begins at another time, so that the events of all of them are spread.
  response.write(event(text));
  await delay(HELD_EVENT_MS * Math.random());
  while (!response.destroyed) {
    response.write(event(text));
    await delay(HELD_EVENT_MS);
  }
}

if (import.meta.main) {
  const [, , role, upstream = ''] = process.argv;
  const server = role === 'bare' ? bareProxy(upstream) : createServer(answer);
  server.listen(Number(process.env.PORT), '127.0.0.1', 4096);
}
