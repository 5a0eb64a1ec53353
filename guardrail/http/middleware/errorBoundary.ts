import type { Logger } from 'pino';
import {
  InvalidCarryError,
  ResponseTooLargeError,
  SessionErasedError,
} from '../../pseudonymization/pseudonymization.ts';
import { DetectorUnavailableError, TooManyValuesError } from '../../detection/detection.ts';
import { ImagesBusyError } from '../../images/images.ts';
import { DocumentTooDeepError } from '../../messages/messages.ts';
import { FieldError } from '../../gateways/gateways.ts';
import { StoreUnavailableError } from '../../store/store.ts';
import type { CallMiddleware, CallScope, ScopeMiddleware } from './context.ts';
import { errorBody, ServiceError, type ErrorCode } from './errors.ts';

/** Errors of other rooms, and their codes. Their messages are written for callers. */
const CODES: readonly [type: abstract new (...args: never[]) => Error, code: ErrorCode][] = [
  [FieldError, 'invalid_field'],
  [DocumentTooDeepError, 'invalid_field'],
  [InvalidCarryError, 'invalid_field'],
  [TooManyValuesError, 'too_many_entities'],
  [ResponseTooLargeError, 'response_too_large'],
  [StoreUnavailableError, 'store_unavailable'],
  [DetectorUnavailableError, 'detector_unavailable'],
];

/** Answers each failed call, in the format of its API or as `{"error":{"code","message","request_id"}}`. */
export function errorBoundary(logger: Logger): ScopeMiddleware {
  return async (context, next) => {
    try {
      await next();
    } catch (thrown) {
      const { answerFailure } = context.state;
      if (answerFailure) answerFailure(thrown);
      else answerAsJson(context, thrown, logger);
    }
  };
}

function answerAsJson(context: CallScope, thrown: unknown, logger: Logger): void {
  const error = asServiceError(thrown);
  logError(logger, context, error, thrown);
  context.status = error.status;
  for (const [name, value] of Object.entries(error.headers)) context.set(name, value);
  context.body = errorBody(error, context.state.requestId);
}

/** Refuses calls that no route has answered. */
export const refuseUnanswered: CallMiddleware = async (context: CallScope, next) => {
  await next();
  if (context.body === undefined || context.body === null) throwUnrouted(context.status);
};

/** Writes the error of a call to the access log, and to a line of its own if it is not the caller's fault. */
export function logError(
  logger: Logger,
  { state }: Pick<CallScope, 'state'>,
  error: { readonly status: number; readonly code: string; readonly message: string },
  thrown: unknown,
): void {
  const request_id = state.requestId;
  if (error.status === 500) logger.error({ request_id, error: describeError(thrown) }, 'A call failed unexpectedly.');
  else if (error.status === 429 || error.status >= 502) logger.warn({ request_id, code: error.code }, error.message);
  state.log.error = error.code;
}

function throwUnrouted(status: number): void {
  if (status === 404) throw new ServiceError('not_found');
  if (status === 405 || status === 501) throw new ServiceError('method_not_allowed');
}

export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof ImagesBusyError) {
    return new ServiceError(error.code, { message: error.message, waitMs: error.waitMs });
  }
  if (error instanceof SessionErasedError) return new ServiceError('session_erased');
  const known = CODES.find(([type]) => error instanceof type);
  return known ? new ServiceError(known[1], { message: (error as Error).message }) : new ServiceError('internal_error');
}

/** Describes an unexpected error by its name and stack. The message may contain personal data. */
export function describeError(error: unknown): { name: string; at: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.constructor.name, at: frames.map((line) => line.trim()) };
}
