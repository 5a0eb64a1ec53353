/**
 * What the operator says that it needs → its roles. A role that was written by hand would ask for too much or too little
 * one day, and nobody would see which.
 */
import { stringify } from 'yaml';
import { operatorRoles } from '../../operator/operatorPermissions.ts';
import type { PolicyRule } from '../../operator/runtime/runtime.ts';

const NAME = 'gateway-guardrail-operator';
const NAMESPACE = 'gateway-guardrail-system';
const HEADER = '# Generated from what the controllers need (operator/): npm run generate. Do not edit.\n';

/**
 * @returns the files of `operator/manifests` by name: `rbac.yaml` for an operator that looks after all namespaces,
 * `components/sidecar/rbac.yaml` with what it needs more where guardrails are sidecars, and
 * `components/namespaced/rbac.yaml` with what takes the place of both where it looks after its own alone.
 */
export function generateRoles(): ReadonlyMap<string, string> {
  const everywhere = operatorRoles('cluster-wide', { installCrds: true });
  const namespaced = operatorRoles('namespaced', { installCrds: true });
  return new Map([
    [
      'rbac.yaml',
      text([
        ...role('ClusterRole', NAME, everywhere.clusterRules),
        ...role('Role', `${NAME}-leader-election`, everywhere.ownRules),
      ]),
    ],
    ['components/sidecar/rbac.yaml', text(role('ClusterRole', `${NAME}-sidecar`, everywhere.sidecarRules))],
    [
      'components/namespaced/rbac.yaml',
      text([
        ...role('ClusterRole', `${NAME}-crds`, namespaced.clusterRules),
        ...role('Role', NAME, namespaced.watchedRules),
      ]),
    ],
  ]);
}

/** A role and its binding to the operator's ServiceAccount. */
function role(kind: 'ClusterRole' | 'Role', name: string, rules: readonly PolicyRule[]): object[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name, ...(kind === 'Role' && { namespace: NAMESPACE }) };
  return [
    { apiVersion, kind, metadata, rules },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }],
    },
  ];
}

function text(objects: readonly object[]): string {
  // Without aliases: what two rules share is written out in both.
  return HEADER + objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
}
