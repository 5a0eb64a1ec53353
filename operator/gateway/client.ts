/**
 * A client of the gateway's admin API. It does not trust the gateway: every call has deadlines, every response has a size
 * limit and is validated, and redirects are not followed. A success response is accepted only if its body does not
 * contradict it. A 404 is accepted only if it certainly refers to the customer.
 */
import { z } from 'zod';
import { deferredError, GatewayError, type GatewayOperation, isGatewayError } from './errors.ts';
import {
  type CallReport,
  type CallTimeouts,
  defaultTimeouts,
  GatewayHttp,
  type GatewayTarget,
  type SentCall,
} from './gatewayHttp.ts';
import { isLiteLlm, rowOrNone, confirmsDeletion } from './litellmQuirks.ts';
import { type CallPriority, DeferredError, type RateLimiter } from './rateLimit.ts';
import {
  type CallContext,
  contradictionOf,
  errorOf,
  type GatewayResponse,
  isRateLimited,
  parseJson,
  personalValues,
  quoteGateway,
  retryAfterOf,
  withQuote,
  wrongEndpointRemedy,
} from './errorResponse.ts';
import type { BudgetBody, BudgetRow, CustomerBody, CustomerRow, KeyBody, KeyRow, NewKeyBody } from './schemas.ts';
import { budgetRow, customerRow, keyRow } from './schemas.ts';

/**
 * A path that no gateway has. A gateway without the path of the lookup responds to both in the same way, because routes
 * are selected by the beginning of a path.
 */
const controlPath = '/customer/info/gcust-no-such-path';

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Default: `inProgress`. Calls of the other priorities fail with `retryAfter` instead of a long wait. */
  readonly priority?: CallPriority;
}

/** Options of a client. */
export interface ClientOptions {
  readonly timeouts?: CallTimeouts | undefined;
  /** Called after each call. */
  readonly report?: ((call: CallReport) => void) | undefined;
  /** Called when a call about a customer begins, and when it ends. */
  readonly onCustomerCall?: ((customerId: string) => void) | undefined;
}

/** The schema of write responses: any object. A response that is not an object, such as an HTML page, is an error. */
const anyObject = z.looseObject({});

/** One call and the record that it concerns. */
interface Call<T> extends SentCall {
  readonly schema: z.ZodType<T>;
  readonly about?: { readonly field: 'user_id' | 'budget_id'; readonly value: string } | undefined;
}

/** A client of one gateway. Every method throws {@link GatewayError}. */
export class GatewayClient {
  readonly #http: GatewayHttp;
  readonly #masterKey: string;
  readonly #limiter: RateLimiter;
  readonly #onCustomerCall: (customerId: string) => void;
  #isLiteLlm = false;
  #isAvailable = false;

  constructor(target: GatewayTarget, limiter: RateLimiter, options: ClientOptions = {}) {
    this.#limiter = limiter;
    this.#onCustomerCall = options.onCustomerCall ?? (() => undefined);
    this.#masterKey = target.masterKey;
    this.#http = new GatewayHttp(target, options.timeouts ?? defaultTimeouts, options.report ?? (() => undefined));
  }

  /** Whether a response has shown that the gateway is LiteLLM, with any proxy name. LiteLLM has a `/budget` API. */
  get isLiteLlm(): boolean {
    return this.#isLiteLlm;
  }

  /** Records a row of a list. */
  recordListed(row: CustomerRow): void {
    this.#isLiteLlm ||= isLiteLlm(row);
  }

  /** Whether the last call that the gateway answered, or failed to answer, was served. */
  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /**
   * Checks whether a call could start soon. Call it before work that must be followed by a call.
   * @throws GatewayError of kind `retryAfter` if the call would have to wait long
   */
  checkCapacity(operation: GatewayOperation, priority: Exclude<CallPriority, 'inProgress'>): void {
    try {
      this.#limiter.checkCapacity(priority);
    } catch (error) {
      if (!(error instanceof DeferredError)) throw error;
      throw deferredError(operation, error.retryAfterMs, error.pause);
    }
  }

  /**
   * Gets a customer.
   * @returns undefined if the gateway has no customer with this id
   * @throws GatewayError of kind `unconfirmed` if the response does not say whether the customer exists
   */
  async customerInfo(customerId: string, options?: CallOptions): Promise<CustomerRow | undefined> {
    try {
      return await this.#lookUp(customerId, options);
    } catch (error) {
      if (isGatewayError(error, 'notFound')) return undefined;
      if (!isGatewayError(error, 'unconfirmed')) throw error;
      return await this.#lookUpAgain(customerId, error, { signal: options?.signal });
    }
  }

  /** Creates a customer. After a failure, do not repeat the call: look up the result with {@link customerInfo}. */
  async customerNew(body: CustomerBody, options?: CallOptions): Promise<void> {
    await this.#writeCustomer('POST /customer/new', '/customer/new', body, options);
  }

