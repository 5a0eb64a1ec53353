import type { Dispatcher } from 'undici';
import { ApiError } from './errors.ts';

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path, each segment encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Default 30 s. */
  readonly timeoutMs?: number;
}

/** Parses the body of a successful response. @throws ApiError */
export async function parseBody(apiRequest: ApiRequest, body: Dispatcher.ResponseData['body']): Promise<unknown> {
  let text: string;
  try {
    text = await body.text();
  } catch (error) {
    throw unreachableError(apiRequest, error);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ApiError(`The response to ${describe(apiRequest)} is not JSON.`, { status: 0, cause: error });
  }
}

/** Creates the error for an unsuccessful response. */
export async function errorOfResponse(
  apiRequest: Pick<ApiRequest, 'method' | 'path'>,
  response: Dispatcher.ResponseData,
): Promise<ApiError> {
  const header = response.headers['retry-after'];
  const text = await response.body.text().catch(() => '');
  let status: { message?: unknown; reason?: unknown; details?: { retryAfterSeconds?: unknown } } = {};
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null) status = json;
  } catch {
    // Not JSON, for example the error page of a proxy. Only the status is known.
  }
  const seconds = Number(typeof header === 'string' ? header : status.details?.retryAfterSeconds);
  const reason = typeof status.reason === 'string' ? status.reason : '';
  // The server's message may quote the Secret in the request.
  const message =
    typeof status.message === 'string' && !/\/secrets(\/|$)/.test(apiRequest.path) ? `: ${status.message}` : '';
  return new ApiError(
    `The API server responded with ${String(response.statusCode)}${reason === '' ? '' : ` ${reason}`} to ${describe(apiRequest)}${message}`,
    {
      status: response.statusCode,
      reason,
      retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined,
    },
  );
}

/** The error for a request without a response. */
export function unreachableError(apiRequest: Pick<ApiRequest, 'method' | 'path'>, cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const why =
    cause instanceof Error
      ? ['AbortError', 'TimeoutError'].includes(cause.name)
        ? 'timed out or aborted'
        : cause.message
      : String(cause);
  return new ApiError(`No response from the API server to ${describe(apiRequest)}: ${why}`, { status: 0, cause });
}

function describe(apiRequest: Pick<ApiRequest, 'method' | 'path'>): string {
  return `${apiRequest.method} ${apiRequest.path}`;
}

/** Whether the server closed a kept-alive connection while the request was sent. This is a normal race, not an outage. */
export function isClosedConnection(cause: unknown): boolean {
  const code = (cause as { code?: unknown } | undefined)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
