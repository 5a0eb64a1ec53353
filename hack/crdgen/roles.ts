/**
 * Generates the operator's roles, and the page that explains each permission, from the permissions that the code declares. A
 * role that is written by hand would soon have too many permissions or too few.
 */
import { Document, isMap, isSeq, stringify } from 'yaml';
import { OPERATOR_NAME as NAME } from '../../operator/operatorName.ts';
import { operatorRoles } from '../../operator/operatorPermissions.ts';
import { purposeOf } from '../../operator/rightsPurposes.ts';
import type { PolicyRule } from '../../operator/runtime/runtime.ts';

/** Of the ClusterRole that is bound in each watched namespace. */
const NAMESPACE_ROLE = `${NAME}-namespace`;
const NAMESPACE = 'gateway-guardrail-system';
const RBAC = 'rbac.authorization.k8s.io';
const HEADER = '# Generated from what the controllers need (operator/): npm run generate. Do not edit.\n';

/**
 * @returns the files by their path in the project: the roles of `operator/manifests`, the additions of its components, and the
 *   page that explains each permission
 */
export function generateRoles(): ReadonlyMap<string, string> {
  const { clusterRules, namespaceRules, sidecarRules, ownRules } = operatorRoles({ installCrds: true });
  const leaderElection = `${NAME}-leader-election`;
  return new Map([
    [
      'operator/manifests/rbac.yaml',
      HEADER +
        [
          role('ClusterRole', NAME, clusterRules),
          binding('ClusterRoleBinding', NAME, { kind: 'ClusterRole', name: NAME }),
          role('ClusterRole', NAMESPACE_ROLE, namespaceRules),
          binding('RoleBinding', NAMESPACE_ROLE, { kind: 'ClusterRole', name: NAMESPACE_ROLE }),
          role('Role', leaderElection, ownRules),
          binding('RoleBinding', leaderElection, { kind: 'Role', name: leaderElection }),
        ].join('---\n'),
    ],
    [
      'operator/manifests/components/cluster-wide/rbac.yaml',
      HEADER + binding('ClusterRoleBinding', NAMESPACE_ROLE, { kind: 'ClusterRole', name: NAMESPACE_ROLE }),
    ],
    ['operator/manifests/components/sidecar/rules.yaml', HEADER + additions(sidecarRules)],
    ['docs/rights.md', page({ clusterRules, namespaceRules, sidecarRules, ownRules })],
  ]);
}

type RoleKind = 'ClusterRole' | 'Role';

/** A role. A comment above each of its rules states the purpose. */
function role(kind: RoleKind, name: string, rules: readonly PolicyRule[]): string {
  const metadata = { name, ...(kind === 'Role' && { namespace: NAMESPACE }) };
  const document = new Document({ apiVersion: `${RBAC}/v1`, kind, metadata, rules }, { aliasDuplicateObjects: false });
  const nodes = document.get('rules');
  if (isSeq(nodes)) {
    for (const [at, node] of nodes.items.entries()) {
      const rule = rules[at];
      if (isMap(node) && rule !== undefined) node.commentBefore = ` ${purposeOf(rule)}`;
    }
  }
  return document.toString({ lineWidth: 0 });
}

/** The binding of a role to the operator's ServiceAccount. */
function binding(
  kind: `${RoleKind}Binding`,
  name: string,
  to: { readonly kind: RoleKind; readonly name: string },
): string {
  return stringify({
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata: { name, ...(kind === 'RoleBinding' && { namespace: NAMESPACE }) },
    roleRef: { apiGroup: RBAC, ...to },
    subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }],
  });
}

/** A JSON patch that adds rules to a role. */
function additions(rules: readonly PolicyRule[]): string {
  return rules.map((value) => `# ${purposeOf(value)}\n${stringify([{ op: 'add', path: '/rules/-', value }])}`).join('');
}

function page(roles: ReturnType<typeof operatorRoles>): string {
  return [
    '# What the operator may do, and what for',
    '',
    'Generated from what the controllers need: `npm run generate`. The roles are in',
    '[`operator/manifests/rbac.yaml`](../operator/manifests/rbac.yaml).',
    '',
    '## In the whole cluster',
    '',
    `ClusterRole \`${NAME}\`. It reaches no Secret and no workload. The operator's own kinds are in it`,
    'because a namespace that is deleted loses its RoleBindings at once: without the right to remove its finalizers there,',
    'the deletion would never end.',
    '',
    ...table(roles.clusterRules),
    '',
    '## In each namespace that is watched',
    '',
    `ClusterRole \`${NAMESPACE_ROLE}\`, bound by a RoleBinding in each, or by a`,
    'ClusterRoleBinding with the component [`cluster-wide`](../operator/manifests/components/cluster-wide/kustomization.yaml).',
    '',
    ...table(roles.namespaceRules),
    '',
    'With the component [`sidecar`](../operator/manifests/components/sidecar/kustomization.yaml), besides:',
    '',
    ...table(roles.sidecarRules),
    '',
    "## In the operator's own namespace",
    '',
    `Role \`${NAME}-leader-election\`.`,
    '',
    ...table(roles.ownRules),
    '',
  ].join('\n');
}

/** A Markdown table in Prettier's format. */
function table(rules: readonly PolicyRule[]): string[] {
  const rows = [
    ['resource', 'verbs', 'what for'],
    ...rules.map((rule) => [resourceOf(rule), rule.verbs.join(', '), purposeOf(rule)]),
  ];
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(width(column))).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(head.map((_, column) => '-'.repeat(width(column)))), ...body.map(line)];
}

function resourceOf({ apiGroups: [group = ''], resources, resourceNames }: PolicyRule): string {
  const resource = `\`${resources.join(', ')}${group === '' ? '' : `.${group}`}\``;
  return resourceNames === undefined ? resource : `${resource}, of certain names`;
}
