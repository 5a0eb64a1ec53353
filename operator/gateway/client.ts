/**
 * The gateway's admin API over HTTP, made for a gateway that is not trusted: every call has deadlines, every answer has a
 * limit on its size and is checked, redirects are not followed, and nothing of an answer's text gets into a message.
 */
import { Pool } from 'undici';
import { z } from 'zod';
import type { GatewayOperation } from './errors.ts';
import { GatewayError, isGatewayError } from './errors.ts';
import { explain, rowOrNone, saysAlreadyExists, saysNoSuchPath } from './oddities.ts';
import type { RateLimit, RateLimiter, Turn } from './rateLimit.ts';
import { DeferredError } from './rateLimit.ts';
import type { BudgetBody, BudgetRow, CustomerBody, CustomerRow, ErrorBody } from './wire.ts';
import { budgetRow, customerRow, errorBody } from './wire.ts';

/** Where a gateway is, and how to call it. */
export interface GatewayTarget {
  readonly instance: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** Base address without a trailing slash. */
  readonly endpoint: string;
  readonly masterKey: string;
  /** PEM certificates of the authorities to trust instead of the public ones. */
  readonly ca: string | undefined;
  readonly rateLimit: RateLimit;
}

/** One call that was made, for metrics. */
export interface CallReport {
  readonly operation: GatewayOperation;
  /** The HTTP status as text, or `error` where no answer came. */
  readonly code: string;
  readonly seconds: number;
}

/** Deadlines of one call, in milliseconds. */
export interface CallTimeouts {
  /** Until the connection stands. */
  readonly connect: number;
  /** Until the headers of the answer are there, and then between two pieces of its body. */
  readonly idle: number;
  /** Until the answer is complete. */
  readonly total: number;
}

const defaultTimeouts: CallTimeouts = { connect: 5_000, idle: 10_000, total: 15_000 };
const largestAnswer = 1024 * 1024;
const longestRetryAfterMs = 10 * 60_000;
const defaultRetryAfterMs = 5_000;

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Default: `begun`. The others are thrown back with `retryAfter` rather than made to wait long for their turn. */
  readonly turn?: Turn;
}

/** What a write answers is not used, but a page instead of it tells that nothing was written. */
const anything = z.looseObject({});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** A client of one gateway. Every method throws {@link GatewayError}. */
export class GatewayClient {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #authorization: string;
  readonly #hasOwnAuthority: boolean;
  readonly #limiter: RateLimiter;
  readonly #timeouts: CallTimeouts;
  readonly #report: (call: CallReport) => void;

