/** A step on the way of a call. It goes around the rest of the way, which `next` runs. */
export type Step<Context> = (context: Context, next: () => Promise<unknown>) => unknown;

/**
 * Makes one step of several, each around the rest. Koa's own composition also catches a `next` that is called twice, which takes
 * a bound function and a promise for each step of each call.
 */
export function inOrder<Context>(steps: readonly Step<Context>[]): Step<Context> {
  const end: Step<Context> = (_, next) => next();
  return steps.reduceRight<Step<Context>>(
    (rest, step) => (context, next) => step(context, () => rest(context, next) as Promise<unknown>),
    end,
  );
}
