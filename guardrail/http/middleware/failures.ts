import { PassThrough, type Readable } from 'node:stream';
import type { Logger } from 'pino';
import { isObject, type GatewayAdapter, type JsonObject } from '../../gateways/gateways.ts';
import type { Policy } from '../../detection/detection.ts';
import { noteAction, recordAction, recordForwarded } from './callRecord.ts';
import type { CallContext, CallMiddleware } from './context.ts';
import { asServiceError, describeError } from './errorBoundary.ts';
import { JSON_TYPE } from './json.ts';
import type { Metrics } from './metrics.ts';

/** @returns the response to a failed call; undefined: the call ends in an HTTP error. */
export type FailurePolicy = (context: CallContext, thrown: unknown) => JsonObject | Readable | undefined;

export interface FailurePolicyOptions {
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Applies the failure policy to a route of a gateway. Runs before admission.
 * @param answers the response that forwards a call before its body is known. The route replaces
 * `context.state.failureAnswers` when it knows the body.
 */
export function failures(
  policy: FailurePolicy,
  answers: (context: CallContext) => GatewayAdapter['pass'],
): CallMiddleware {
  return async (context, next) => {
    context.state.failureAnswers = { pass: answers(context), isRecognized: false };
    try {
      await next();
    } catch (thrown) {
      const body = policy(context, thrown);
      if (body === undefined) throw thrown;
      context.status = 200;
      context.set('content-type', JSON_TYPE);
      context.body = body;
    }
  };
}

/** @param isFailOpen whether a call with a policy is forwarded unchanged if it fails; undefined: its policy is not known */
export function failurePolicy(
  options: FailurePolicyOptions,
  isFailOpen: (policy: Policy | undefined) => boolean,
): FailurePolicy {
  const [open, closed] = [failOpen(options), failClosed(options)];
  return (context, thrown) => (isFailOpen(context.state.policy) ? open : closed)(context, thrown);
}

/** Forwards no call unchecked: returns an error, or a refusal for gateways that forward the call on an error. */
function failClosed({ metrics, logger }: FailurePolicyOptions): FailurePolicy {
  return (context, thrown) => {
    const { failureAnswers, log } = context.state;
    if (!failureAnswers?.block) return undefined;
    logger.error(entryOf(context, thrown), 'Refused a call because the check failed.');
    const phase = log.phase === 'response' ? 'response' : 'request';
    recordAction(context.state, { phase, protocol: String(log.dialect), action: 'FAILED' }, metrics);
    return failureAnswers.block;
  };
}

/** Forwards a call unchanged if its check fails, and counts it; for monitor mode. Wrong requests still get an error. */
function failOpen({ metrics, logger }: FailurePolicyOptions): FailurePolicy {
  return (context, thrown) => {
    const { failureAnswers } = context.state;
    const { status, code } = asServiceError(thrown);
    const isWrongRequest = status === 415 || (status === 400 && !failureAnswers?.isRecognized);
    if (!failureAnswers || isWrongRequest) return undefined;
    const { pass } = failureAnswers;
    const answer = pass === 'echo' ? echoOf(context) : pass;
    if (!answer) return undefined;
    logger.warn(entryOf(context, thrown), 'Forwarded a call unchanged because the check failed in monitor mode.');
    noteAction(context.state, 'FAILED');
    recordForwarded(context.state, code, metrics);
    return answer;
  };
}

/** The body of a call as its answer, in its encoding if nobody has read it. undefined: only a part of it was read. */
function echoOf(context: CallContext): JsonObject | Readable | undefined {
  const { state, req } = context;
  if (isObject(state.body)) return state.body;
  if (req.readableDidRead) return undefined;
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined) context.set('content-encoding', encoding);
  // Not the request itself: Koa destroys a stream at the end of the answer, which closes the connection.
  return req.pipe(new PassThrough());
}

function entryOf(context: CallContext, thrown: unknown): Record<string, unknown> {
  const { status, code } = asServiceError(thrown);
  context.state.log.error = code;
  const request_id = context.state.requestId;
  return { request_id, code, ...(status === 500 ? { error: describeError(thrown) } : {}) };
}
