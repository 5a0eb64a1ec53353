/** What the operator traces. The guardrail's room of the same name exports it. */
import { inSpan, isTracing } from '../../guardrail/guardrail.ts';
import { RetryAfterError, type ManagerOptions } from '../runtime/runtime.ts';

/** How long the last spans, metrics and log records may take to be sent at the end, in milliseconds. */
export const FLUSH_MS = 2000;

type TraceReconcile = NonNullable<NonNullable<ManagerOptions['controllers']>['trace']>;

/** Puts each reconcile into a span of its own trace. */
export const traceReconcile: TraceReconcile = async ({ kind, controller, key }, reconcile) => {
  if (!isTracing()) return await reconcile();
  const attributes = {
    'k8s.object.kind': kind,
    'k8s.object.name': key.name,
    'k8s.namespace.name': key.namespace,
    'operator.controller': controller,
  };
  const ended = await inSpan(
    { name: `reconcile ${controller}`, kind: 'internal', attributes, parent: 'none' },
    async (span) => {
      try {
        return { result: await reconcile() };
      } catch (error) {
        if (!(error instanceof RetryAfterError)) throw error;
        // A reconcile that asks for another one has not failed.
        span?.set({ 'operator.requeue_after_ms': error.afterMs });
        return { error };
      }
    },
  );
  if ('error' in ended) throw ended.error;
  return ended.result;
};