  async customerUpdate(body: CustomerBody, options?: CallOptions): Promise<void> {
    await this.#writeCustomer('POST /customer/update', '/customer/update', body, options);
  }

  /**
   * Deletes one customer. Returns only after the gateway has confirmed the deletion, by its response or by a lookup. The
   * customer's budget row remains.
   * @throws GatewayError, possibly of kind `notFound` if the customer did not exist; of kind `unconfirmed` if a later
   *   {@link customerInfo} must confirm the deletion
   */
  async customerDelete(customerId: string, options?: CallOptions): Promise<void> {
    const doubt = await this.#tryDelete(customerId, options);
    if (doubt === undefined) return;
    if ((await this.customerInfo(customerId, { signal: options?.signal })) !== undefined) throw doubt;
  }

  /** @returns the budget rows that exist */
  async budgetInfo(ids: readonly [string, ...string[]], options?: CallOptions): Promise<BudgetRow[]> {
    const operation = 'POST /budget/info';
    const body = { budgets: ids };
    const rows = await this.#call({ operation, path: '/budget/info', body, schema: z.array(budgetRow) }, options);
    return rows.filter(({ budget_id }) => ids.includes(budget_id));
  }

  async budgetNew(body: BudgetBody, options?: CallOptions): Promise<void> {
    const about = { field: 'budget_id', value: body.budget_id } as const;
    await this.#call({ operation: 'POST /budget/new', path: '/budget/new', body, schema: anyObject, about }, options);
  }

  /**
   * Changes the given fields; null clears a field.
   * @returns undefined if there is no row with this id
   */
  async budgetUpdate(body: BudgetBody, options?: CallOptions): Promise<BudgetRow | undefined> {
    const operation = 'POST /budget/update';
    const about = { field: 'budget_id', value: body.budget_id } as const;
    const call = { operation, path: '/budget/update', body, schema: budgetRow.nullable(), about } as const;
    return rowOrNone(await this.#call(call, options));
  }

  /**
   * Deletes a budget row and all links to it. Succeeds if the row does not exist. If the response does not confirm the
   * deletion, a lookup decides.
   */
  async budgetDelete(id: string, options?: CallOptions): Promise<void> {
    const operation = 'POST /budget/delete';
    const about = { field: 'budget_id', value: id } as const;
    const call = { operation, path: '/budget/delete', body: { id }, schema: anyObject.nullable(), about } as const;
    let doubt = new GatewayError('transient', operation, 'The gateway accepted the deletion but still has the budget.');
    try {
      const response = await this.#call(call, options);
      if (response === null || response.budget_id === id) return;
    } catch (error) {
      if (!isGatewayError(error) || error.status !== 404) throw error;
      doubt = error;
    }
    if ((await this.budgetInfo([id], { signal: options?.signal })).length > 0) throw doubt;
  }

  /**
   * The keys of a user, the newest first. One page is enough: a user of the operator has two keys, and few more after crashes.
   * A gateway that ignores the filter must not lead to keys of others.
   */
  async keyList(userId: string, options?: CallOptions): Promise<KeyRow[]> {
    const query = {
      user_id: userId,
      return_full_object: 'true',
      size: '100',
      sort_by: 'created_at',
      sort_order: 'desc',
    };
    const path = `/key/list?${new URLSearchParams(query).toString()}`;
    const schema = z.object({ keys: z.array(keyRow) });
    const { keys } = await this.#call({ operation: 'GET /key/list', path, schema }, options);
    return keys
      .filter(({ user_id }) => user_id === userId)
      .sort((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at));
  }

  /**
   * Creates a key. After a failure, do not repeat the call: look up the result with {@link keyList}.
   * @returns the value of the key
   */
  async keyGenerate(body: NewKeyBody, options?: CallOptions): Promise<string> {
    const schema = z.object({ key: z.string().min(1) });
    return (await this.#call({ operation: 'POST /key/generate', path: '/key/generate', body, schema }, options)).key;
  }

  async keyUpdate(body: KeyBody, options?: CallOptions): Promise<void> {
    await this.#call({ operation: 'POST /key/update', path: '/key/update', body, schema: anyObject }, options);
  }

  /** Deletes keys by their hashes. A 404 says that none of them exists. {@link keyList} confirms the deletion. */
  async keyDelete(hashes: readonly [string, ...string[]], options?: CallOptions): Promise<void> {
    const call = {
      operation: 'POST /key/delete',
      path: '/key/delete',
      body: { keys: hashes },
      schema: anyObject,
    } as const;
    await this.#call(call, options).catch((error: unknown) => {
      if (!isGatewayError(error) || error.status !== 404) throw error;
    });
  }

  /** Closes the connections after the calls in progress have ended. */
  async close(): Promise<void> {
    await this.#http.close();
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
    return row;
  }

