import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import { expect } from 'chai';
import fc from 'fast-check';
import Koa from 'koa';
import { routeOf, type CallContext, type CallState } from './context.ts';
import { exactRoutes } from './exactRoutes.ts';
import { inOrder } from './steps.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
const PATHS = ['/', '/a', '/a/', '/A', '/a/b', '/a/b.json', '/a/x', '/a/x/y', '/b', '/c', '/c/d', '/%61', '/a?q=1'];

describe('exact routes', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close();
  });

  function routes(): Router<CallState> {
    const nested = new Router<CallState>();
    nested.use((context, next) => {
      context.state.log.before = 1;
      return next();
    });
    nested.get('/a/b', (context) => (context.body = { at: 'b', ...context.state.log }));
    nested.post('/a/b', (context) => (context.body = 'posted'));
    nested.get('/a/:name', (context) => (context.body = context.params));
    // The route with a parameter answers this path too.
    nested.get('/a/b.json', (context) => (context.body = 'never'));
    const router = new Router<CallState>();
    router.get('/a', (context) => (context.body = { at: 'a', ...context.state.log }));
    router.delete('/a', (context) => (context.status = 204));
    router.post('/b', () => undefined);
    router.use(nested.routes());
    router.get('/c', async (context, next) => {
      await next();
      context.body = `${String(context.body)} and more`;
    });
    router.get('/c', (context) => (context.body = 'c'));
    return router;
  }

  async function serve(hasExact: boolean): Promise<(method: string, path: string) => Promise<unknown>> {
    const router = routes();
    const exact = exactRoutes(router);
    const koa = new Koa<CallState>();
    koa.silent = true;
    koa.use(async (context, next) => {
      context.state.log = {};
      await next();
      context.set('x-route', routeOf(context));
    });
    koa.use(
      inOrder<CallContext>([
        (context, next) => {
          const route = hasExact ? exact(context.method, context.path) : undefined;
          return route ? (route(context, next) as unknown) : next();
        },
      ]),
    );
    koa.use(router.routes());
    koa.use(router.allowedMethods());
    const handle = koa.callback();
    const server = createServer((request, response) => void handle(request, response));
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return async (method, path) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      const { status, headers } = answer;
      const named = ['x-route', 'allow', 'content-type', 'content-length'].map((name) => headers.get(name));
      return [status, ...named, await answer.text()];
    };
  }

  it('answer each call as the router does', async () => {
    const [withExact, router] = [await serve(true), await serve(false)];
    for (const method of METHODS) {
      for (const path of PATHS) {
        expect(await withExact(method, path), `${method} ${path}`).to.deep.equal(await router(method, path));
      }
    }
  });

  it('are those whose path has no parameter and is not matched by one', () => {
    const exact = exactRoutes(routes());
    const found = METHODS.flatMap((method) =>
      PATHS.flatMap((path) => (exact(method, path) ? `${method} ${path}` : [])),
    );
    expect(found).to.have.members(['GET /a', 'HEAD /a', 'GET /c', 'HEAD /c', 'POST /a/b', 'POST /b', 'DELETE /a']);
  });

  it('run their steps around each other, up to the first one that throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('waits', 'returns', 'throws')), async (kinds) => {
        const seen: string[] = [];
        const run = inOrder<CallContext>(
          kinds.map((kind, at) => {
            const before = (): void => {
              seen.push(`${at}`);
              if (kind === 'throws') throw new Error(`${at}`);
            };
            if (kind !== 'waits')
              return (_, next) => {
                before();
                return next();
              };
            return async (_, next) => {
              before();
              await next();
              seen.push(`end of ${at}`);
            };
          }),
        );
        const failing = kinds.indexOf('throws');
        const started = failing < 0 ? kinds : kinds.slice(0, failing + 1);
        const outcome = await Promise.resolve()
          .then(() => run({} as never, () => Promise.resolve('last')))
          .then(
            () => 'done',
            (error: unknown) => (error as Error).message,
          );
        expect(outcome).to.equal(failing < 0 ? 'done' : `${failing}`);
        const ends = kinds.flatMap((kind, at) => (kind === 'waits' && failing < 0 ? `end of ${at}` : [])).reverse();
        expect(seen).to.deep.equal([...started.map((_, at) => `${at}`), ...ends]);
      }),
      { numRuns: 100 },
    );
  });
});
