import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { finished } from 'node:stream/promises';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { GuardrailEndpoint } from '../guardrail/guardrail.ts';

/**
 * Returns the guardrail processes that store the sessions of an instance's customers: every pod if the store is in
 * memory, one pod if it is shared, none if the instance has no guardrail. Throws if they are unknown.
 */
export type GuardrailEndpoints = (instance: GatewayInstance) => Promise<readonly GuardrailEndpoint[]>;

/** An erasure failed. The message contains no value of the customer. */
export class ErasureError extends Error {
  override readonly name = 'ErasureError';
}

const timeoutMs = 10_000;

/**
 * Erases every session of an end user at every endpoint. Idempotent.
 * @throws ErasureError unless every endpoint has confirmed.
 */
export async function eraseSessions(
  endpoints: readonly GuardrailEndpoint[],
  endUserId: string,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(endpoints.map((endpoint) => eraseAt(endpoint, endUserId, signal)));
}

async function eraseAt(endpoint: GuardrailEndpoint, endUserId: string, signal: AbortSignal): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { tenant } = endpoint;
  const body = JSON.stringify({ end_user_id: endUserId, ...(tenant === undefined ? {} : { tenant }) });
  const status = await post(endpoint, body, deadline).catch(() => undefined);
  if (status !== undefined && status >= 200 && status <= 299) return;
  throw new ErasureError(
    status === undefined
      ? 'The sessions of this customer cannot be erased: a guardrail pod is unreachable.'
      : `The sessions of this customer cannot be erased: a guardrail pod returned ${status}.`,
  );
}

/** @returns the status of the response */
async function post(endpoint: GuardrailEndpoint, body: string, signal: AbortSignal): Promise<number | undefined> {
  const connection = await endpoint.connect?.();
  try {
    const call = request(`${endpoint.url.replace(/\/+$/, '')}/subjects/erase`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-api-key': endpoint.apiKey,
        connection: 'close',
      },
      signal,
      ...(connection === undefined ? {} : { createConnection: () => connection }),
    });
    call.end(body);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    await finished(response.resume());
    return response.statusCode;
  } finally {
    connection?.destroy();
  }
}
