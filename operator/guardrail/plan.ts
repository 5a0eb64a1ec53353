/** Plans the guardrail of an instance: checks its settings, reads its inputs, and reconciles its keys. */
import { annotations, type GatewayInstance, type Guardrail, type GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { guardrailDeployments, ignoreNotFound, isOwnedBy, namesOf } from '../cluster/cluster.ts';
import type { KubeClient, Lister } from '../runtime/runtime.ts';
import {
  type GuardrailKeys,
  keyedDigest,
  keyRevisionOf,
  type KeyRotationDependencies,
  reconcileKeys,
} from './keyRotation.ts';
import { apiKeyOf } from './keys.ts';
import { type GuardrailMode, GuardrailNotReadyError, modeOf } from './basics.ts';
import { activeBefore, type ActiveGuardrail, type Integration, integrationOf, isCalledByGateway } from './paths.ts';
import { readPolicy } from './readPolicy.ts';
import { nextTls, type RunningTls, templateTls } from './runningTls.ts';
import { replicasOf } from './settings.ts';
import {
  mountsConfigMap,
  mountsSecret,
  type ProxyDeployment,
  rolloutOf,
  sidecarUrl,
  templateAnnotation,
} from './sidecar.ts';
import { readStartValues } from './startValues.ts';
import { type GatewayTrust, reconcileTls, type TlsDependencies, type TlsState } from './tls.ts';
import { guardrailServiceUrl, type WorkloadInputs } from './workload.ts';

/** A guardrail that can be deployed, with checked settings and all inputs. */
export interface GuardrailPlan {
  /** The guardrail that the spec requests. */
  readonly wanted: ActiveGuardrail;
  readonly spec: Guardrail;
  readonly inputs: WorkloadInputs;
  /** Digest of the API key that the gateway must send. */
  readonly apiKeyHash: string;
  readonly keys: GuardrailKeys;
  /** The certificates; undefined: the spec requests plain HTTP. */
  readonly tls: TlsState | undefined;
  /** Whether the guardrail keeps an earlier certificate, or plain HTTP, until the gateway can call it with the requested one. */
  readonly isTlsPending: boolean;
  /** Why the guardrail keeps an earlier policy; undefined: it has the policy that the spec requests. */
  readonly keptPolicy: ConditionState<'GuardrailReady'> | undefined;
  /** A sentence on the policy, which the condition ends with; undefined: nothing is to be said. */
  readonly policyNote: string | undefined;
}

/** The dependencies of {@link planGuardrail}. */
export interface PlanDependencies extends KeyRotationDependencies, TlsDependencies {
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
  checkSidecar(spec, mode);
  // Before everything that can fail: a guardrail that keeps its earlier settings must not keep its certificates, which expire.
  const running = spec.tls && (await readRunningTls(dependencies.client, instance));
  const tls = await reconcileTls(dependencies, instance, spec, running);
  checkStore(spec, mode);
  const startValues = await readStartValues(dependencies.client, instance, spec);
  const policy = await readPolicy(dependencies, instance, spec);
  const keys = await reconcileKeys(dependencies, { instance, spec, mode, proxy });
  const isReady = tls === undefined || isGatewayReady(instance, integrationOf(spec), tls.trust, { running, proxy });
  const served = tls && nextTls(tls.workload, running, isReady);
  const [api, guardrail] = [keys.api.keys, keys.guardrail.keys];
  return {
    wanted: {
      mode,
      integration: integrationOf(spec),
      url:
        mode === 'Sidecar'
          ? sidecarUrl(spec)
          : guardrailServiceUrl(instance, spec, served === undefined ? 'http' : 'https'),
    },
    spec,
    inputs: {
      defaultImage: await dependencies.defaultImage(),
      instanceName: `${instance.metadata.namespace}/${instance.metadata.name}`,
      operatorNamespace: dependencies.operatorNamespace,
      policy: policy.text,
      keyRevision: keyRevisionOf({ api, guardrail }),
      configHash: keyedDigest(guardrail, startValues),
      tls: served,
    },
    apiKeyHash: keyedDigest(guardrail, apiKeyOf(api)),
    keys,
    tls,
    isTlsPending: served?.secretName !== tls?.workload.secretName || served?.isMutual !== tls?.workload.isMutual,
    keptPolicy: policy.kept,
    policyNote: policy.note,
  };
}

/** The mode is Sidecar by default where spec.workloadRef is set, so the API server cannot check these. */
function checkSidecar(spec: Guardrail, mode: GuardrailMode): void {
  if (mode !== 'Sidecar') return;
  const unsupported = [
    [spec.tls, 'tls', 'is called within its pod and serves no TLS'],
    [spec.mcp, 'mcp', 'serves no MCP proxy'],
    [spec.restore, 'restore', 'is called within its pod, where no tool can reach it'],
    [spec.metricsTokenSecretRef, 'metricsTokenSecretRef', 'serves no metrics'],
  ] as const;
  for (const [value, field, what] of unsupported) {
    if (value === undefined) continue;
    throw new GuardrailNotReadyError(
      'NotSupported',
      `A sidecar ${what}. Set spec.guardrail.mode to Deployment, or remove spec.guardrail.${field}.`,
    );
  }
}

/** How the guardrail's Deployment serves TLS; undefined: it serves plain HTTP, or does not exist. */
async function readRunningTls(client: KubeClient, instance: GatewayInstance): Promise<RunningTls | undefined> {
  const key = { namespace: instance.metadata.namespace, name: namesOf(instance).guardrail };
  const deployment = await client.get(guardrailDeployments, key).catch(ignoreNotFound);
  if (deployment === undefined || !isOwnedBy(deployment, instance)) return undefined;
  const served = templateTls(deployment);
  return served && { ...served, isRolledOut: rolloutOf(deployment) === 'complete' };
}

/**
 * Whether the gateway can call a guardrail with these certificates: every pod of it has started with them. So can a gateway
 * that the operator does not know, or that calls no guardrail.
 */
function isGatewayReady(
  instance: GatewayInstance,
  integration: Integration,
  trust: GatewayTrust,
  { running, proxy }: { readonly running: RunningTls | undefined; readonly proxy: ProxyDeployment | undefined },
): boolean {
  const before = activeBefore(instance);
  if (before?.mode !== 'Deployment' || proxy === undefined) return true;
  if (!isCalledByGateway(before.integration) || !isCalledByGateway(integration)) return true;
  // The gateway already calls the guardrail by TLS.
  if (running === undefined && before.url.startsWith('https:')) return true;
  // The annotation restarts the gateway. Without it, the pods may have started before the certificates existed.
  const isCurrent = templateAnnotation(proxy, annotations.trustHash) === trust.digest;
  return trusts(proxy, trust) && isCurrent && rolloutOf(proxy) === 'complete';
}

/** Whether the gateway mounts what it needs to call the guardrail by TLS. */
export function trusts(proxy: ProxyDeployment, { configMap, clientSecret }: GatewayTrust): boolean {
  return (
    (configMap === undefined || mountsConfigMap(proxy, configMap)) &&
    (clientSecret === undefined || mountsSecret(proxy, clientSecret))
  );
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
