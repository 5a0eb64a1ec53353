/** HTTP calls to one gateway: connections, deadlines, the size limit of responses, traces and metrics. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { Pool } from 'undici';
import { type CallSpan, httpClientSpan, inSpan, type SpanStart, traceHeadersOf } from '../../guardrail/guardrail.ts';
import { OPERATOR_NAME } from '../operatorName.ts';
import { withDeadline } from '../runtime/runtime.ts';
import type { GatewayResponse } from './errorResponse.ts';
import { connectionError, type GatewayOperation, isClosedConnection } from './errors.ts';
import type { RateLimit } from './rateLimit.ts';

/** The address of a gateway and how to call it. */
export interface GatewayTarget {
  readonly instance: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** Base address without a trailing slash. */
  readonly endpoint: string;
  readonly masterKey: string;
  /** PEM certificates of the certificate authorities to trust instead of the public ones. */
  readonly ca: string | undefined;
  readonly rateLimit: RateLimit;
}

/** One completed call, for metrics. */
export interface CallReport {
  readonly operation: GatewayOperation;
  /** The HTTP status as text, or `error` if there was no response. */
  readonly code: string;
  readonly seconds: number;
}

/** Deadlines of one call, in milliseconds. */
export interface CallTimeouts {
  /** Until the connection is established. */
  readonly connect: number;
  /** Until the response headers arrive, and then between two chunks of the body. */
  readonly idle: number;
  /** Until the response is complete. */
  readonly total: number;
}

export const defaultTimeouts: CallTimeouts = { connect: 5_000, idle: 10_000, total: 15_000 };
const maxResponseBytes = 1024 * 1024;

/** A call as it is sent. */
export interface SentCall {
  readonly operation: GatewayOperation;
  /** With its query. */
  readonly path: string;
  /** undefined: the call is a GET. */
  readonly body?: object | undefined;
}

/** What every call of a gateway's admin API has. */
export function addressOf({ endpoint, masterKey }: Pick<GatewayTarget, 'endpoint' | 'masterKey'>): {
  readonly origin: string;
  /** The path before that of a call. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const { origin, pathname } = new URL(endpoint);
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${masterKey}`,
    'user-agent': OPERATOR_NAME,
  };
  return { origin, base: pathname.replace(/\/+$/, ''), headers };
}

/** Sends calls to one gateway. */
export class GatewayHttp {
  readonly #pool: Pool;
  readonly #address: ReturnType<typeof addressOf>;
  readonly #hasOwnAuthority: boolean;
  readonly #timeouts: CallTimeouts;
  readonly #report: (call: CallReport) => void;
  readonly #spans = new Map<GatewayOperation, SpanStart>();

  constructor(target: GatewayTarget, timeouts: CallTimeouts, report: (call: CallReport) => void) {
    this.#address = addressOf(target);
    this.#hasOwnAuthority = target.ca !== undefined;
    this.#timeouts = timeouts;
    this.#report = report;
    this.#pool = new Pool(this.#address.origin, {
      connections: target.rateLimit.maxConcurrent,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      headersTimeout: timeouts.idle,
      bodyTimeout: timeouts.idle,
      maxResponseSize: maxResponseBytes,
      connect: { timeout: timeouts.connect, ...(target.ca === undefined ? {} : { ca: target.ca }) },
    });
  }

  /**
   * Sends a call. Repeats a GET once if its kept-alive connection turns out to be closed: a GET changes nothing.
   * @throws GatewayError of kind `transient` if there is no complete response
   */
  async send(call: SentCall, signal?: AbortSignal): Promise<GatewayResponse> {
    try {
      return await this.#sendOnce(call, signal);
    } catch (error) {
      if (call.body === undefined && isClosedConnection(error)) {
        return await this.#sendOnce(call, signal).catch((again: unknown) => {
          throw this.errorOf(call, again);
        });
      }
      throw this.errorOf(call, error);
    }
  }

  /** The error of a call without a complete response. */
  errorOf({ operation }: SentCall, cause: unknown): Error {
    return connectionError(operation, cause, this.#hasOwnAuthority);
  }

  /** Closes the connections after the calls in progress have ended. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  #sendOnce(call: SentCall, signal: AbortSignal | undefined): Promise<GatewayResponse> {
    return inSpan(this.#spanOf(call.operation), (span) => this.#sendIn(span, call, signal));
  }

  /** The span of a call. It names the operation, because the path can contain the id of a customer. */
  #spanOf(operation: GatewayOperation): SpanStart {
    const known = this.#spans.get(operation);
    if (known !== undefined) return known;
    const span = httpClientSpan(operation, this.#address.origin);
    this.#spans.set(operation, span);
    return span;
  }

  async #sendIn(
    span: CallSpan | undefined,
    { operation, path, body }: SentCall,
    signal: AbortSignal | undefined,
  ): Promise<GatewayResponse> {
    const began = performance.now();
    let code = 'error';
    try {
      return await withDeadline(this.#timeouts.total, signal, async (either) => {
        const response = await this.#pool.request({
          method: body === undefined ? 'GET' : 'POST',
          path: this.#address.base + path,
          headers: {
            ...this.#address.headers,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(span === undefined ? {} : traceHeadersOf(span)),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: either,
        });
        const text = await response.body.text();
        code = String(response.statusCode);
        span?.set({ 'http.response.status_code': response.statusCode });
        if (response.statusCode >= 400) span?.fail(code);
        return { status: response.statusCode, headers: response.headers, text };
      });
    } finally {
      this.#report({ operation, code, seconds: (performance.now() - began) / 1000 });
    }
  }
}

/**
 * Registers the metrics of gateway calls.
 * @returns the `report` option of `GatewayClients`
 */
export function gatewayCallMetrics(
  registry: Registry,
): (instance: GatewayTarget['instance'], call: CallReport) => void {
  const calls = new Counter({
    name: 'gateway_guardrail_operator_gateway_calls_total',
    help: 'Calls of the gateway admin API, by the HTTP status of the response (error: no response).',
    labelNames: ['gateway_namespace', 'gateway', 'operation', 'code'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'gateway_guardrail_operator_gateway_call_duration_seconds',
    help: 'Time from the start of a call of the gateway admin API to the end of its response.',
    labelNames: ['gateway_namespace', 'gateway', 'operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  });
  return (instance, call) => {
    // Not `instance`: Prometheus reserves that name for the scrape target.
    const labels = { gateway_namespace: instance.namespace, gateway: instance.name, operation: call.operation };
    calls.inc({ ...labels, code: call.code });
    seconds.observe(labels, call.seconds);
  };
}
