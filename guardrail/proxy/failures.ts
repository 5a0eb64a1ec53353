/** How a failed call is answered: in the format of the API that was called. */
import type { Logger } from 'pino';
import { BLOCKED_CODE, BodyError, errorBodyOf, type ApiError, type Operation } from '../bodies/bodies.ts';
import { asServiceError, logError, type CallContext } from '../http/http.ts';
import { ClientGoneError, ProxyError } from './errors.ts';

/** The status of a call whose client has disconnected, for metrics and logs. nginx uses the same. */
const CLIENT_GONE = 499;

interface Problem extends ApiError {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The error that a client gets. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof BodyError) return { status: 400, code: thrown.code, message: thrown.message };
  if (thrown instanceof ProxyError) return thrown;
  return asServiceError(thrown);
}

/** Answers a failed call, unless a part of its answer is sent already. */
export function answerFailure(context: CallContext, operation: Operation, thrown: unknown, logger: Logger): void {
  if (thrown instanceof ClientGoneError) {
    context.respond = false;
    context.state.log.error = 'client_gone';
    if (!context.res.headersSent) context.res.statusCode = CLIENT_GONE;
    context.res.destroy();
    return;
  }
  const problem = problemOf(thrown);
  if (problem.code !== BLOCKED_CODE) logError(logger, context, problem, thrown);
  if (context.res.headersSent) {
    context.respond = false;
    return;
  }
  const { contentType, body } = errorBodyOf(operation, problem);
  context.status = problem.status;
  context.set({ ...problem.headers, 'content-type': contentType });
  context.body = body;
}
