/** A guardrail with its inline proxy, before a model of this process. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { startApp, type App } from '../../guardrail/app/app.ts';
import { readSettings } from '../../guardrail/settings/settings.ts';

/** A call of a gateway before the model or after it, or a call through the inline proxy whose answer is a stream. */
export const CALLS = ['before', 'after', 'stream'] as const;
export type CallKind = (typeof CALLS)[number];

const KEY = 'key-of-the-walk';
const TEXT = 'Please write to anna.schmidt@example.org.';

/** Streams back what the last message says, in short pieces. */
const model: RequestListener = (request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => (body += part));
  request.on('end', () => {
    const { messages } = JSON.parse(body) as { messages: { content: string }[] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const content of messages.at(-1)?.content.match(/.{1,9}/gs) ?? []) {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  });
};

/** See {@link CallBed.start}. */
export class CallBed {
  readonly #app: App;
  readonly #model: Server;
  /** The text that the model gets. */
  #pseudonymized = '';

  private constructor(app: App, upstream: Server) {
    this.#app = app;
    this.#model = upstream;
  }

  /** Starts the guardrail as a gateway calls it, with an audit trail of no events. */
  static async start(): Promise<CallBed> {
    const upstream = createServer(model);
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    const settings = readSettings({
      GUARDRAIL_HOST: '127.0.0.1',
      GUARDRAIL_PORT: '0',
      GUARDRAIL_METRICS_PORT: 'off',
      GUARDRAIL_API_KEYS: `walk:${KEY}`,
      GUARDRAIL_SESSION_KEY: 's'.repeat(32),
      GUARDRAIL_PROXY_UPSTREAM: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      GUARDRAIL_PROXY_PORT: '0',
    });
    return new CallBed(await startApp(settings, { logger: pino({ level: 'silent' }) }), upstream);
  }

  /** Makes a call, and waits for the end of its answer. @throws Error if the value is not replaced, or not restored */
  async call(kind: CallKind): Promise<void> {
    if (kind === 'stream') {
      const body = { model: 'm', stream: true, messages: [{ role: 'user', content: TEXT }] };
      await post(`http://127.0.0.1:${this.#app.proxyPort ?? 0}/v1/chat/completions`, body);
      return;
    }
    const texts = [kind === 'before' ? TEXT : this.#pseudonymized];
    const answer = await post(`http://127.0.0.1:${this.#app.port}/beta/litellm_basic_guardrail_api`, {
      input_type: kind === 'before' ? 'request' : 'response',
      texts,
      ...(kind === 'before' && { structured_messages: [{ role: 'user', content: TEXT }] }),
      request_data: { user_api_key_hash: 'hash', user_api_key_end_user_id: 'user' },
    });
    const [text = ''] = (JSON.parse(answer) as { texts?: string[] }).texts ?? [];
    if (text === '' || text === texts[0]) throw new Error(`The guardrail has changed nothing: ${answer}`);
    if (kind === 'before') this.#pseudonymized = text;
  }

  async stop(): Promise<void> {
    await this.#app.drain();
    this.#model.close();
  }
}

async function post(url: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json', 'x-api-key': KEY, connection: 'close' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`The status is ${answer.status}: ${text}`);
  return text;
}
