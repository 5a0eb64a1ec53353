import Router from '@koa/router';
import type { DependencyState } from '../detection/detection.ts';
import type { CallState } from './context.ts';

/** Something without which the guardrail cannot do its work. */
export interface Dependency {
  readonly name: string;
  /** Bounded in time, and never rejects. */
  state(): Promise<DependencyState>;
}

/** Makes a dependency of a check that throws while it is down, and remembers since when. */
export function watched(name: string, check: () => Promise<void>): Dependency {
  let since: Date | undefined;
  return {
    name,
    async state() {
      try {
        await check();
        since = undefined;
        return { up: true };
      } catch (error) {
        since ??= new Date();
        return { up: false, since, reason: error instanceof Error ? error.message : 'It failed.' };
      }
    },
  };
}

export interface HealthOptions {
  readonly dependencies: readonly Dependency[];
  readonly draining: () => boolean;
  /** A state that is older is asked for anew. Milliseconds; default 500. */
  readonly freshMs?: number;
}

/** `/healthz`: the process answers. `/readyz`: what it depends on answers too; if not, which one and since when. */
export function healthRoutes(options: HealthOptions): Router<CallState> {
  const freshMs = options.freshMs ?? 500;
  let asked = Number.NEGATIVE_INFINITY;
  let states: Promise<[string, DependencyState][]> | undefined;

  const current = (): Promise<[string, DependencyState][]> => {
    if (!states || performance.now() - asked > freshMs) {
      asked = performance.now();
      states = Promise.all(
        options.dependencies.map(async (one): Promise<[string, DependencyState]> => [one.name, await one.state()]),
      );
    }
    return states;
  };

  const router = new Router<CallState>();
  router.get('/healthz', (context) => {
    context.body = { status: 'ok' };
  });
  router.get('/readyz', async (context) => {
    const dependencies = await current();
    const down = dependencies.some(([, state]) => !state.up);
    const status = options.draining() ? 'draining' : down ? 'unavailable' : 'ready';
    context.status = status === 'ready' ? 200 : 503;
    context.body = { status, dependencies: Object.fromEntries(dependencies) };
  });
  return router;
}
