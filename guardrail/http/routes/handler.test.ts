import { Readable } from 'node:stream';
import Router from '@koa/router';
import { expect } from 'chai';
import { pino } from 'pino';
import { parseApiKeys } from '../../settings/apiKeys.ts';
import { authenticatedRouter } from '../middleware/authentication.ts';
import type { AuthenticatedState, CallState } from '../middleware/context.ts';
import { createHandler, type HandlerOptions } from './handler.ts';
import { createMetrics } from '../middleware/metrics.ts';
import { listen, type Listening } from '../server/server.ts';

const KEY = 'a-key-of-red';

describe('the request handler', () => {
  const listening: Listening[] = [];
  afterEach(async () => {
    await Promise.all(listening.splice(0).map((one) => one.close(0)));
  });

  const handlerOf = (routers: Pick<HandlerOptions, 'public' | 'authenticated'>): ReturnType<typeof createHandler> =>
    createHandler({
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      authentication: { keys: () => parseApiKeys(`red:${KEY}`) },
      ...routers,
    });
  async function call(routers: Pick<HandlerOptions, 'public' | 'authenticated'>, key: string): Promise<Response> {
    const server = await listen(handlerOf(routers).handle, { host: '127.0.0.1', port: 0 });
    listening.push(server);
    return fetch(`http://127.0.0.1:${server.port}/who`, { headers: { 'x-api-key': key } });
  }

  /** A route that returns the tenant of the call. */
  function tenantRoutes(): { readonly router: Router<AuthenticatedState>; readonly calls: () => number } {
    let calls = 0;
    const router = authenticatedRouter();
    router.get('/who', (context) => {
      calls += 1;
      context.body = { tenant: context.state.tenant };
    });
    return { router, calls: () => calls };
  }

  it('passes the tenant to handlers behind authentication, and refuses other calls', async () => {
    const { router, calls } = tenantRoutes();
    const authenticated = [router];
    expect(await (await call({ public: [], authenticated }, KEY)).json()).to.deep.equal({ tenant: 'red' });
    expect((await call({ public: [], authenticated }, 'another-key')).status).to.equal(401);
    expect(calls()).to.equal(1);
  });

  it('returns 500 if a route that needs a tenant is not behind authentication', async () => {
    const direct = tenantRoutes();
    const nested = tenantRoutes();
    const around = new Router<CallState>();
    // The types of the router accept this.
    around.use(nested.router.routes());
    // @ts-expect-error The compiler rejects a public route that needs a tenant.
    const refused: HandlerOptions['public'] = [direct.router];
    for (const [routers, calls] of [
      [refused, direct.calls],
      [[around], nested.calls],
    ] as const) {
      const answer = await call({ public: routers, authenticated: [] }, KEY);
      expect(answer.status).to.equal(500);
      expect(await answer.json()).to.have.nested.property('error.code', 'internal_error');
      expect(calls()).to.equal(0);
    }
  });

  it('breaks an answer whose stream breaks', async () => {
    const router = authenticatedRouter();
    router.get('/who', (context) => {
      context.body = new Readable({
        read() {
          this.push('{');
          setImmediate(() => this.destroy(new Error('broken')));
        },
      });
    });
    const answer = await call({ public: [], authenticated: [router] }, KEY);
    expect(await answer.text().catch((error: unknown) => error)).to.be.instanceOf(TypeError);
  });

  it('lists every route once', () => {
    const router = new Router<CallState>();
    router.get('/public', () => undefined);
    const { routes } = handlerOf({ public: [router], authenticated: [tenantRoutes().router] });
    expect(routes).to.deep.equal([
      { method: 'GET', path: '/public' },
      { method: 'GET', path: '/who' },
    ]);
  });
});
