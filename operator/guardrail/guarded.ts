/**
 * The objects of the integration Inline: the Service that applications call, and the NetworkPolicy that closes the
 * gateway's own port. Pure.
 */
import type { V1LabelSelector, V1Service } from '@kubernetes/client-node';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import {
  GUARDED_LABEL,
  instanceLabelOf,
  MANAGED_BY,
  namesOf,
  networkPolicies,
  type OwnedObject,
  selectorOf,
  services,
} from '../cluster/cluster.ts';
import type { AsJson } from '../runtime/runtime.ts';
import { ownedChild } from './basics.ts';
import { INLINE_PORT } from './settings.ts';

/**
 * The address that applications call.
 * @param url the address of the API of the guardrail that they call
 */
export function guardedUrl(instance: GatewayInstance, url: string): string {
  return `${url.startsWith('https:') ? 'https' : 'http'}://${namesOf(instance).guarded}.${instance.metadata.namespace}.svc:${INLINE_PORT}`;
}

/**
 * The Service that applications call. It leads to pods that take their calls: a label tells the gateway's pods that have
 * such a sidecar from those of a rollout that have none.
 * @param target the port of the sidecars; `Deployment`: the pods of the guardrail's own Deployment
 */
export function guardedService(instance: GatewayInstance, target: number | 'Deployment'): OwnedObject {
  return ownedChild<V1Service>(instance, services, namesOf(instance).guarded, {
    spec: {
      type: 'ClusterIP',
      selector: target === 'Deployment' ? selectorOf(instance) : guardedLabels(instance),
      ports: [
        { name: 'http', port: INLINE_PORT, targetPort: target === 'Deployment' ? 'inline' : target, protocol: 'TCP' },
      ],
    },
  });
}

/** The labels of the gateway's pods whose sidecar takes calls of applications. */
export function guardedLabels({ metadata }: GatewayInstance): Record<string, string> {
  return { [GUARDED_LABEL]: instanceLabelOf(metadata.name) };
}

/** The inputs of {@link exclusivePolicy}. */
export interface ExclusiveInputs {
  /** Selects the gateway's pods. */
  readonly pods: AsJson<V1LabelSelector>;
  /** The gateway's own port. */
  readonly gatewayPort: number;
  /** Whether a guardrail outside of these pods forwards calls to the gateway. */
  readonly hasForwarder: boolean;
  readonly operatorNamespace: string | undefined;
}

/** The NetworkPolicy that closes the gateway's own port to applications. All other ports stay open. */
export function exclusivePolicy(instance: GatewayInstance, inputs: ExclusiveInputs): OwnedObject {
  const { pods, gatewayPort, hasForwarder, operatorNamespace } = inputs;
  const from = [
    ...operatorPeers(operatorNamespace),
    ...(hasForwarder ? [{ podSelector: { matchLabels: selectorOf(instance) } }] : []),
  ];
  return ownedChild<{ spec: object }>(instance, networkPolicies, namesOf(instance).guarded, {
    spec: {
      podSelector: pods,
      policyTypes: ['Ingress'],
      ingress: [
        // A rule without peers would admit everything.
        ...(from.length === 0 ? [] : [{ from, ports: [{ port: gatewayPort, protocol: 'TCP' }] }]),
        { ports: [...portsExcept(gatewayPort), { protocol: 'UDP' }, { protocol: 'SCTP' }] },
      ],
    },
  });
}

/** Ranges of all TCP ports except one. */
export function portsExcept(closed: number): readonly object[] {
  const ranges = [
    [1, closed - 1],
    [closed + 1, 65_535],
  ] as const;
  return ranges.flatMap(([first, last]) => {
    if (first > last) return [];
    return [{ port: first, ...(first === last ? {} : { endPort: last }), protocol: 'TCP' }];
  });
}

/** The labels of the operator's own pods. */
const OPERATOR_PODS = { 'app.kubernetes.io/name': MANAGED_BY, 'app.kubernetes.io/component': 'operator' };

/** The part of a peer that selects namespaces by name, with the label that the API server sets itself. */
export function namespacesNamed(names: readonly string[]): object {
  const matchExpressions = [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...names] }];
  return { namespaceSelector: { matchExpressions } };
}

/**
 * The operator's pods. Other users can copy their labels, but not into its namespace.
 * @param namespace undefined if the operator runs outside the cluster
 */
export function operatorPeers(namespace: string | undefined): readonly object[] {
  if (namespace === undefined) return [];
  return [{ ...namespacesNamed([namespace]), podSelector: { matchLabels: OPERATOR_PODS } }];
}
