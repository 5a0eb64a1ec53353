import type { Logger } from 'pino';
import { AnswerTooLargeError, SessionErasedError } from '../pseudonymization/pseudonymization.ts';
import { DetectorUnavailableError, TooManyValuesError } from '../detection/detection.ts';
import { ImagesBusyError } from '../images/images.ts';
import { DocumentTooDeepError } from '../messages/messages.ts';
import { FieldError } from '../gateways/gateways.ts';
import { StoreUnavailableError } from '../store/store.ts';
import type { CallMiddleware } from './context.ts';
import { badRequest, busy, ServiceError, tooLarge } from './errors.ts';

/** The one place where an error becomes an answer: `{"error":{"code","message","request_id"}}`. */
export function errorBoundary(logger: Logger): CallMiddleware {
  return async (context, next) => {
    try {
      await next();
      if (context.body === undefined || context.body === null) throwUnrouted(context.status);
    } catch (thrown) {
      const error = asServiceError(thrown);
      const request_id = context.state.requestId;
      if (error.status === 500) logger.error({ request_id, error: describeError(thrown) }, 'The guardrail failed.');
      else if (error.status === 429 || error.status >= 502)
        logger.warn({ request_id, code: error.code }, error.message);
      context.state.log.error = error.code;
      context.status = error.status;
      context.set(error.headers);
      context.body = { error: { code: error.code, message: error.message, request_id } };
    }
  };
}

function throwUnrouted(status: number): void {
  if (status === 404) {
    throw new ServiceError(404, 'not_found', 'There is nothing at this path: /openapi.json lists what there is.');
  }
  if (status === 405 || status === 501) {
    throw new ServiceError(
      405,
      'method_not_allowed',
      'This path does not take this method: the header Allow lists its methods.',
    );
  }
}

export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof FieldError || error instanceof DocumentTooDeepError) {
    return badRequest('invalid_field', error.message);
  }
  // Not 502 to 504: a gateway may show the answer as it is, or take the guardrail for unreachable.
  if (error instanceof TooManyValuesError) return tooLarge('too_many_entities', error.message);
  if (error instanceof AnswerTooLargeError) return tooLarge('answer_too_large', error.message);
  if (error instanceof StoreUnavailableError) return new ServiceError(502, 'store_unavailable', error.message);
  if (error instanceof DetectorUnavailableError) return new ServiceError(502, 'detector_unavailable', error.message);
  if (error instanceof ImagesBusyError) return busy(error.code, error.message, error.waitMs);
  if (error instanceof SessionErasedError) {
    // Not 503: a gateway may send the original to the model where the guardrail is unreachable.
    return new ServiceError(
      409,
      'session_erased',
      'The session was erased while this call was under way: send it again.',
    );
  }
  return new ServiceError(
    500,
    'internal_error',
    'The guardrail failed to handle this call: its log has the request id.',
  );
}

/** The message of an unexpected error may hold what was being worked on; where it arose does not. */
export function describeError(error: unknown): { name: string; at: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.constructor.name, at: frames.map((line) => line.trim()) };
}
