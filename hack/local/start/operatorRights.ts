import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from '@kubernetes/client-node';
import { parse, parseAllDocuments } from 'yaml';
import { OPERATOR_NAME as SERVICE_ACCOUNT } from '../../../operator/operatorName.ts';

const NAMESPACE = 'gateway-guardrail-system';
/** The kinds of RBAC objects. All other objects of the manifests run the operator in a pod. */
const KINDS = ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
const CLUSTER_WIDE = ['Namespace', 'ClusterRole', 'ClusterRoleBinding'];

/** The user as which the operator calls the API server, as in a cluster. */
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
 * The RBAC objects of the operator, from the folder that `kubectl apply -k` installs, for all namespaces: the samples can be
 * tried in any of them. They are read without kubectl, which may not be built yet. Of the kustomization, only the file names
 * and the namespace are evaluated.
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
