import { ApiError, RetryAfterError, TerminalError } from '../client/errors.ts';

/** A reconcile took longer than it may. */
export class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError';
}

/** An error that no reconcile foresees, as it may be told: without its message, which can hold a value of a resource. */
export class RedactedError extends Error {
  override readonly name = 'FaultError';
}

/** What the API server answers to a request that is wrong or not allowed, however often it is repeated. */
const REFUSALS: readonly number[] = [400, 403, 405, 406, 413, 415, 422];

/**
 * What to say of an error on the object whose reconcile it ended.
 * @returns a whole sentence for a condition, without a value; undefined for errors of normal operation: conflicts, an
 *   API server that is away or busy, what the reconcile itself asks for
 */
export function unexpectedErrorMessage(error: unknown): string | undefined {
  if (error instanceof RetryAfterError || error instanceof TerminalError) return undefined;
  if (error instanceof ReconcileTimeoutError) return `${error.message} It is tried again: see the log of the operator.`;
  if (error instanceof ApiError) {
    if (!REFUSALS.includes(error.status)) return undefined;
    return `The API server refuses a request of the operator for this resource (${labelOf(error)}). The request is tried again: see the log of the operator.`;
  }
  return `An internal error of the operator (${labelOf(error)}) ends the reconcile. It is tried again: see the log of the operator.`;
}

/** The error as it may be logged: its kind and where it came from. */
export function redacted(error: unknown): RedactedError {
  const fault = new RedactedError(labelOf(error));
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  fault.stack = [`${fault.name}: ${fault.message}`, ...frames].join('\n');
  return fault;
}

/** The kind of an error, by the words that programs give it. */
function labelOf(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, code, status, reason } = error as Error & { code?: unknown; status?: unknown; reason?: unknown };
  return [name, code, status, reason]
    .filter((part) => isWord(part) || (typeof part === 'number' && part > 0))
    .join(' ');
}

function isWord(part: unknown): boolean {
  return typeof part === 'string' && /^\w{1,64}$/.test(part);
}
