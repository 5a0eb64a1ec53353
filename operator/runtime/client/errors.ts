/** The error of a request to the API server. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, or 0 without a response (connection refused or reset, timeout). */
  readonly status: number;
  /** The API server's machine-readable reason (`AlreadyExists`, `Conflict`, `Expired` …), or empty. */
  readonly reason: string;
  /** The delay that the server asks for (`Retry-After`), in milliseconds. */
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

  /** Whether there was no response. The request may have been executed. */
  get isUnreachable(): boolean {
    return this.status === 0;
  }
}

/** Whether the object does not exist (404). */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** Whether the object changed since it was read, or already exists (409). */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409;
}

/** Whether the operator lacks a permission (403). */
export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 403;
}

/** Whether a resourceVersion or continue token is too old (410). */
export function isExpired(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 410 || error.reason === 'Expired');
}

/**
 * Thrown by a reconcile to be retried after a given time, for example after a rate limit or `Retry-After`. Does not increase
 * the backoff.
 */
export class RetryAfterError extends Error {
  override readonly name = 'RetryAfterError';
  /** The delay in milliseconds. The retry comes up to a tenth later, or earlier if the object changes. */
  readonly afterMs: number;

  constructor(message: string, afterMs: number, options?: ErrorOptions) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

/** The operator cannot start. The message has the cause and the remedy. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
