import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { KubernetesObject } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';

const NAMESPACE = 'gateway-guardrail-system';
const SERVICE_ACCOUNT = 'gateway-guardrail-operator';
/** Of what a cluster gets, all that says who may do what; the rest runs the operator in a pod. */
const KINDS = ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

/** As whom the operator calls the API server in a cluster, and so here. */
export const OPERATOR = {
  namespace: NAMESPACE,
  user: `system:serviceaccount:${NAMESPACE}:${SERVICE_ACCOUNT}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`],
};

/** What gives the operator its rights, out of the folder that `kubectl apply -k` is used on. Needs no cluster. */
export async function operatorRights(kubectl: string, manifests: string): Promise<KubernetesObject[]> {
  const { stdout } = await promisify(execFile)(kubectl, ['kustomize', manifests]);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject);
  return objects.filter(({ kind = '' }) => KINDS.includes(kind));
}
