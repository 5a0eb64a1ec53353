/** Errors and blocks, in the shape of the API that was called. */
import type { Api } from './contract.ts';
import type { Operation } from './operations.ts';

/** The code of a request that the policy blocks. Its status is 400. */
export const BLOCKED_CODE = 'guardrail_blocked';

export interface ApiError {
  /** The HTTP status. */
  readonly status: number;
  readonly code: string;
  /** A sentence for the caller. */
  readonly message: string;
}

export interface ErrorBody {
  readonly contentType: string;
  readonly body: Buffer;
}

/** @returns the body of an answer with an error */
export function errorBodyOf({ api }: Pick<Operation, 'api'>, error: ApiError): ErrorBody {
  return { contentType: 'application/json; charset=utf-8', body: Buffer.from(JSON.stringify(errorOf(api, error))) };
}

/**
 * @param contentType of the stream that cannot go on
 * @returns its last bytes: an error that clients of the API understand. The bytes before must be whole events.
 */
export function errorEventOf({ api }: Pick<Operation, 'api'>, contentType: string, error: ApiError): Buffer {
  const data = JSON.stringify(errorOf(api, error));
  if (!/^\s*text\/event-stream\b/i.test(contentType)) return Buffer.from(`\n${data}\n`);
  return Buffer.from(`${api === 'anthropic' ? 'event: error\n' : ''}data: ${data}\n\n`);
}

function errorOf(api: Api, { status, code, message }: ApiError): object {
  switch (api) {
    case 'anthropic':
      return { type: 'error', error: { type: ANTHROPIC_TYPES[status] ?? 'api_error', message, code } };
    case 'gemini':
      return {
        error: { code: status, message, status: GEMINI_STATUSES[status] ?? 'INTERNAL', details: [{ reason: code }] },
      };
    case 'openai':
    case 'unknown':
      return { error: { message, type: OPENAI_TYPES[status] ?? 'server_error', param: null, code } };
  }
}

/** @see https://docs.anthropic.com/en/api/errors */
const ANTHROPIC_TYPES: Readonly<Partial<Record<number, string>>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** @see https://cloud.google.com/apis/design/errors#error_model */
const GEMINI_STATUSES: Readonly<Partial<Record<number, string>>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const OPENAI_TYPES: Readonly<Partial<Record<number, string>>> = {
  400: 'invalid_request_error',
  401: 'invalid_request_error',
  403: 'invalid_request_error',
  404: 'invalid_request_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  429: 'requests',
};