  /**
   * Decides about a 404 whose form is not LiteLLM's. It means that the customer is missing if the gateway responds otherwise
   * to a path that does not exist, and then gives the same 404 for the customer again: an outage that begins or ends
   * meanwhile changes one of the three.
   */
  async #lookUpAgain(customerId: string, first: GatewayError, options: CallOptions): Promise<CustomerRow | undefined> {
    const control = await this.#askControl(customerId, options);
    if (control?.answer === first.answer) {
      throw unconfirmed(first, `It returns the same for a path that does not exist. ${wrongEndpointRemedy}`);
    }
    try {
      return await this.#lookUp(customerId, options);
    } catch (error) {
      if (isGatewayError(error, 'notFound')) return undefined;
      if (!isGatewayError(error, 'unconfirmed')) throw error;
      if (error.answer === first.answer) return undefined;
      throw unconfirmed(error, 'This does not show that the customer is missing: the response was another one before.');
    }
  }

  /** The response for a path that does not exist; undefined if it is not an unclear 404. */
  async #askControl(customerId: string, options: CallOptions): Promise<GatewayError | undefined> {
    const about = { field: 'user_id', value: customerId } as const;
    const call = { operation: 'GET /customer/info', path: controlPath, schema: z.unknown(), about } as const;
    try {
      await this.#makeCall(call, options);
      return undefined;
    } catch (error) {
      if (isGatewayError(error, 'unconfirmed')) return error;
      if (!isGatewayError(error, 'transient', 'retryAfter')) return undefined;
      throw error;
    }
  }

  /** @returns undefined if the response confirms the deletion, else the error to throw if the customer still exists */
  async #tryDelete(customerId: string, options?: CallOptions): Promise<GatewayError | undefined> {
    const operation = 'POST /customer/delete';
    const about = { field: 'user_id', value: customerId } as const;
    const body = { user_ids: [customerId] };
    try {
      const response = await this.#call(
        { operation, path: '/customer/delete', body, schema: anyObject, about },
        options,
      );
      if (confirmsDeletion(response)) return undefined;
      const message = 'The gateway accepted the deletion but still has the customer.';
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
    await this.#call({ operation, path, body, schema: anyObject, about }, options);
  }

  async #call<T>(call: Call<T>, options?: CallOptions): Promise<T> {
    const customerId = call.about?.field === 'user_id' ? call.about.value : undefined;
    if (customerId !== undefined) this.#onCustomerCall(customerId);
    try {
      const result = await this.#makeCall(call, options);
      this.#isAvailable = true;
      return result;
    } catch (error) {
      // A call that the operator's own rate limit defers says nothing about the gateway.
      const isDeferred = isGatewayError(error, 'retryAfter') && error.status === undefined && !error.rateLimited;
      if (!isDeferred) this.#isAvailable = isGatewayError(error, 'notFound', 'alreadyExists');
      throw error;
    } finally {
      if (customerId !== undefined) this.#onCustomerCall(customerId);
    }
  }

  async #makeCall<T>(call: Call<T>, options: CallOptions = {}): Promise<T> {
    const { operation, path, body, schema, about } = call;
    const context: CallContext = {
      operation,
      path,
      customerId: about?.field === 'user_id' ? about.value : undefined,
      masterKey: this.#masterKey,
      personal: [...personalValues(body), ...(about?.field === 'user_id' ? [about.value] : [])],
      isLiteLlm: this.#isLiteLlm,
    };
    let paused: GatewayError | undefined;
    let response: GatewayResponse;
    try {
      const attempt = async (): Promise<GatewayResponse> => {
        const received = await this.#http.send(call, options.signal);
        if (isRateLimited(received)) {
          const { ms, pause } = this.#limiter.pause(
            retryAfterOf(received),
            quoteGateway(received.text, context.masterKey, context.personal),
          );
          paused = deferredError(operation, ms, pause, received.status);
        }
        return received;
      };
      response = await this.#limiter.run(attempt, options.priority ?? 'inProgress', options.signal);
    } catch (error) {
      if (isGatewayError(error)) throw error;
      if (!(error instanceof DeferredError)) throw this.#http.errorOf(call, error);
      throw deferredError(operation, error.retryAfterMs, error.pause);
    }
    if (paused !== undefined) throw paused;
    const { status, text } = response;
    if (status < 200 || status > 299) throw errorOf(context, response);
    const contradiction = about === undefined ? undefined : contradictionOf(context, response, about);
    if (contradiction !== undefined) throw contradiction;
    const parsed = schema.safeParse(text.trim() === '' ? {} : parseJson(text));
    if (parsed.success) return parsed.data;
    throw new GatewayError(
      'transient',
      operation,
      `${withQuote(context, `The gateway returned ${status} with an unexpected body for ${operation}`, text)} ${wrongEndpointRemedy}`,
      { status },
    );
  }
}

/** The error of a 404 that does not show whether the customer exists. @param why a sentence */
function unconfirmed({ operation, message, status, answer }: GatewayError, why: string): GatewayError {
  return new GatewayError('unconfirmed', operation, `${message} ${why}`, {
    ...(status === undefined ? {} : { status }),
    ...(answer === undefined ? {} : { answer }),
  });
}
