import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { finished } from 'node:stream/promises';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { GuardrailEndpoint } from '../guardrail/guardrail.ts';

export type { GuardrailEndpoint };

/**
 * Where the sessions of an instance's customers are: every guardrail pod where the store is in memory, any one of them
 * where it is shared. Empty where the instance has no guardrail. Throws where it cannot be told now.
 */
export type GuardrailEndpoints = (instance: GatewayInstance) => Promise<readonly GuardrailEndpoint[]>;

/** Sessions could not be erased now. The message holds no value of the customer. */
export class ErasureError extends Error {
  override readonly name = 'ErasureError';
}

const timeoutMs = 10_000;

/**
 * Erases every session of an end user at every endpoint; repeating it does no harm.
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
  const status = await post(endpoint, JSON.stringify({ end_user_id: endUserId }), deadline).catch(() => undefined);
  if (status !== undefined && status >= 200 && status <= 299) return;
  throw new ErasureError(
    status === undefined
      ? 'A guardrail pod cannot be reached to erase the sessions of this customer.'
      : `A guardrail pod refused to erase the sessions of this customer (${status}).`,
  );
}

/** @returns the status of the answer */
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
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    await finished(answer.resume());
    return answer.statusCode;
  } finally {
    connection?.destroy();
  }
}
