/**
 * The guardrail of an instance, from what is asked for to what runs: checks the settings, keeps the keys, runs the
 * workload. What is broken in the settings becomes a finding, and what runs stays as it is.
 */
import { createHmac } from 'node:crypto';
import { request } from 'undici';
import type { GatewayInstance, Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { policyProblem } from '../configuration/configuration.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { keyText } from '../runtime/runtime.ts';
import { namesOf, NameTakenError, noneIfNotFound, ownDeployments, readText, secrets } from '../cluster/cluster.ts';
import type { WorkloadInputs } from './workload.ts';
import { guardrailServiceUrl } from './workload.ts';
import type { Advance, KeySecret, Readers } from './keys.ts';
import {
  advanceApiKeys,
  advanceEncryptionKeys,
  apiKeyOf,
  completeApiKeys,
  completeOwnKeys,
  isAccepting,
  newestApiKeyOf,
  revisionOf,
} from './keys.ts';
import type { StoredKeys } from './keySecrets.ts';
import { ensureKeys, writeKeys } from './keySecrets.ts';
import { files, replicasOf } from './settings.ts';
import type { ProxyDeployment } from './sidecar.ts';
import { rolloutOf, sidecarUrl, templateAnnotation } from './sidecar.ts';
import type { ConditionState } from '../conditions/conditions.ts';

/** How a guardrail runs. */
export type GuardrailMode = 'Sidecar' | 'Deployment';

/** What the guardrail is made from, all of it checked and read. */
export interface GuardrailPlan {
  readonly mode: GuardrailMode;
  readonly spec: Guardrail;
  readonly inputs: WorkloadInputs;
  /** Where the gateway calls it once it runs. */
  readonly url: string;
  /** Digest of the API key that the gateway shall send. */
  readonly apiKeyHash: string;
  /** The keys' Secrets as they are now. */
  readonly keys: GuardrailKeys;
}

/** The keys, and what became of a rotation in this reconcile. */
export interface GuardrailKeys {
  readonly api: StoredKeys;
  readonly own: StoredKeys;
  readonly underWay: boolean;
  readonly finished: { readonly api: boolean; readonly encryption: boolean };
}

/** The settings cannot be carried out. What runs is to be left as it is. */
export class GuardrailFault extends Error {
  override readonly name = 'GuardrailFault';
  readonly finding: ConditionState<'GuardrailReady'>;

  constructor(reason: ConditionState<'GuardrailReady'>['reason'], message: string) {
    super(message);
    this.finding = { status: 'False', reason, message };
  }
}

/** What {@link planGuardrail} works with. */
export interface GuardrailParts {
  readonly client: KubeClient;
  /** What runs where the instance names no image. */
  readonly defaultImage: () => Promise<string>;
  /** The operator's own namespace; undefined where it runs outside the cluster. */
  readonly operatorNamespace: string | undefined;
  readonly now: () => Date;
  /** Where a Service is reached from here. Default: at its own name. */
  readonly resolve: (url: string) => string;
}

/** How long pods that are being replaced may live on beyond what their template says, in milliseconds. */
const SLACK_MS = 5_000;
const PROBE_TIMEOUT_MS = 5_000;

/** The mode that the spec asks for, or that follows from it. */
export function modeOf(instance: GatewayInstance, spec: Guardrail): GuardrailMode {
  return spec.mode ?? (instance.spec.workloadRef === undefined ? 'Deployment' : 'Sidecar');
}

/**
 * Checks what is asked for, reads what it is made from, and takes the next step of a rotation of keys.
 * @param proxy the gateway's own Deployment, where it is known and there
 * @throws GuardrailFault where the settings cannot be carried out; ApiError
 */
export async function planGuardrail(
  parts: GuardrailParts,
  instance: GatewayInstance,
  spec: Guardrail,
  proxy: ProxyDeployment | undefined,
): Promise<GuardrailPlan> {
  const mode = modeOf(instance, spec);
  checkStore(spec, mode);
  const redis = await readRedisAddress(parts.client, instance, spec);
  const policy = await readPolicy(parts.client, instance, spec);
  const keys = await keepKeys(parts, instance, spec, mode, proxy);
  const { own, api } = { own: keys.own.keys, api: keys.api.keys };
  return {
    mode,
    spec,
    inputs: {
      defaultImage: await parts.defaultImage(),
      operatorNamespace: parts.operatorNamespace,
      policy,
      keyRevision: keyRevisionOf(api, own),
      // The address of Redis is read from its Secret at start; the files are followed while the guardrail runs.
      configHash: digest(own, redis ?? ''),
    },
    url: mode === 'Sidecar' ? sidecarUrl(spec) : guardrailServiceUrl(instance, spec),
    apiKeyHash: digest(own, apiKeyOf(api)),
    keys,
  };
}

function checkStore(spec: Guardrail, mode: GuardrailMode): void {
  if (spec.redis !== undefined || mode === 'Sidecar') return;
  if (spec.autoscaling !== undefined) {
    throw new GuardrailFault(
      'RedisRequired',
      'An autoscaler needs a store that all pods share: set spec.guardrail.redis, or remove spec.guardrail.autoscaling.',
    );
  }
  if (replicasOf(spec) > 1) {
    throw new GuardrailFault(
      'RedisRequired',
      `${replicasOf(spec)} replicas need a store that all pods share: set spec.guardrail.redis, or set spec.guardrail.replicas to 1.`,
    );
  }
}

async function readRedisAddress(
  client: KubeClient,
  instance: GatewayInstance,
  spec: Guardrail,
): Promise<string | undefined> {
  const ref = spec.redis?.urlSecretRef;
  if (ref === undefined) return undefined;
  const { namespace } = instance.metadata;
  const secret = await client.get(secrets, { namespace, name: ref.name }).catch(noneIfNotFound);
  const address = Buffer.from(secret?.data?.[ref.key] ?? '', 'base64')
    .toString('utf8')
    .trim();
  if (address !== '') return address;
  throw new GuardrailFault(
    'RedisSecretMissing',
    secret === undefined
      ? `There is no Secret ${ref.name} in namespace ${namespace}: create it, or correct spec.guardrail.redis.urlSecretRef.name.`
      : `Secret ${ref.name} has no value under ${ref.key}: add it, or correct spec.guardrail.redis.urlSecretRef.key.`,
  );
}

async function readPolicy(client: KubeClient, instance: GatewayInstance, spec: Guardrail): Promise<string | undefined> {
  if (spec.policy === undefined) return undefined;
  const text = await readText(client, instance, spec.policy);
  if (text === undefined) {
    throw new GuardrailFault(
      'PolicyNotFound',
      `ConfigMap ${spec.policy.configMapRef?.name ?? ''} with key ${spec.policy.configMapRef?.key ?? ''} is not there: create it, or correct spec.guardrail.policy.configMapRef.`,
    );
  }
  const problem = await policyProblem(keyText(instance.metadata), text);
  if (problem !== undefined) throw new GuardrailFault('PolicyInvalid', problem);
  return text;
}

/** Makes sure that there are keys, and takes the next step of a rotation that was asked for. */
async function keepKeys(
  parts: GuardrailParts,
  instance: GatewayInstance,
  spec: Guardrail,
  mode: GuardrailMode,
  proxy: ProxyDeployment | undefined,
): Promise<GuardrailKeys> {
  const { client } = parts;
  const names = namesOf(instance);
  try {
    let own = await ensureKeys(client, instance, names.keySecret, completeOwnKeys);
    let api = await ensureKeys(client, instance, names.apiKeySecret, completeApiKeys);
    const observed = await observeReaders(parts, instance, spec, mode, proxy, { api: api.keys, own: own.keys });
    const requested = instance.metadata.annotations ?? {};
    const encryption = advanceEncryptionKeys(own.keys, requested[annotations.rotateEncryptionKey], observed.encryption);
    const apiKeys = advanceApiKeys(api.keys, requested[annotations.rotateApiKey], observed.api);
    own = await written(own, encryption);
    api = await written(api, apiKeys);
    return {
      own,
      api,
      underWay: encryption.underWay || apiKeys.underWay,
      finished: { encryption: encryption.finished, api: apiKeys.finished },
    };
  } catch (error) {
    if (error instanceof NameTakenError) throw new GuardrailFault('NameTaken', error.message);
    throw error;
  }

  async function written(stored: StoredKeys, advance: Advance): Promise<StoredKeys> {
    return advance.changed ? writeKeys(client, instance, stored, advance.secret) : stored;
  }
}

/** Who has read which keys, from what the Deployments tell. */
async function observeReaders(
  parts: GuardrailParts,
  instance: GatewayInstance,
  spec: Guardrail,
  mode: GuardrailMode,
  proxy: ProxyDeployment | undefined,
  keys: { readonly api: KeySecret; readonly own: KeySecret },
): Promise<{ readonly api: Readers; readonly encryption: Readers }> {
  const revision = keyRevisionOf(keys.api, keys.own);
  const hasRolledTo = (deployment: ProxyDeployment | undefined, annotation: string, value: string): boolean =>
    deployment !== undefined &&
    templateAnnotation(deployment, annotation) === value &&
    rolloutOf(deployment) === 'complete';
  const graceSeconds = proxy?.spec?.template.spec?.terminationGracePeriodSeconds ?? 30;
  const common = {
    gatewayHasRolled:
      instance.spec.workloadRef === undefined
        ? undefined
        : hasRolledTo(proxy, annotations.apiKeyHash, digest(keys.own, apiKeyOf(keys.api))),
    graceMs: graceSeconds * 1000 + SLACK_MS,
    now: parts.now(),
  };
  if (mode === 'Sidecar') {
    return {
      // A pod's gateway and sidecar start together, each with what the Secret holds then; old pods know the old key.
      api: { ...common, guardrailsHaveRead: true },
      encryption: { ...common, guardrailsHaveRead: hasRolledTo(proxy, annotations.keyRevision, revision) },
    };
  }
  if (spec.redis === undefined) {
    return {
      api: {
        ...common,
        guardrailsHaveRead: isAccepting(keys.api) && (await takesKey(parts, instance, spec, newestApiKeyOf(keys.api))),
      },
      // Nothing is at rest.
      encryption: { ...common, guardrailsHaveRead: true },
    };
  }
  const key = { namespace: instance.metadata.namespace, name: namesOf(instance).guardrail };
  const own = await parts.client.get(ownDeployments, key).catch(noneIfNotFound);
  const guardrailsHaveRead = hasRolledTo(own, annotations.keyRevision, revision);
  return { api: { ...common, guardrailsHaveRead }, encryption: { ...common, guardrailsHaveRead } };
}

/** Whether the one guardrail pod takes a key already. */
async function takesKey(
  { resolve }: GuardrailParts,
  instance: GatewayInstance,
  spec: Guardrail,
  apiKey: string,
): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${resolve(guardrailServiceUrl(instance, spec))}/sessions/none`, {
      headers: { 'x-api-key': apiKey },
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await body.dump();
    return statusCode !== 401 && statusCode < 500;
  } catch {
    // Not reachable now: asked again in the next reconcile.
    return false;
  }
}

/** A digest that tells values apart and nothing else: what it is of may be short, such as a password in an address. */
function digest(own: KeySecret, text: string): string {
  return createHmac('sha256', own.data[files.sessionKey] ?? '')
    .update(text)
    .digest('hex')
    .slice(0, 16);
}

function keyRevisionOf(api: KeySecret, own: KeySecret): string {
  return `${revisionOf(api)}.${revisionOf(own)}`;
}
