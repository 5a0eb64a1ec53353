/** The observed and the desired state of an instance's proxy: the gateway's Deployment and its configuration. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { configMaps, ignoreNotFound, isOwnedBy, proxyDeployments } from '../cluster/cluster.ts';
import type { BudgetSettings } from '../configuration/configuration.ts';
import type { GatewayTrust, ProxyDeployment, Sidecar } from '../guardrail/guardrail.ts';
import { rolloutOf, templateAnnotation } from '../guardrail/guardrail.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { configHashOf, configKeyOf } from './configKey.ts';

/** The proxy as read from the API server. */
export interface ObservedProxy {
  /** undefined: the spec names no Deployment; `missing`: the named Deployment does not exist. */
  readonly deployment: ProxyDeployment | 'missing' | undefined;
  /** The settings in the configuration that the operator has written. */
  readonly configured: {
    readonly guardrailUrl: string | undefined;
    readonly budgetId: string | undefined;
    /** Digest of the configuration; undefined: the operator has not written any. */
    readonly hash: string | undefined;
  };
}

/** The desired settings of the gateway. */
export interface DesiredProxy {
  readonly budget: BudgetSettings | undefined;
  /** The address of the guardrail that the gateway must call; undefined: it must call none. */
  readonly callback: string | undefined;
  /** Digest of the API key that the gateway needs for these calls; undefined: it needs none. */
  readonly apiKeyHash: string | undefined;
  /** What the gateway needs to call the guardrail by TLS; undefined: nothing. */
  readonly trust: GatewayTrust | undefined;
  /** The sidecar of the gateway's pods; undefined: none. */
  readonly sidecar: Sidecar | undefined;
  /** Whether the operator's part of the Deployment is not changed, because the guardrail cannot be deployed. */
  readonly frozen: boolean;
}

/**
 * The address of the guardrail that every pod of the gateway calls, as far as the operator knows: without a Deployment, it
 * knows only the configuration. undefined: some pod may call no guardrail, or another one.
 */
export function calledUrl({ deployment, configured }: ObservedProxy): string | undefined {
  if (deployment === 'missing') return undefined;
  const isRolledOut =
    deployment === undefined ||
    (rolloutOf(deployment) === 'complete' &&
      templateAnnotation(deployment, annotations.configHash) === configured.hash);
  return isRolledOut ? configured.guardrailUrl : undefined;
}

/** Reads the gateway's Deployment and the configuration that the operator has written for it. */
export async function observeProxy(client: KubeClient, instance: GatewayInstance): Promise<ObservedProxy> {
  const { namespace } = instance.metadata;
  const { workloadRef, proxyConfig } = instance.spec;
  const [deployment, configMap] = await Promise.all([
    workloadRef === undefined
      ? undefined
      : client.get(proxyDeployments, { namespace, name: workloadRef.name }).catch(ignoreNotFound),
    proxyConfig === undefined
      ? undefined
      : client.get(configMaps, { namespace, name: proxyConfig.configMapName }).catch(ignoreNotFound),
  ]);
  const isOwned = configMap !== undefined && isOwnedBy(configMap, instance);
  const text = proxyConfig === undefined ? undefined : configMap?.data?.[configKeyOf(proxyConfig)];
  const recorded = isOwned ? (configMap.metadata.annotations ?? {}) : {};
  return {
    deployment: workloadRef === undefined ? undefined : (deployment ?? 'missing'),
    configured: {
      guardrailUrl: recorded[annotations.guardrailEndpoint],
      budgetId: recorded[annotations.defaultBudgetId],
      hash: isOwned && text !== undefined ? configHashOf(text) : undefined,
    },
  };
}
