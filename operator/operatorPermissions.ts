import { GROUP } from './api/v1alpha1/v1alpha1.ts';
import { sidecarPermissions } from './guardrail/guardrail.ts';
import { CRD_NAMES } from './operator.ts';
import { operatorControllers } from './operatorControllers.ts';
import { OPERATOR_NAME } from './operatorName.ts';
import { plannedPermissions, policyRules, type Permission, type PolicyRule } from './runtime/runtime.ts';

/** The rules of the operator's roles, by scope. */
export interface OperatorRoles {
  /**
   * In the whole cluster: the operator's own kinds and nothing with user data. The own kinds are cluster-wide because a
   * namespace under deletion loses its RoleBindings first. If the operator could not remove its finalizers then, the
   * deletion would never complete.
   */
  readonly clusterRules: readonly PolicyRule[];
  /** In each watched namespace. */
  readonly namespaceRules: readonly PolicyRule[];
  /** Additional rules in the watched namespaces if guardrails run as sidecars. They allow access to every pod. */
  readonly sidecarRules: readonly PolicyRule[];
  /** In the operator's own namespace. */
  readonly ownRules: readonly PolicyRule[];
}

/** Permissions on foreign kinds that are harmless cluster-wide and that are required while a namespace is deleted. */
const HARMLESS: readonly string[] = ['/namespaces', 'events.k8s.io/events'];

/** All permissions of the operator, derived from the wiring of its controllers. */
export function operatorPermissions(options: { readonly installCrds: boolean }): readonly Permission[] {
  return plannedPermissions(
    (runtime) =>
      operatorControllers(runtime, {
        guardrailImage: undefined,
        ownPod: undefined,
        namespace: 'default',
        clusterDomain: 'cluster.local',
      }),
    {
      leaseName: OPERATOR_NAME,
      crds: CRD_NAMES,
      installCrds: options.installCrds,
    },
  );
}

/** The operator's permissions, grouped into roles. */
export function operatorRoles(options: { readonly installCrds: boolean }): OperatorRoles {
  const permissions = operatorPermissions(options);
  const watched = permissions.filter(({ scope }) => scope === 'watched');
  const inNamespaces = watched.filter((permission) => !isForCluster(permission));
  return {
    clusterRules: policyRules(permissions.filter(isForCluster), ['cluster', 'watched']),
    namespaceRules: policyRules(
      inNamespaces.filter((permission) => !isForSidecars(permission)),
      ['watched'],
    ),
    sidecarRules: policyRules(inNamespaces.filter(isForSidecars), ['watched']),
    ownRules: policyRules(permissions, ['own']),
  };
}

function isForCluster({ group, resource, scope }: Permission): boolean {
  return scope === 'cluster' || (scope === 'watched' && (group === GROUP || HARMLESS.includes(`${group}/${resource}`)));
}

function isForSidecars({ group, resource, scope }: Permission): boolean {
  return scope === 'watched' && sidecarPermissions.some((each) => each.group === group && each.resource === resource);
}
