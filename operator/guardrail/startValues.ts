/** Reads the values of Secrets that the guardrail reads only when it starts. It reloads its files while it runs. */
import { parseBearerToken } from '../../guardrail/guardrail.ts';
import type { GatewayInstance, Guardrail, SecretKeyRef } from '../api/v1alpha1/v1alpha1.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { GuardrailNotReadyError, readSecret } from './basics.ts';

type Client = Pick<KubeClient, 'get'>;

/**
 * @returns all values as one text: if it changes, the pods must be replaced
 * @throws GuardrailNotReadyError if a Secret is missing without which the pods cannot start; ApiError
 */
export async function readStartValues(client: Client, instance: GatewayInstance, spec: Guardrail): Promise<string> {
  const redis = await readRedisAddress(client, instance, spec);
  const headers = await readTelemetryHeaders(client, instance, spec);
  const token = await readMetricsToken(client, instance, spec);
  return JSON.stringify([redis, headers, token]);
}

async function readRedisAddress(
  client: Client,
  instance: GatewayInstance,
  { redis }: Guardrail,
): Promise<string | undefined> {
  if (redis === undefined) return undefined;
  const field = 'spec.guardrail.redis.urlSecretRef';
  return await readRequired(client, instance, { ref: redis.urlSecretRef, field, reason: 'RedisSecretMissing' });
}

/** The headers of exports. undefined: there are none, or they do not exist yet. */
async function readTelemetryHeaders(
  client: Client,
  instance: GatewayInstance,
  { telemetry }: Guardrail,
): Promise<string | undefined> {
  const ref = telemetry?.headersSecretRef;
  return ref && (await readSecret(client, instance, ref)).value;
}

async function readMetricsToken(
  client: Client,
  instance: GatewayInstance,
  { metricsTokenSecretRef: ref }: Guardrail,
): Promise<string | undefined> {
  if (ref === undefined) return undefined;
  const field = 'spec.guardrail.metricsTokenSecretRef';
  const value = await readRequired(client, instance, { ref, field, reason: 'MetricsSecretMissing' });
  try {
    return parseBearerToken(value);
  } catch (error) {
    throw new GuardrailNotReadyError(
      'MetricsSecretInvalid',
      `The value under key ${ref.key} of Secret ${ref.name} ${(error as Error).message}. Correct it, or remove ${field}.`,
    );
  }
}

/** A reference to a value without which the pods cannot start. */
interface Required {
  readonly ref: SecretKeyRef;
  readonly field: string;
  readonly reason: 'RedisSecretMissing' | 'MetricsSecretMissing';
}

async function readRequired(
  client: Client,
  instance: GatewayInstance,
  { ref, field, reason }: Required,
): Promise<string> {
  const { exists, value } = await readSecret(client, instance, ref);
  if (value !== undefined) return value;
  throw new GuardrailNotReadyError(
    reason,
    !exists
      ? `Secret ${ref.name} does not exist in namespace ${instance.metadata.namespace}. Create it, or correct ${field}.name.`
      : `Secret ${ref.name} has no value under key ${ref.key}. Add the value, or correct ${field}.key.`,
  );
}
