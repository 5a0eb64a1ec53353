import type { Logger } from 'pino';
import type { JsonObject } from '../gateways/gateways.ts';
import type { CallContext, CallMiddleware } from './context.ts';
import { asServiceError, describeError } from './errorBoundary.ts';
import type { Metrics } from './metrics.ts';

/** What a failed call is answered, in the words of its gateway. */
export interface FailureAnswers {
  /** Lets the call go on unchanged. */
  readonly pass: JsonObject;
  /** Keeps the call from going on; absent where an HTTP error does that. */
  readonly reject?: JsonObject;
  /** The body is a call of this gateway: what else is wrong with it is no mistake of the address or the configuration. */
  readonly isRecognized: boolean;
}

/** @returns the answer to a call that failed; undefined where it stays an error. */
export type FailurePolicy = (context: CallContext, thrown: unknown) => JsonObject | undefined;

export interface FailurePolicyOptions {
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Answers what fails on a route for guarded calls, from admission on.
 * @param answers what is answered while the body is not known; the route sets `context.state.failureAnswers` once it is
 */
export function failures(policy: FailurePolicy, answers: (context: CallContext) => JsonObject): CallMiddleware {
  return async (context, next) => {
    context.state.failureAnswers = { pass: answers(context), isRecognized: false };
    try {
      await next();
    } catch (thrown) {
      const body = policy(context, thrown);
      if (body === undefined) throw thrown;
      context.status = 200;
      context.body = body;
    }
  };
}

/** Nothing goes on unchecked: an error, or a refusal where the gateway takes many an error for consent. */
export function failClosed({ metrics, logger }: FailurePolicyOptions): FailurePolicy {
  return (context, thrown) => {
    const { failureAnswers, log } = context.state;
    if (!failureAnswers?.reject) return undefined;
    logger.error(entryOf(context, thrown), 'A call of a peer could not be checked, and was refused.');
    log.action = 'FAILED';
    metrics.guarded(log.phase === 'response' ? 'response' : 'request', String(log.dialect), 'FAILED');
    return failureAnswers.reject;
  };
}

/** Monitor mode never fails a call: it goes on unchanged, and the failure is counted. Mistakes of the caller stay errors. */
export function failOpen({ metrics, logger }: FailurePolicyOptions): FailurePolicy {
  return (context, thrown) => {
    const { failureAnswers, log } = context.state;
    const { status, code } = asServiceError(thrown);
    const isMistake = status === 415 || (status === 400 && !failureAnswers?.isRecognized);
    if (!failureAnswers || isMistake) return undefined;
    logger.warn(entryOf(context, thrown), 'A call could not be checked, and went on unchanged: monitor mode.');
    log.action = 'FAILED';
    metrics.tolerated(code);
    return failureAnswers.pass;
  };
}

function entryOf(context: CallContext, thrown: unknown): Record<string, unknown> {
  const { status, code } = asServiceError(thrown);
  context.state.log.error = code;
  const request_id = context.state.requestId;
  return { request_id, code, ...(status === 500 ? { error: describeError(thrown) } : {}) };
}
