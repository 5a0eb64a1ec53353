/** Plans the guardrail of an instance: checks its settings, reads its inputs, and reconciles its keys. */
import type { GatewayInstance, Guardrail, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { ignoreNotFound, secrets, secretValue } from '../cluster/cluster.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import type { KubeClient, Lister } from '../runtime/runtime.ts';
import type { GuardrailKeys, KeyRotationDependencies } from './keyRotation.ts';
import { keyedDigest, keyRevisionOf, reconcileKeys } from './keyRotation.ts';
import { apiKeyOf } from './keys.ts';
import type { GuardrailMode } from './mode.ts';
import { modeOf } from './mode.ts';
import { GuardrailNotReadyError } from './notReadyError.ts';
import type { ActiveGuardrail } from './paths.ts';
import { integrationOf } from './paths.ts';
import { readPolicy } from './readPolicy.ts';
import { replicasOf } from './settings.ts';
import type { ProxyDeployment } from './sidecar.ts';
import { sidecarUrl } from './sidecar.ts';
import type { WorkloadInputs } from './workload.ts';
import { guardrailServiceUrl } from './workload.ts';

/** A guardrail that can be deployed, with checked settings and all inputs. */
export interface GuardrailPlan {
  /** The guardrail that the spec requests. */
  readonly wanted: ActiveGuardrail;
  readonly spec: Guardrail;
  readonly inputs: WorkloadInputs;
  /** Digest of the API key that the gateway must send. */
  readonly apiKeyHash: string;
  readonly keys: GuardrailKeys;
  /** Why the guardrail keeps an earlier policy; undefined: it has the policy that the spec requests. */
  readonly keptPolicy: ConditionState<'GuardrailReady'> | undefined;
  /** A sentence on the policy, which the condition ends with; undefined: nothing is to be said. */
  readonly policyNote: string | undefined;
}

/** The dependencies of {@link planGuardrail}. */
export interface PlanDependencies extends KeyRotationDependencies {
  /** The default image of guardrails. */
  readonly defaultImage: () => Promise<string>;
  /** The operator's own namespace; undefined if the operator runs outside the cluster. */
  readonly operatorNamespace: string | undefined;
  readonly policies: Pick<Lister<GuardrailPolicy>, 'get'>;
}

/**
 * Plans the guardrail of an instance.
 * @param proxy the gateway's own Deployment if it is known and exists
 * @throws GuardrailNotReadyError if the settings are invalid or an input is missing; ApiError
 */
export async function planGuardrail(
  dependencies: PlanDependencies,
  instance: GatewayInstance,
  spec: Guardrail,
  proxy: ProxyDeployment | undefined,
): Promise<GuardrailPlan> {
  const mode = modeOf(instance, spec);
  checkStore(spec, mode);
  const redis = await readRedisAddress(dependencies.client, instance, spec);
  const policy = await readPolicy(dependencies, instance, spec);
  const keys = await reconcileKeys(dependencies, { instance, spec, mode, proxy });
  const [api, guardrail] = [keys.api.keys, keys.guardrail.keys];
  return {
    wanted: {
      mode,
      integration: integrationOf(spec),
      url: mode === 'Sidecar' ? sidecarUrl(spec) : guardrailServiceUrl(instance, spec),
    },
    spec,
    inputs: {
      defaultImage: await dependencies.defaultImage(),
      operatorNamespace: dependencies.operatorNamespace,
      policy: policy.text,
      keyRevision: keyRevisionOf({ api, guardrail }),
      // The guardrail reads the address of Redis only when it starts. It reloads its files while it runs.
      configHash: keyedDigest(guardrail, redis ?? ''),
    },
    apiKeyHash: keyedDigest(guardrail, apiKeyOf(api)),
    keys,
    keptPolicy: policy.kept,
    policyNote: policy.note,
  };
}

function checkStore(spec: Guardrail, mode: GuardrailMode): void {
  if (spec.redis !== undefined || mode === 'Sidecar') return;
  if (spec.autoscaling !== undefined) {
    throw new GuardrailNotReadyError(
      'RedisRequired',
      'An autoscaled guardrail needs a store that all pods share. Set spec.guardrail.redis, or remove spec.guardrail.autoscaling.',
    );
  }
  if (replicasOf(spec) > 1) {
    throw new GuardrailNotReadyError(
      'RedisRequired',
      `A guardrail with ${replicasOf(spec)} replicas needs a store that all pods share. Set spec.guardrail.redis, or set spec.guardrail.replicas to 1.`,
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
  const secret = await client.get(secrets, { namespace, name: ref.name }).catch(ignoreNotFound);
  const address = secret === undefined ? undefined : secretValue(secret, ref.key);
  if (address !== undefined) return address;
  throw new GuardrailNotReadyError(
    'RedisSecretMissing',
    secret === undefined
      ? `Secret ${ref.name} does not exist in namespace ${namespace}. Create it, or correct spec.guardrail.redis.urlSecretRef.name.`
      : `Secret ${ref.name} has no value under key ${ref.key}. Add the value, or correct spec.guardrail.redis.urlSecretRef.key.`,
  );
}
