import { ApiError, RetryAfterError } from '../client/errors.ts';

/** A reconcile exceeded its timeout. */
export class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError';
}

/** Describes an unexpected error without its message, which may contain a value of a resource. */
export class RedactedError extends Error {
  override readonly name = 'FaultError';
}

/** Status codes for requests that are invalid or forbidden. A retry does not help. */
const REFUSALS: readonly number[] = [400, 403, 405, 406, 413, 415, 422];

/**
 * Builds the condition message for an error of a reconcile.
 * @returns sentences without values of the resource; undefined for errors of normal operation: conflicts, an unreachable or
 *   busy API server, and retries that the reconcile requests
 */
export function unexpectedErrorMessage(error: unknown): string | undefined {
  if (error instanceof RetryAfterError) return undefined;
  if (error instanceof ReconcileTimeoutError) return `${error.message} The operator retries; see its log.`;
  if (error instanceof ApiError) {
    if (!REFUSALS.includes(error.status)) return undefined;
    return `The API server rejected a request of the operator for this resource (${labelOf(error)}). The operator retries; see its log.`;
  }
  return `The reconcile failed with an internal error (${labelOf(error)}). The operator retries; see its log.`;
}

/** Describes an error for the log: its type and stack, without its message. */
export function redacted(error: unknown): RedactedError {
  const fault = new RedactedError(labelOf(error));
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  fault.stack = [`${fault.name}: ${fault.message}`, ...frames].join('\n');
  return fault;
}

/** The name, code, status and reason of an error. */
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
