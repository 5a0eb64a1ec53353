/**
 * The gateway's admin API over HTTP, made for a gateway that is not trusted: every call has deadlines, every answer has a
 * limit on its size and is checked, and redirects are not followed. A success counts only where its body does not say
 * otherwise, and a 404 only where it is known to mean the customer.
 */
import { Pool } from 'undici';
import { z } from 'zod';
import { OPERATOR_NAME } from '../operatorName.ts';
import type { LookupResult } from './missingCustomerCheck.ts';
import { MissingCustomerCheck, notFoundQuote } from './missingCustomerCheck.ts';
import type { GatewayOperation } from './errors.ts';
import { GatewayError, isGatewayError } from './errors.ts';
import { connectionError, deferredError, isClosedConnection } from './callErrors.ts';
import { isLiteLlm, rowOrNone, saysDeleted } from './litellmQuirks.ts';
import type { RateLimit, RateLimiter, CallPriority } from './rateLimit.ts';
import { DeferredError } from './rateLimit.ts';
import type { GatewayResponse, CallContext } from './errorResponse.ts';
import { asksToWait, contradictionOf, parseJson, errorOf, retryAfterOf, quoteSentence } from './errorResponse.ts';
import type { BudgetBody, BudgetRow, CustomerBody, CustomerRow } from './schemas.ts';
import { budgetRow, customerRow } from './schemas.ts';
import { personalValues } from './quote.ts';

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

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Default: `inProgress`. The others are thrown back with `retryAfter` rather than made to wait long for their turn. */
  readonly priority?: CallPriority;
}

/** What a write answers is used only as far as it contradicts the success; a page tells that nothing was written. */
const anything = z.looseObject({});

/** One call, and the record that it is about. */
interface Call<T> {
  readonly operation: GatewayOperation;
  readonly path: string;
  /** undefined: a GET. */
  readonly body?: object | undefined;
  readonly schema: z.ZodType<T>;
  readonly about?: { readonly field: 'user_id' | 'budget_id'; readonly value: string } | undefined;
}

/** A client of one gateway. Every method throws {@link GatewayError}. */
export class GatewayClient {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #masterKey: string;
  readonly #hasOwnAuthority: boolean;
  readonly #limiter: RateLimiter;
  readonly #timeouts: CallTimeouts;
  readonly #report: (call: CallReport) => void;
  readonly #absence = new MissingCustomerCheck();
  #isLiteLlm = false;

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
    this.#masterKey = target.masterKey;
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

  /** Whether the gateway has shown itself to be LiteLLM, under whatever name: then it has a `/budget` API. */
  get isLiteLlm(): boolean {
    return this.#isLiteLlm;
  }

