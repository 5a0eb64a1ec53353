import Router from '@koa/router';
import { expect } from 'chai';
import { pino } from 'pino';
import { parseApiKeys } from '../settings/apiKeys.ts';
import { authenticatedRouter } from './authentication.ts';
import type { AuthenticatedState, CallState } from './context.ts';
import { createHandler, type HandlerOptions } from './handler.ts';
import { createMetrics } from './metrics.ts';
import { listen, type Listening } from './server.ts';

const KEY = 'a-key-of-red';

describe('the handler of all calls', () => {
  const listening: Listening[] = [];
  afterEach(async () => {
    await Promise.all(listening.splice(0).map((one) => one.close(0)));
  });

  const handlerOf = (routers: Pick<HandlerOptions, 'open' | 'authenticated'>): ReturnType<typeof createHandler> =>
    createHandler({
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      authentication: { keys: () => parseApiKeys(`red:${KEY}`) },
      ...routers,
    });
  async function call(routers: Pick<HandlerOptions, 'open' | 'authenticated'>, key: string): Promise<Response> {
    const server = await listen(handlerOf(routers).handle, { host: '127.0.0.1', port: 0 });
    listening.push(server);
    return fetch(`http://127.0.0.1:${server.port}/who`, { headers: { 'x-api-key': key } });
  }

  /** Tells the tenant, as the handlers that derive sessions use it. */
  function whoRoutes(): { readonly router: Router<AuthenticatedState>; readonly asked: () => number } {
    let asked = 0;
    const router = authenticatedRouter();
    router.get('/who', (context) => {
      asked += 1;
      context.body = { tenant: context.state.tenant };
    });
    return { router, asked: () => asked };
  }

  it('tells handlers behind authentication whose call it is, and keeps others out', async () => {
    const { router, asked } = whoRoutes();
    const authenticated = [router];
    expect(await (await call({ open: [], authenticated }, KEY)).json()).to.deep.equal({ tenant: 'red' });
    expect((await call({ open: [], authenticated }, 'another-key')).status).to.equal(401);
    expect(asked()).to.equal(1);
  });

  it('fails closed where a route that needs a tenant is mounted without authentication', async () => {
    const direct = whoRoutes();
    const nested = whoRoutes();
    const around = new Router<CallState>();
    // The router's own types let this pass.
    around.use(nested.router.routes());
    // @ts-expect-error The compiler refuses a route that asks for a tenant among the open ones.
    const refused: HandlerOptions['open'] = [direct.router];
    for (const [open, asked] of [
      [refused, direct.asked],
      [[around], nested.asked],
    ] as const) {
      const answer = await call({ open, authenticated: [] }, KEY);
      expect(answer.status).to.equal(500);
      expect(await answer.json()).to.have.nested.property('error.code', 'internal_error');
      expect(asked()).to.equal(0);
    }
  });

  it('lists every route that it serves, once', () => {
    const open = new Router<CallState>();
    open.get('/open', () => undefined);
    const { routes } = handlerOf({ open: [open], authenticated: [whoRoutes().router] });
    expect(routes).to.deep.equal([
      { method: 'GET', path: '/open' },
      { method: 'GET', path: '/who' },
    ]);
  });
});
