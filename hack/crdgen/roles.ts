/**
 * What the operator says that it needs → its roles. Pure: the same list gives the same text. A role that was written by
 * hand would ask for too much or too little one day, and nobody would see which.
 */
import { stringify } from 'yaml';
import type { Permission } from '../../operator/runtime/runtime.ts';

const NAME = 'gateway-guardrail-operator';
const NAMESPACE = 'gateway-guardrail-system';
const HEADER = '# Generated from what the controllers need (operator/): npm run generate. Do not edit.\n';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * @returns the files by name: `rbac.yaml` for an operator that looks after all namespaces, and
 * `components/namespaced/rbac.yaml` for one that may look after its own alone, which leaves out nothing but the rest.
 */
export function generateRoles(permissions: readonly Permission[]): ReadonlyMap<string, string> {
  const rules = (...scopes: Permission['scope'][]): Rule[] =>
    permissions.filter(({ scope }) => scopes.includes(scope)).map(ruleOf);
  const own = [...role('Role', `${NAME}-leader-election`, rules('own'))];
  return new Map([
    ['rbac.yaml', text([...role('ClusterRole', NAME, rules('cluster', 'watched')), ...own])],
    [
      'components/namespaced/rbac.yaml',
      text([...role('ClusterRole', `${NAME}-crds`, rules('cluster')), ...role('Role', NAME, rules('watched'))]),
    ],
  ]);
}

function ruleOf({ group, resource, verbs, resourceNames }: Permission): Rule {
  return {
    apiGroups: [group],
    resources: [resource],
    ...(resourceNames !== undefined && resourceNames.length > 0 && { resourceNames: [...resourceNames] }),
    verbs: [...verbs],
  };
}

/** A role and its binding to the operator's ServiceAccount. */
function role(kind: 'ClusterRole' | 'Role', name: string, rules: readonly Rule[]): object[] {
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
  return HEADER + objects.map((object) => stringify(object)).join('---\n');
}
