import Router from '@koa/router';
import * as z from 'zod';
import type { DependencyState } from '../../detection/detection.ts';
import type { CallState } from '../middleware/context.ts';
import type { Operation } from '../openapi/operation.ts';

/** `up` with a reason: only a part is down. */
type State = DependencyState | { readonly up: true; readonly reason: string; readonly since: Date };

/** A component that the guardrail needs. */
export interface Dependency {
  readonly name: string;
  /** Resolves within a bounded time, and never rejects. */
  state(): Promise<State>;
}

/**
 * Creates a dependency from a check, and records since when it is down.
 * @param check throws while the dependency is down. Resolves with a reason while only a part is down.
 */
export function createDependency(name: string, check: () => Promise<string | undefined>): Dependency {
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
        return { up: false, since, reason: error instanceof Error ? error.message : 'The check failed.' };
      }
    },
  };
}

export interface HealthOptions {
  readonly dependencies: readonly Dependency[];
  /** Whether the process is ready while a dependency is down. */
  readonly isOptional: () => boolean;
  readonly draining: () => boolean;
  /** How long states are cached, in milliseconds. Default: 500. */
  readonly freshMs?: number;
}

const dependencySchema = z.object({
  up: z.boolean(),
  since: z.iso.datetime().optional().describe('When the dependency, or a part of it, was first found down.'),
  reason: z
    .string()
    .optional()
    .describe('What is down. If `up` is true, only a part is down, and calls that need this part fail.'),
});
const readinessSchema = z.object({
  status: z.enum(['ready', 'unavailable', 'draining']),
  dependencies: z.record(z.string(), dependencySchema),
});

export const healthOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'liveness',
    summary: 'Reports that the process runs.',
    security: [],
    responses: { 200: { description: 'The process runs.', body: z.object({ status: z.literal('ok') }) } },
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'readiness',
    summary: 'Reports the state of each dependency.',
    security: [],
    responses: {
      200: { description: 'Ready.', body: readinessSchema },
      503: { description: 'Not ready: a dependency is down, or the process is draining.', body: readinessSchema },
    },
  },
];

/** The paths that a kubelet calls. It has no client certificate. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(healthOperations.map(({ path }) => path));

/**
 * `/healthz` reports that the process runs. `/readyz` reports the state of each dependency, and since when it is down.
 *
 * Kubernetes routes calls by readiness. If a part of the store is down, it is down for every replica: if none was ready,
 * calls that need only the other part would fail too. So the store counts as up, and the response names the part. In
 * monitor mode, which forwards calls that it cannot check, the process is always ready.
 */
export function healthRoutes(options: HealthOptions): Router<CallState> {
  const freshMs = options.freshMs ?? 500;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let states: Promise<[string, State][]> | undefined;

  const current = (): Promise<[string, State][]> => {
    if (!states || performance.now() - checkedAt > freshMs) {
      checkedAt = performance.now();
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
    const down = !options.isOptional() && dependencies.some(([, state]) => !state.up);
    const status = options.draining() ? 'draining' : down ? 'unavailable' : 'ready';
    context.status = status === 'ready' ? 200 : 503;
    context.body = { status, dependencies: Object.fromEntries(dependencies) };
  });
  return router;
}
