/** The peers of NetworkPolicies. Pure. */
import { MANAGED_BY } from '../cluster/cluster.ts';

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