  constructor(
    target: GatewayTarget,
    limiter: RateLimiter,
    options: { readonly timeouts?: CallTimeouts; readonly report?: (call: CallReport) => void } = {},
  ) {
    this.#limiter = limiter;
    this.#timeouts = options.timeouts ?? defaultTimeouts;
    this.#report = options.report ?? (() => undefined);
    const url = new URL(target.endpoint);
    this.#path = url.pathname.replace(/\/+$/, '');
    this.#authorization = `Bearer ${target.masterKey}`;
    this.#hasOwnAuthority = target.ca !== undefined;
    this.#pool = new Pool(url.origin, {
      connections: target.rateLimit.maxConcurrent,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      headersTimeout: this.#timeouts.idle,
      bodyTimeout: this.#timeouts.idle,
      maxResponseSize: largestAnswer,
      connect: { timeout: this.#timeouts.connect, ...(target.ca === undefined ? {} : { ca: target.ca }) },
    });
  }

  /** @returns the customer, or undefined where the gateway has none of that id. */
  async customerInfo(customerId: string, options?: CallOptions): Promise<CustomerRow | undefined> {
    const path = `/customer/info?end_user_id=${encodeURIComponent(customerId)}`;
    const row = await this.#call('GET /customer/info', path, undefined, customerRow, options).catch(
      (error: unknown) => {
        if (error instanceof GatewayError && error.kind === 'notFound') return undefined;
        throw error;
      },
    );
    if (row !== undefined && row.user_id !== customerId) {
      throw new GatewayError('transient', 'GET /customer/info', 'The gateway answered with another customer.');
    }
    return row;
  }

  /** Makes a customer. Never to be repeated when it failed: ask {@link customerInfo} what has become of it. */
  async customerNew(body: CustomerBody, options?: CallOptions): Promise<void> {
    await this.#call('POST /customer/new', '/customer/new', body, anything, options);
  }

  async customerUpdate(body: CustomerBody, options?: CallOptions): Promise<void> {
    await this.#call('POST /customer/update', '/customer/update', body, anything, options);
  }

  /** Deletes one customer; one that is not there is of kind `notFound`. Its budget row stays. */
  async customerDelete(customerId: string, options?: CallOptions): Promise<void> {
    const body = { user_ids: [customerId] };
    await this.#call('POST /customer/delete', '/customer/delete', body, anything, options);
  }

  /** @returns those of the budget rows that exist. */
  async budgetInfo(ids: readonly [string, ...string[]], options?: CallOptions): Promise<BudgetRow[]> {
    return await this.#call('POST /budget/info', '/budget/info', { budgets: ids }, z.array(budgetRow), options);
  }

  async budgetNew(body: BudgetBody, options?: CallOptions): Promise<void> {
    await this.#call('POST /budget/new', '/budget/new', body, anything, options);
  }

  /** Changes the fields given; null clears one. @returns the row, or undefined where there is none of that id. */
  async budgetUpdate(body: BudgetBody, options?: CallOptions): Promise<BudgetRow | undefined> {
    return rowOrNone(await this.#call('POST /budget/update', '/budget/update', body, budgetRow.nullable(), options));
  }

  /** Deletes a budget row; customers linked to it are linked to none afterwards. One that is not there is success. */
  async budgetDelete(id: string, options?: CallOptions): Promise<void> {
    await this.#call('POST /budget/delete', '/budget/delete', { id }, anything.nullable(), options).catch(
      (error: unknown) => {
        if (!(error instanceof GatewayError && error.kind === 'notFound')) throw error;
      },
    );
  }

  /** Ends the connections once the calls under way are answered. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #call<T>(
    operation: GatewayOperation,
    path: string,
    body: object | undefined,
    schema: z.ZodType<T>,
    options: CallOptions = {},
  ): Promise<T> {
    let answer: Answer;
    try {
      const call = (): Promise<Answer> => this.#attempt(operation, path, body, options.signal);
      answer = await this.#limiter.run(call, options.turn ?? 'begun', options.signal);
    } catch (error) {
      if (isGatewayError(error)) throw error;
      if (!(error instanceof DeferredError)) throw noAnswer(operation, error, this.#hasOwnAuthority);
      throw new GatewayError('retryAfter', operation, 'The limit on calls to the gateway is reached.', {
        retryAfterMs: error.retryAfterMs,
      });
    }
    if (answer.status < 200 || answer.status > 299) throw this.#refused(operation, answer);
    const parsed = schema.safeParse(parseJson(answer.text));
    if (parsed.success) return parsed.data;
    throw new GatewayError(
      'transient',
      operation,
      `The gateway answered ${operation} with ${answer.status} and a body that is not what this call returns: check that spec.endpoint of the instance is the gateway's own address.`,
      { status: answer.status },
    );
  }

  /** A GET whose kept connection turns out to be closed is asked once more: it changes nothing at the gateway. */
  async #attempt(
    operation: GatewayOperation,
    path: string,
    body: object | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    try {
      return await this.#send(operation, path, body, signal);
    } catch (error) {
      if (body === undefined && lostConnection(error)) {
        return await this.#send(operation, path, body, signal).catch((again: unknown) => {
          throw noAnswer(operation, again, this.#hasOwnAuthority);
        });
      }
      throw noAnswer(operation, error, this.#hasOwnAuthority);
    }
  }

  async #send(
    operation: GatewayOperation,
    path: string,
    body: object | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const began = performance.now();
    let code = 'error';
    try {
      const deadline = AbortSignal.timeout(this.#timeouts.total);
      const response = await this.#pool.request({
        method: body === undefined ? 'GET' : 'POST',
        path: this.#path + path,
        headers: {
          accept: 'application/json',
          authorization: this.#authorization,
          'user-agent': 'gateway-guardrail-operator',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      });
      const text = await response.body.text();
      code = String(response.statusCode);
      return { status: response.statusCode, headers: response.headers, text };
    } finally {
      this.#report({ operation, code, seconds: (performance.now() - began) / 1000 });
    }
  }

  #refused(operation: GatewayOperation, answer: Answer): GatewayError {
    const { status, text } = answer;
    const json = errorBody.safeParse(parseJson(text));
    const body = json.success ? json.data : undefined;
    const said = explain(text);
    const details = said === undefined ? describe(body) : ` ${said}`;
    const fail = (kind: GatewayError['kind'], message: string, retryAfterMs?: number): GatewayError =>
      new GatewayError(kind, operation, message, retryAfterMs === undefined ? { status } : { status, retryAfterMs });

    if (status < 200 || (status >= 300 && status < 400)) {
      return fail(
        'terminal',
        `The gateway answered ${operation} with ${status}, a redirect, which is not followed: set spec.endpoint of the instance to the gateway's own address.`,
      );
    }
    if (saysAlreadyExists(operation, status, body)) {
      return fail('alreadyExists', 'The gateway has a customer of this id already.');
    }
    if (status === 401 || status === 403) {
      return fail(
        'unauthorized',
        `The gateway refuses the master key (${operation}: ${status}): store a key with admin rights in the Secret of spec.masterKeySecretRef of the instance.`,
      );
    }
    if (status === 404 && !saysNoSuchPath(text, body)) {
      return fail('notFound', `The gateway has no record of what ${operation} names.`);
    }
    if (status === 404 || status === 405) {
      return fail(
        'terminal',
        `The gateway has no ${operation} (${status}): check spec.endpoint of the instance, and that the gateway offers an admin API for customers.`,
      );
    }
    const retryAfter = retryAfterOf(answer.headers);
    if (status === 429 || (status === 503 && retryAfter !== undefined)) {
      const wait = retryAfter ?? defaultRetryAfterMs;
      this.#limiter.pause(wait);
      return fail('retryAfter', `The gateway asks to be left alone for a while (${operation}: ${status}).`, wait);
    }
    if (status >= 500 || status === 408 || status === 425) {
      return fail('transient', `The gateway failed at ${operation} with ${status}.${details}`);
    }
    return fail('terminal', `The gateway refused ${operation} with ${status}.${details}`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Which fields an error names, in words that are identifiers and so cannot hold a value of the customer. */
function describe(body: ErrorBody | undefined): string {
  const words: string[] = [];
  const error = body?.error;
  if (typeof error === 'object' && error !== null)
    words.push(...identifiers('', error.type), ...identifiers('field ', error.param));
  if (Array.isArray(body?.detail)) {
    for (const entry of body.detail.slice(0, 5)) {
      const field = (entry.loc ?? []).filter((part) => schemaWords.has(String(part))).join('.');
      words.push(...identifiers('field ', field), ...identifiers('', entry.type));
    }
  }
  return words.length === 0 ? '' : ` It names: ${words.join(', ')}.`;
}

/** Names that may occur as a part of `loc`: whatever else stands there may have been sent by us as a key of metadata. */
const schemaWords = new Set([
  'body',
  'query',
  'end_user_id',
  'user_ids',
  'budgets',
  'id',
  'object_permission',
  'mcp_servers',
  'mcp_access_groups',
  'vector_stores',
  'agents',
  ...Object.keys(customerRow.shape),
]);

const errorTypes =
  /^(?:[a-z]+_){0,5}(?:error|missing|type|parsing|request|found|exceeded|equal|than|short|long|forbidden)$/;

function identifiers(prefix: string, word: string | null | undefined): string[] {
  if (word === null || word === undefined || word === '') return [];
  const known = prefix === '' ? errorTypes.test(word) : word.split('.').every((part) => schemaWords.has(part));
  return known ? [prefix + word] : [];
}

function retryAfterOf(headers: Answer['headers']): number | undefined {
  const header = headers['retry-after'];
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return undefined;
  const wait = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), longestRetryAfterMs) : undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function lostConnection(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

/** One sentence for all deadlines: which of them is first is chance, and each new message is a write into a status. */
const late = 'no complete answer came in time';
const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name cannot be resolved now',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  UND_ERR_HEADERS_TIMEOUT: late,
  UND_ERR_BODY_TIMEOUT: late,
  UND_ERR_SOCKET: 'the connection broke',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the answer is larger than 1 MiB',
  CERT_HAS_EXPIRED: 'its certificate, or that of its authority, has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host name: set spec.endpoint of the instance to a name that the certificate has',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: check scheme and port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there: check scheme and port',
};

/** All ways in which OpenSSL says that it does not know who has signed a certificate. */
const unknownAuthority = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
]);

function causeOf(error: unknown, hasOwnAuthority: boolean): string {
  if (error instanceof Error && error.name === 'TimeoutError') return late;
  const code = codeOf(error);
  if (!unknownAuthority.has(code)) return causes[code] ?? 'the call failed';
  return hasOwnAuthority
    ? 'its certificate is not signed by the authority in the Secret of spec.tls.caSecretRef: store the one that signed it there'
    : 'its certificate is signed by an unknown authority: set spec.tls.caSecretRef of the instance';
}

function noAnswer(operation: GatewayOperation, error: unknown, hasOwnAuthority: boolean): GatewayError {
  const cause = causeOf(error, hasOwnAuthority);
  return new GatewayError('transient', operation, `The gateway cannot be reached (${operation}): ${cause}.`);
}
