import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { callGuardrail, type GuardrailEndpoint } from '../guardrail/guardrail.ts';

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
  const body = { end_user_id: endUserId, ...(tenant === undefined ? {} : { tenant }) };
  const answer = await callGuardrail(endpoint, {
    method: 'POST',
    path: '/subjects/erase',
    body,
    signal: deadline,
  }).catch(() => undefined);
  const status = answer?.status;
  if (status !== undefined && status >= 200 && status <= 299) return;
  throw new ErasureError(
    status === undefined
      ? 'The sessions of this customer cannot be erased: a guardrail pod is unreachable.'
      : `The sessions of this customer cannot be erased: a guardrail pod returned ${status}.`,
  );
}
