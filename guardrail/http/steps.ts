import type { Middleware } from 'koa';

/**
 * Makes one middleware of several, each around the rest. Koa's own composition also catches a `next` that is called twice,
 * which takes a bound function and a promise for each step of each call.
 */
export function inOrder<State>(steps: readonly Middleware<State>[]): Middleware<State> {
  const end: Middleware<State> = (_, next) => next();
  return steps.reduceRight<Middleware<State>>(
    (rest, step) => (context, next) => step(context, () => rest(context, next) as Promise<unknown>) as unknown,
    end,
  );
}
