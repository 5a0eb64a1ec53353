import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from '@kubernetes/client-node';
import { parse, parseAllDocuments } from 'yaml';
import { OPERATOR_NAME as SERVICE_ACCOUNT } from '../../../operator/operatorName.ts';

const NAMESPACE = 'gateway-guardrail-system';
/** Of what a cluster gets, all that says who may do what; the rest runs the operator in a pod. */
const KINDS = ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
const CLUSTER_WIDE = ['Namespace', 'ClusterRole', 'ClusterRoleBinding'];

/** As whom the operator calls the API server in a cluster, and so here. */
export const OPERATOR = {
  namespace: NAMESPACE,
  user: `system:serviceaccount:${NAMESPACE}:${SERVICE_ACCOUNT}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`],
};

interface Manifest {
  kind: string;
  metadata: Record<string, unknown>;
}

interface Kustomization {
  namespace: string;
  resources: string[];
}

/**
 * What gives the operator its rights, out of the folder that `kubectl apply -k` is used on, in all namespaces: what is
 * tried on this machine is tried in any of them. Read without kubectl, which
 * may still have to be built; what the kustomization does beside naming files and a namespace is left out.
 */
export function operatorRights(manifests: string): KubernetesObject[] {
  const read = (name: string): string => readFileSync(join(manifests, name), 'utf8');
  const { namespace, resources } = parse(read('kustomization.yaml')) as Kustomization;
  return [...resources, 'components/cluster-wide/rbac.yaml']
    .flatMap((file) => parseAllDocuments(read(file)))
    .map((document) => document.toJS() as Manifest)
    .filter(({ kind }) => KINDS.includes(kind))
    .map(({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, ...(!CLUSTER_WIDE.includes(rest.kind) && { namespace }) },
    }));
}
