/**
 * Lists all customers or budgets of a gateway. A gateway such as LiteLLM sends them as one array without pages, however
 * many there are, so the array is read as a stream, and only one record is in memory at a time.
 */
import { Client, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { OPERATOR_NAME } from '../operatorName.ts';
import { ArrayElements, ArrayFormatError } from './arrayElements.ts';
import { connectionError } from './callErrors.ts';
import type { GatewayTarget } from './client.ts';
import { errorOf, isRateLimited, parseJson, wrongEndpointRemedy } from './errorResponse.ts';
import { GatewayError, type GatewayOperation, isGatewayError } from './errors.ts';
import { type BudgetRow, budgetRow, type CustomerRow, customerRow } from './schemas.ts';

/** A gateway with 100,000 customers reads them all before its response begins. */
const firstByteMs = 180_000;
const idleMs = 60_000;
const connectMs = 10_000;
const maxRecordBytes = 1024 * 1024;
/** An error response is read up to this size. */
const maxErrorBytes = 64 * 1024;

/** All customers, in the order of the gateway; undefined for a record that cannot be read. @throws GatewayError */
export function listCustomers(target: GatewayTarget, signal: AbortSignal): AsyncGenerator<CustomerRow | undefined> {
  return list(target, 'GET /customer/list', customerRow, signal);
}

/**
 * All budgets, in the order of the gateway; undefined for a record that cannot be read. None if the gateway has no such
 * call.
 * @throws GatewayError
 */
export async function* listBudgets(target: GatewayTarget, signal: AbortSignal): AsyncGenerator<BudgetRow | undefined> {
  try {
    yield* list(target, 'GET /budget/list', budgetRow, signal);
  } catch (error) {
    if (isGatewayError(error) && (error.status === 404 || error.status === 405)) return;
    throw error;
  }
}

async function* list<T>(
  target: GatewayTarget,
  operation: GatewayOperation,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): AsyncGenerator<T | undefined> {
  const { origin, pathname } = new URL(target.endpoint);
  const client = new Client(origin, {
    headersTimeout: firstByteMs,
    bodyTimeout: idleMs,
    connect: { timeout: connectMs, ...(target.ca === undefined ? {} : { ca: target.ca }) },
  });
  try {
    const path = pathname.replace(/\/+$/, '') + operation.slice('GET '.length);
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${target.masterKey}`,
      'user-agent': OPERATOR_NAME,
    };
    const response = await client.request({ method: 'GET', path, headers, signal });
    if (response.statusCode !== 200) throw await failure(target, operation, response);
    const elements = new ArrayElements(maxRecordBytes);
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      for (const element of elements.push(piece)) yield schema.safeParse(parseJson(element)).data;
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
