/** What the API server answered instead of success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, or 0 when no answer came (refused, reset, timed out). */
  readonly status: number;
  /** The API server's machine-readable reason (`AlreadyExists`, `Conflict`, `Expired` …), empty when it gave none. */
  readonly reason: string;
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    details: { status: number; reason?: string; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.reason = details.reason ?? '';
    this.retryAfterMs = details.retryAfterMs;
  }

  /** No answer came: the request may or may not have been carried out. */
  get isUnreachable(): boolean {
    return this.status === 0;
  }
}

/** Whether the API server said that there is no such object (404). */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** Whether the object had changed since it was read, or exists already (409). */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409;
}

/** Whether we lack the right (403). */
export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 403;
}

/** Whether a resourceVersion or continue token is too old to go on from (410). */
export function isExpired(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 410 || error.reason === 'Expired');
}

/** Thrown by a reconcile that must not be retried until its object changes: waiting would not help. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** Thrown by a reconcile that knows when to come back: a rate limit, a `Retry-After`. Does not grow the backoff. */
export class RetryAfterError extends Error {
  override readonly name = 'RetryAfterError';
  /** When to come back, in milliseconds from now: up to a tenth later, and earlier only if the object changes. */
  readonly afterMs: number;

  constructor(message: string, afterMs: number, options?: ErrorOptions) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

/** The operator cannot start at all. The message says why and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
