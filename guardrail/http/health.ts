import Router from '@koa/router';
import type { DependencyState } from '../detection/detection.ts';
import type { CallState } from './context.ts';

/** `up` with a reason: a part of it is down. */
type State = DependencyState | { readonly up: true; readonly reason: string; readonly since: Date };

/** Something without which the guardrail cannot do its work. */
export interface Dependency {
  readonly name: string;
  /** Bounded in time, and never rejects. */
  state(): Promise<State>;
}

/**
 * Makes a dependency of a check, and remembers since when it is down.
 * @param check throws while all of it is down, and tells what is where only a part is.
 */
export function watched(name: string, check: () => Promise<string | undefined>): Dependency {
  let since: Date | undefined;
  return {
    name,
    async state() {
      try {
        const reason = await check();
        since = reason === undefined ? undefined : (since ?? new Date());
        return reason === undefined || since === undefined ? { up: true } : { up: true, since, reason };
      } catch (error) {
        since ??= new Date();
        return { up: false, since, reason: error instanceof Error ? error.message : 'It failed.' };
      }
    },
  };
}

export interface HealthOptions {
  readonly dependencies: readonly Dependency[];
  /** Whether the process is ready although one of them is down: it does without. */
  readonly optional: boolean;
  readonly draining: () => boolean;
  /** A state that is older is asked for anew. Milliseconds; default 500. */
  readonly freshMs?: number;
}

/**
 * `/healthz`: the process answers. `/readyz`: what it depends on answers too; if not, which one and since when.
 *
 * Readiness routes calls. A store of which a part is down is the same for every instance: were none of them ready, the
 * calls that the other part could serve would fail too. So it counts as up, and the answer says what is down. The same
 * holds for monitor mode, which lets calls pass that it cannot check.
 */
export function healthRoutes(options: HealthOptions): Router<CallState> {
  const freshMs = options.freshMs ?? 500;
  let asked = Number.NEGATIVE_INFINITY;
  let states: Promise<[string, State][]> | undefined;

  const current = (): Promise<[string, State][]> => {
    if (!states || performance.now() - asked > freshMs) {
      asked = performance.now();
      states = Promise.all(
        options.dependencies.map(async (one): Promise<[string, State]> => [one.name, await one.state()]),
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
    const down = !options.optional && dependencies.some(([, state]) => !state.up);
    const status = options.draining() ? 'draining' : down ? 'unavailable' : 'ready';
    context.status = status === 'ready' ? 200 : 503;
    context.body = { status, dependencies: Object.fromEntries(dependencies) };
  });
  return router;
}
