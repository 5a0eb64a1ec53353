import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { pino } from 'pino';
import { parseApiKeys } from '../settings/apiKeys.ts';
import type { AuthenticatedScope } from './context.ts';
import type { DirectRoute } from './directRoutes.ts';
import { ServiceError } from './errors.ts';
import { createHandler } from './handler.ts';
import { createMetrics } from './metrics.ts';
import type { Step } from './steps.ts';

const KEY = 'a-key-of-red';
const PATH = '/beta/gateway_basic_guardrail_api';
const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe('a route without Koa', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close();
  });

  async function serve(...steps: Step<AuthenticatedScope>[]): Promise<(path: string, key?: string) => Promise<Answer>> {
    const route: DirectRoute = { method: 'POST', path: PATH, steps };
    const { handle } = createHandler({
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      authentication: { keys: () => parseApiKeys(`red:${KEY}`) },
      public: [],
      authenticated: [],
      direct: [route],
    });
    const server = createServer(handle);
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return (path, key = KEY) => call(port, path, key);
  }

  const ANSWERS: Readonly<Record<string, Step<AuthenticatedScope>>> = {
    'an object': (context) => (context.body = { tenant: context.state.tenant, name: 'é' }),
    'a text with a type': (context) => {
      context.set('Content-Type', 'application/json; charset=utf-8');
      context.body = '{"é":1}';
    },
    bytes: (context) => {
      context.set('content-type', 'application/octet-stream');
      context.body = Buffer.from('bytes');
    },
    'another status': (context) => {
      context.status = 202;
      context.body = { done: true };
    },
    'a stream': (context) => {
      context.set('content-type', 'application/json; charset=utf-8');
      context.body = Readable.from([Buffer.from('{'), Buffer.from('}')]);
    },
    'an error': () => {
      throw new ServiceError('overloaded', { waitMs: 1500 });
    },
    'an unexpected error': () => {
      throw new Error('a value of the caller');
    },
    'no answer': () => undefined,
  };
  for (const [name, step] of Object.entries(ANSWERS)) {
    it(`answers as the router does: ${name}`, async () => {
      const send = await serve((context, next) => {
        context.set('x-before', 'yes');
        return next();
      }, step);
      // The router serves a path with a slash at its end.
      const [direct, routed] = [await send(PATH), await send(`${PATH}/`)];
      expect(direct).to.deep.equal(routed);
    });
  }

  it('refuses a call without a key, and leaves other methods and forms of the path to the router', async () => {
    const send = await serve((context) => (context.body = { url: context.url }));
    expect((await send(PATH, 'another')).status).to.equal(401);
    expect((await send(`${PATH}?dialect=x`)).body).to.equal(`{"url":"${PATH}?dialect=x"}`);
    expect((await send(`${PATH}/other`)).status).to.equal(404);
  });

  it('breaks the answer if its stream breaks', async () => {
    const send = await serve((context) => {
      context.body = new Readable({
        read() {
          this.push('{');
          this.destroy(new Error('broken'));
        },
      });
    });
    expect(await send(PATH).catch((error: unknown) => error)).to.be.instanceOf(Error);
  });
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

async function call(port: number, path: string, key: string): Promise<Answer> {
  const headers = { 'x-api-key': key, 'x-request-id': ID, connection: 'close' };
  const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const { date: _, ...received } = answer.headers;
  return { status: answer.statusCode ?? 0, headers: received, body: await text(answer) };
}
