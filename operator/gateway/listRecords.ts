/**
 * Lists all customers or budgets of a gateway. LiteLLM sends its customers in pages from 1.109 on. Before, and its budgets
 * always, it sends them as one array, however many there are, so an array is read as a stream, one record at a time.
 */
import { Client, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { ArrayElements, ArrayFormatError } from './arrayElements.ts';
import { connectionError, GatewayError, type GatewayOperation, isGatewayError } from './errors.ts';
import { addressOf, type GatewayTarget } from './gatewayHttp.ts';
import { errorOf, isRateLimited, parseJson, wrongEndpointRemedy } from './errorResponse.ts';
import { type BudgetRow, budgetRow, type CustomerRow, customerRow } from './schemas.ts';

/** A gateway with 100,000 customers reads them all before its response begins. */
const firstByteMs = 180_000;
const idleMs = 60_000;
const connectMs = 10_000;
const maxRecordBytes = 1024 * 1024;
/** An error response is read up to this size. */
const maxErrorBytes = 64 * 1024;
/** The largest page of customers that LiteLLM sends. It does not say how many there are. */
const pageSize = 100;

/** One list of the customers of a gateway, page by page. */
export class CustomerPages {
  readonly #target: GatewayTarget;
  #page = 1;
  /** The customers of the page before. */
  #before: ReadonlySet<string> = new Set();

  constructor(target: GatewayTarget) {
    this.#target = target;
  }

  /** Whether there may be another page. */
  get hasNext(): boolean {
    return this.#page > 0;
  }

  /**
   * The customers of the next page, in the order of the gateway; undefined for a record that cannot be read. A customer that
   * the page before had already is left out: another one was created in the meantime. A gateway without pages sends all
   * customers as the first page, and again as the second one.
   * @throws GatewayError
   */
  async *next(signal: AbortSignal): AsyncGenerator<CustomerRow | undefined> {
    const found = new Set<string>();
    let [rows, repeated] = [0, 0];
    const query = `?page=${this.#page}&page_size=${pageSize}`;
    for await (const { text, row } of list(
      this.#target,
      'GET /customer/list',
      { query, schema: customerRow },
      signal,
    )) {
      rows += 1;
      const id = row?.user_id ?? text;
      if (rows <= pageSize) found.add(id);
      if (this.#before.has(id)) repeated += 1;
      else yield row;
    }
    this.#page = rows === pageSize && repeated < rows ? this.#page + 1 : 0;
    this.#before = found;
  }
}

/** All customers, as {@link CustomerPages} has them. @throws GatewayError */
export async function* listCustomers(
  target: GatewayTarget,
  signal: AbortSignal,
): AsyncGenerator<CustomerRow | undefined> {
  const pages = new CustomerPages(target);
  while (pages.hasNext) yield* pages.next(signal);
}

/**
 * All budgets, in the order of the gateway; undefined for a record that cannot be read. None if the gateway has no such
 * call.
 * @throws GatewayError
 */
export async function* listBudgets(target: GatewayTarget, signal: AbortSignal): AsyncGenerator<BudgetRow | undefined> {
  try {
    for await (const { row } of list(target, 'GET /budget/list', { query: '', schema: budgetRow }, signal)) yield row;
  } catch (error) {
    if (isGatewayError(error) && (error.status === 404 || error.status === 405)) return;
    throw error;
  }
}

async function* list<T>(
  target: GatewayTarget,
  operation: GatewayOperation,
  { query, schema }: { readonly query: string; readonly schema: z.ZodType<T> },
  signal: AbortSignal,
): AsyncGenerator<{ readonly text: string; readonly row: T | undefined }> {
  const { origin, base, headers } = addressOf(target);
  const client = new Client(origin, {
    headersTimeout: firstByteMs,
    bodyTimeout: idleMs,
    connect: { timeout: connectMs, ...(target.ca === undefined ? {} : { ca: target.ca }) },
  });
  try {
    const path = base + operation.slice('GET '.length) + query;
    const response = await client.request({ method: 'GET', path, headers, signal });
    if (response.statusCode !== 200) throw await failure(target, operation, response);
    const elements = new ArrayElements(maxRecordBytes);
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      for (const text of elements.push(piece)) yield { text, row: schema.safeParse(parseJson(text)).data };
    }
    elements.end();
  } catch (error) {
    // An error after the abort does not result from the gateway.
    if (signal.aborted || isGatewayError(error)) throw error;
    if (!(error instanceof ArrayFormatError)) throw connectionError(operation, error, target.ca !== undefined);
    const message = `The gateway returned an unexpected body for ${operation}. ${error.message} ${wrongEndpointRemedy}`;
    throw new GatewayError('transient', operation, message, { status: 200 });
  } finally {
    await client.destroy();
  }
}

async function failure(
  { masterKey }: GatewayTarget,
  operation: GatewayOperation,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
): Promise<GatewayError> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > maxErrorBytes) break;
  }
  const response = { status, headers, text: Buffer.concat(pieces).toString('utf8') };
  if (isRateLimited(response)) {
    return new GatewayError('retryAfter', operation, `The gateway limits the call rate (${status} for ${operation}).`, {
      status,
    });
  }
  return errorOf({ operation, masterKey, personal: [], isLiteLlm: false }, response);
}
