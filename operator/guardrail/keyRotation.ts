/**
 * Manages the guardrail's keys in the cluster: creates their Secrets, and performs the next step of a requested
 * rotation.
 */
import { createHmac } from 'node:crypto';
import { annotations, type GatewayInstance, type Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { guardrailDeployments, ignoreNotFound, isOwnedBy, namesOf, NameTakenError } from '../cluster/cluster.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { callGuardrail } from './callGuardrail.ts';
import { readEndpointTls } from './endpointTls.ts';
import {
  apiKeyOf,
  completeApiKeys,
  completeGuardrailKeys,
  isAccepting,
  type KeyPropagation,
  type KeySecret,
  newestApiKeyOf,
  revisionOf,
  rotateApiKeys,
  rotateEncryptionKeys,
  type RotationStep,
} from './keys.ts';
import { ensureKeySecret, type StoredKeySecret, updateKeySecret } from './keySecrets.ts';
import { type GuardrailMode, GuardrailNotReadyError } from './basics.ts';
import { activeBefore, integrationOf, isCalledByGateway } from './paths.ts';
import { completeRestoreKeys, hasRevokedKeys, startedPods } from './restoreKeys.ts';
import { files } from './settings.ts';
import { type ProxyDeployment, rolloutOf, templateAnnotation } from './sidecar.ts';
import { guardrailServiceUrl } from './workload.ts';

/** The dependencies of {@link reconcileKeys}. */
export interface KeyRotationDependencies {
  readonly client: KubeClient;
  readonly now: () => Date;
  /** Maps the URL of a Service to the URL that the operator calls. Default: the same URL. */
  readonly resolve: (url: string) => string;
}

/** The guardrail whose keys are reconciled. */
export interface KeyOwner {
  readonly instance: GatewayInstance;
  readonly spec: Guardrail;
  readonly mode: GuardrailMode;
  /** The gateway's own Deployment if it is known and exists. */
  readonly proxy: ProxyDeployment | undefined;
}

/** The Secrets with the keys, after this reconcile. */
export interface GuardrailKeys {
  readonly api: StoredKeySecret;
  readonly guardrail: StoredKeySecret;
  /** Whether a rotation is in progress, or a pod may still start with a removed tool. */
  readonly inProgress: boolean;
  /** The rotations that this reconcile has completed. */
  readonly finished: { readonly api: boolean; readonly encryption: boolean };
}

/** How long replaced pods may run after their grace period, in milliseconds. */
const SLACK_MS = 5_000;
const PROBE_TIMEOUT_MS = 5_000;

/**
 * Creates the keys if they are missing, and performs the next step of a requested rotation.
 * @throws GuardrailNotReadyError if a Secret with the name belongs to another owner; ApiError
 */
export async function reconcileKeys(dependencies: KeyRotationDependencies, owner: KeyOwner): Promise<GuardrailKeys> {
  const { client } = dependencies;
  const { instance } = owner;
  const names = namesOf(instance);
  try {
    const guardrail = await ensureKeySecret(client, instance, names.keySecret, completeGuardrailKeys);
    const tools = (owner.spec.restore ?? []).map(({ name }) => name);
    const key = { namespace: instance.metadata.namespace, name: names.guardrail };
    const deployment = await client.get(guardrailDeployments, key).catch(ignoreNotFound);
    const pods = startedPods(deployment !== undefined && isOwnedBy(deployment, instance) ? deployment : undefined);
    const api = await ensureKeySecret(client, instance, names.apiKeySecret, (secret) =>
      completeRestoreKeys(completeApiKeys(secret), tools, pods),
    );
    const propagation = await observePropagation(
      dependencies,
      owner,
      { api: api.keys, guardrail: guardrail.keys },
      deployment,
    );
    const requested = instance.metadata.annotations ?? {};
    const encryptionStep = rotateEncryptionKeys(
      guardrail.keys,
      requested[annotations.rotateEncryptionKey],
      propagation.encryption,
    );
    const apiStep = rotateApiKeys(api.keys, requested[annotations.rotateApiKey], propagation.api);
    return {
      guardrail: await writeStep(client, instance, guardrail, encryptionStep),
      api: await writeStep(client, instance, api, apiStep),
      inProgress: encryptionStep.inProgress || apiStep.inProgress || hasRevokedKeys(api.keys),
      finished: { encryption: encryptionStep.finished, api: apiStep.finished },
    };
  } catch (error) {
    if (error instanceof NameTakenError) throw new GuardrailNotReadyError('NameTaken', error.message);
    throw error;
  }
}

async function writeStep(
  client: KubeClient,
  instance: GatewayInstance,
  stored: StoredKeySecret,
  step: RotationStep,
): Promise<StoredKeySecret> {
  return step.changed ? await updateKeySecret(client, instance, stored, step.secret) : stored;
}

interface Keys {
  readonly api: KeySecret;
  readonly guardrail: KeySecret;
}

/**
 * The keys that pods use, according to the Deployments.
 * @param deployment the Deployment of the guardrail; undefined: there is none
 */
async function observePropagation(
  dependencies: KeyRotationDependencies,
  owner: KeyOwner,
  keys: Keys,
  deployment: ProxyDeployment | undefined,
): Promise<{ readonly api: KeyPropagation; readonly encryption: KeyPropagation }> {
  const { spec, mode, proxy } = owner;
  const graceSeconds = proxy?.spec?.template.spec?.terminationGracePeriodSeconds ?? 30;
  const common = {
    gatewayHasKey: gatewayHasKey(owner, keys),
    graceMs: graceSeconds * 1000 + SLACK_MS,
    now: dependencies.now(),
  };
  const revision = keyRevisionOf(keys);
  if (mode === 'Sidecar') {
    return {
      // The gateway and the sidecar of a pod start together and read the same Secret, so older pods have the old key.
      api: { ...common, guardrailsHaveKey: true },
      encryption: { ...common, guardrailsHaveKey: isRolledOut(proxy, annotations.keyRevision, revision) },
    };
  }
  if (spec.redis === undefined) {
    const guardrailsHaveKey =
      isAccepting(keys.api) && (await acceptsKey(dependencies, owner, newestApiKeyOf(keys.api)));
    // A store in memory does not use encryption keys.
    return { api: { ...common, guardrailsHaveKey }, encryption: { ...common, guardrailsHaveKey: true } };
  }
  const guardrailsHaveKey = isRolledOut(deployment, annotations.keyRevision, revision);
  return { api: { ...common, guardrailsHaveKey }, encryption: { ...common, guardrailsHaveKey } };
}

function gatewayHasKey({ instance, spec, proxy }: KeyOwner, keys: Keys): boolean | undefined {
  // A gateway that does not call the guardrail sends no key. The operator reads the current one for each call.
  const [wanted, active] = [integrationOf(spec), activeBefore(instance)?.integration];
  if (active !== undefined && ![wanted, active].some(isCalledByGateway)) return true;
  if (instance.spec.workloadRef === undefined) return undefined;
  return isRolledOut(proxy, annotations.apiKeyHash, keyedDigest(keys.guardrail, apiKeyOf(keys.api)));
}

/** Whether every pod of a Deployment runs with a template that has this annotation. */
function isRolledOut(deployment: ProxyDeployment | undefined, annotation: string, value: string): boolean {
  return (
    deployment !== undefined &&
    templateAnnotation(deployment, annotation) === value &&
    rolloutOf(deployment) === 'complete'
  );
}

/** Whether the single guardrail pod of an in-memory store accepts a key. */
async function acceptsKey(
  { client, resolve }: KeyRotationDependencies,
  { instance, spec }: KeyOwner,
  apiKey: string,
): Promise<boolean> {
  try {
    const before = activeBefore(instance);
    // While TLS is switched on or off, the pod still serves what the status says.
    const url = before?.mode === 'Deployment' ? before.url : guardrailServiceUrl(instance, spec);
    const tls = await readEndpointTls(client, instance, url);
    const { status } = await callGuardrail(
      { url: resolve(url), apiKey, tls },
      { method: 'GET', path: '/sessions/none', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) },
    );
    return status !== 401 && status < 500;
  } catch {
    // The pod is unreachable. The next reconcile asks again.
    return false;
  }
}

/** A keyed digest, which reveals nothing about a short text such as a password in an address. */
export function keyedDigest(guardrailKeys: KeySecret, text: string): string {
  return createHmac('sha256', guardrailKeys.data[files.sessionKey] ?? '')
    .update(text)
    .digest('hex')
    .slice(0, 16);
}

/** The revision of all keys that pods must have read. */
export function keyRevisionOf({ api, guardrail }: Keys): string {
  return `${revisionOf(api)}.${revisionOf(guardrail)}`;
}
