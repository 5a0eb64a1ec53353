import type { GatewayError } from '../gateway/gateway.ts';
import { RetryAfterError } from '../runtime/runtime.ts';

/** The reasons of a condition after a failed call of the gateway. */
export type GatewayFailureReason = 'RateLimited' | 'GatewayUnreachable' | 'GatewayUnauthorized' | 'GatewayRejected';

/**
 * The delay before the next reconcile of a resource whose key is rejected. Secrets are not watched; keys are read again
 * each minute.
 */
export const keyRetryMs = 60_000;

/** What decides how a failed call is reported. */
export interface FailedReconcile {
  /** Whether the last sync succeeded and the resource has not changed since. */
  readonly inSync: boolean;
  /** Whether an outage is too short to report. */
  readonly toleratesOutage: () => boolean;
  readonly report: (reason: GatewayFailureReason) => Promise<void>;
  /** The delay until the gateway is called again after it has rejected the resource, in milliseconds. */
  readonly syncInterval: number;
}

/**
 * Reports a failed call of the gateway.
 * @returns the delay before the next call, in milliseconds
 * @throws the error, or a RetryAfterError, if the work queue schedules the retry
 */
export async function reportGatewayFailure(error: GatewayError, failed: FailedReconcile): Promise<number> {
  const { inSync, toleratesOutage, report, syncInterval } = failed;
  switch (error.kind) {
    case 'retryAfter':
      if (error.rateLimited && !inSync) await report('RateLimited');
      throw new RetryAfterError(error.message, error.retryAfterMs ?? 0, { cause: error });
    case 'transient':
      if (!inSync || !toleratesOutage()) await report('GatewayUnreachable');
      throw error;
    case 'unauthorized':
      await report('GatewayUnauthorized');
      return keyRetryMs;
    case 'unconfirmed':
      await report('GatewayRejected');
      throw error;
    case 'terminal':
    case 'notFound':
    case 'alreadyExists':
      await report('GatewayRejected');
      return syncInterval;
  }
}