  /**
   * @returns the customer, or undefined where the gateway has none of that id. An answer that does not tell is an error
   * of kind `unconfirmed`.
   */
  async customerInfo(customerId: string, options?: CallOptions): Promise<CustomerRow | undefined> {
    try {
      return await this.#lookUp(customerId, options);
    } catch (error) {
      if (await this.#meansMissing(customerId, error, options)) return undefined;
      throw error;
    }
  }

  /** Makes a customer. Never to be repeated when it failed: ask {@link customerInfo} what has become of it. */
  async customerNew(body: CustomerBody, options?: CallOptions): Promise<void> {
    await this.#writeCustomer('POST /customer/new', '/customer/new', body, options);
  }

  async customerUpdate(body: CustomerBody, options?: CallOptions): Promise<void> {
    await this.#writeCustomer('POST /customer/update', '/customer/update', body, options);
  }

  /**
   * Deletes one customer. Returns only when the gateway has confirmed that it is gone: by its answer, or when it is
   * looked up afterwards. One that was not there may be of kind `notFound`. Its budget row stays.
   */
  async customerDelete(customerId: string, options?: CallOptions): Promise<void> {
    const usual = this.#isLiteLlm ? undefined : await this.#wordsForMissing(customerId, options);
    const doubt = await this.#tryDelete(customerId, options);
    if (doubt === undefined) return;
    const { signal } = options ?? {};
    try {
      await this.#lookUp(customerId, { signal });
    } catch (error) {
      const asUsual = isGatewayError(error, 'unconfirmed') && error.message === usual;
      if (asUsual || (await this.#meansMissing(customerId, error, { signal }))) return;
      throw error;
    }
    throw doubt;
  }

  /** @returns those of the budget rows that exist. */
  async budgetInfo(ids: readonly [string, ...string[]], options?: CallOptions): Promise<BudgetRow[]> {
    const operation = 'POST /budget/info';
    const body = { budgets: ids };
    const rows = await this.#call({ operation, path: '/budget/info', body, schema: z.array(budgetRow) }, options);
    return rows.filter(({ budget_id }) => ids.includes(budget_id));
  }

  async budgetNew(body: BudgetBody, options?: CallOptions): Promise<void> {
    const about = { field: 'budget_id', value: body.budget_id } as const;
    await this.#call({ operation: 'POST /budget/new', path: '/budget/new', body, schema: anything, about }, options);
  }

  /** Changes the fields given; null clears one. @returns the row, or undefined where there is none of that id. */
  async budgetUpdate(body: BudgetBody, options?: CallOptions): Promise<BudgetRow | undefined> {
    const operation = 'POST /budget/update';
    const about = { field: 'budget_id', value: body.budget_id } as const;
    const call = { operation, path: '/budget/update', body, schema: budgetRow.nullable(), about } as const;
    return rowOrNone(await this.#call(call, options));
  }

  /**
   * Deletes a budget row; customers linked to it are linked to none afterwards. One that is not there is success. What
   * the answer does not confirm is looked up.
   */
  async budgetDelete(id: string, options?: CallOptions): Promise<void> {
    const operation = 'POST /budget/delete';
    const about = { field: 'budget_id', value: id } as const;
    const call = { operation, path: '/budget/delete', body: { id }, schema: anything.nullable(), about } as const;
    let doubt = new GatewayError(
      'transient',
      operation,
      'The gateway still has the budget that it was asked to delete.',
    );
    try {
      const answer = await this.#call(call, options);
      if (answer === null || answer.budget_id === id) return;
    } catch (error) {
      if (!isGatewayError(error) || error.status !== 404) throw error;
      doubt = error;
    }
    if ((await this.budgetInfo([id], { signal: options?.signal })).length > 0) throw doubt;
  }

  /** Ends the connections once the calls under way are answered. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #lookUp(customerId: string, options?: CallOptions): Promise<CustomerRow> {
    const path = `/customer/info?end_user_id=${encodeURIComponent(customerId)}`;
    const about = { field: 'user_id', value: customerId } as const;
    const operation = 'GET /customer/info';
    const row = await this.#call({ operation, path, schema: customerRow, about }, options).catch((error: unknown) => {
      if (isGatewayError(error, 'notFound')) this.#isLiteLlm = true;
      throw error;
    });
    this.#isLiteLlm ||= isLiteLlm(row);
    this.#absence.recordFound(customerId);
    return row;
  }

  /** Whether what a question about a customer failed with means that there is none. */
  async #meansMissing(customerId: string, error: unknown, options?: CallOptions): Promise<boolean> {
    if (isGatewayError(error, 'notFound')) return true;
    if (!isGatewayError(error, 'unconfirmed')) return false;
    return await this.#absence.confirms(customerId, error.message, (id) => this.#look(id, options));
  }

  async #look(customerId: string, options?: CallOptions): Promise<LookupResult> {
    try {
      await this.#lookUp(customerId, { signal: options?.signal });
      return { kind: 'there' };
    } catch (error) {
      return isGatewayError(error, 'unconfirmed') ? { kind: 'unclear', words: error.message } : { kind: 'other' };
    }
  }

  /**
   * What the gateway says of a customer that is not there, found out while it serves the one that is about to go.
   * undefined where it need not be known, since the gateway is LiteLLM, or cannot be.
   */
  async #wordsForMissing(customerId: string, options?: CallOptions): Promise<string | undefined> {
    const first = await this.#look(customerId, options);
    if (first.kind !== 'there' || this.#isLiteLlm) return undefined;
    return await notFoundQuote(customerId, (id) => this.#look(id, options));
  }

  /** @returns undefined where the answer confirms the deletion, else what to fail with if the customer is still there */
  async #tryDelete(customerId: string, options?: CallOptions): Promise<GatewayError | undefined> {
    const operation = 'POST /customer/delete';
    const about = { field: 'user_id', value: customerId } as const;
    const body = { user_ids: [customerId] };
    try {
      const answer = await this.#call({ operation, path: '/customer/delete', body, schema: anything, about }, options);
      if (saysDeleted(answer)) return undefined;
      const message = 'The gateway took the deletion, but still has the customer.';
      return new GatewayError('transient', operation, message);
    } catch (error) {
      if (isGatewayError(error, 'unconfirmed')) return error;
      throw error;
    }
  }

  async #writeCustomer(
    operation: GatewayOperation,
    path: string,
    body: CustomerBody,
    options?: CallOptions,
  ): Promise<void> {
    const about = { field: 'user_id', value: body.user_id } as const;
    await this.#call({ operation, path, body, schema: anything, about }, options);
  }

  async #call<T>(call: Call<T>, options: CallOptions = {}): Promise<T> {
    const { operation, path, body, schema, about } = call;
    const asked: CallContext = {
      operation,
      customerId: about?.field === 'user_id' ? about.value : undefined,
      masterKey: this.#masterKey,
      personal: [...personalValues(body), ...(about?.field === 'user_id' ? [about.value] : [])],
      isLiteLlm: this.#isLiteLlm,
    };
    let paused: GatewayError | undefined;
    let answer: GatewayResponse;
    try {
      const attempt = async (): Promise<GatewayResponse> => {
        const said = await this.#attempt(operation, path, body, options.signal);
        if (asksToWait(said)) {
          const { ms, pause } = this.#limiter.pause(retryAfterOf(said), quoteSentence(asked, said.text));
          paused = deferredError(operation, ms, pause, said.status);
        }
        return said;
      };
      answer = await this.#limiter.run(attempt, options.priority ?? 'inProgress', options.signal);
    } catch (error) {
      if (isGatewayError(error)) throw error;
      if (!(error instanceof DeferredError)) throw connectionError(operation, error, this.#hasOwnAuthority);
      throw deferredError(operation, error.retryAfterMs, error.pause);
    }
    if (paused !== undefined) throw paused;
    const { status, text } = answer;
    if (status < 200 || status > 299) throw errorOf(asked, answer);
    const contradiction = about === undefined ? undefined : contradictionOf(asked, answer, about);
    if (contradiction !== undefined) throw contradiction;
    const parsed = schema.safeParse(text.trim() === '' ? {} : parseJson(text));
    if (parsed.success) return parsed.data;
    throw new GatewayError(
      'transient',
      operation,
      `The gateway answered ${operation} with ${status} and a body that is not what this call returns.${quoteSentence(asked, text)} Check that spec.endpoint of the instance is the gateway's own address.`,
      { status },
    );
  }

  /** A GET whose kept connection turns out to be closed is asked once more: it changes nothing at the gateway. */
  async #attempt(
    operation: GatewayOperation,
    path: string,
    body: object | undefined,
    signal: AbortSignal | undefined,
  ): Promise<GatewayResponse> {
    try {
      return await this.#send(operation, path, body, signal);
    } catch (error) {
      if (body === undefined && isClosedConnection(error)) {
        return await this.#send(operation, path, body, signal).catch((again: unknown) => {
          throw connectionError(operation, again, this.#hasOwnAuthority);
        });
      }
      throw connectionError(operation, error, this.#hasOwnAuthority);
    }
  }

  async #send(
    operation: GatewayOperation,
    path: string,
    body: object | undefined,
    signal: AbortSignal | undefined,
  ): Promise<GatewayResponse> {
    const began = performance.now();
    let code = 'error';
    try {
      const deadline = AbortSignal.timeout(this.#timeouts.total);
      const response = await this.#pool.request({
        method: body === undefined ? 'GET' : 'POST',
        path: this.#path + path,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${this.#masterKey}`,
          'user-agent': OPERATOR_NAME,
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
}
