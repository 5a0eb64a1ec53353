/** How a failed call is answered: in the format of the API that was called. */
import type { Logger } from 'pino';
import { BLOCKED_CODE, BodyError, errorBodyOf, type ApiError, type Operation } from '../bodies/bodies.ts';
import { asServiceError, logError } from '../http/http.ts';
import type { Client, InlineContext } from './call.ts';
import { ClientGoneError, ProxyError } from './errors.ts';

/** The status of a call whose client has disconnected, for metrics and logs. nginx uses the same. */
const CLIENT_GONE = 499;

export interface Problem extends ApiError {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The error that a client gets. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof BodyError) return { status: 400, code: thrown.code, message: thrown.message };
  if (thrown instanceof ProxyError) return thrown;
  return asServiceError(thrown);
}

/** Answers a failed call, unless a part of its answer is sent already. */
export function answerFailure(
  { context, client }: { readonly context: InlineContext; readonly client: Client },
  operation: Operation,
  thrown: unknown,
  logger: Logger,
): void {
  if (thrown instanceof ClientGoneError) {
    context.state.log.error = 'client_gone';
    client.drop(CLIENT_GONE);
    return;
  }
  const problem = problemOf(thrown);
  if (problem.code !== BLOCKED_CODE) logError(logger, context, problem, thrown);
  if (!client.hasBegun) client.refuse(problem.status, problem.headers ?? {}, errorBodyOf(operation, problem));
}
