import { GROUP } from './api/v1alpha1/v1alpha1.ts';
import { sidecarPermissions } from './guardrail/guardrail.ts';
import { CRD_NAMES } from './operator.ts';
import { operatorControllers } from './operatorControllers.ts';
import { OPERATOR_NAME } from './operatorName.ts';
import { plannedPermissions, policyRules, type Permission, type PolicyRule } from './runtime/runtime.ts';

/** The rules of the roles that the operator runs with. */
export interface OperatorRoles {
  /**
   * In the whole cluster, however many namespaces are watched: the operator's own kinds, and nothing that holds anybody's
   * data. The own kinds are among them because a namespace that is deleted loses its RoleBindings first: the operator
   * must still be able to take its finalizers off, or the deletion never ends.
   */
  readonly clusterRules: readonly PolicyRule[];
  /** In each namespace that is watched. */
  readonly namespaceRules: readonly PolicyRule[];
  /** Besides, in the same namespaces, where guardrails are sidecars: the way into a sidecar is a way into every pod. */
  readonly sidecarRules: readonly PolicyRule[];
  /** In the operator's own namespace. */
  readonly ownRules: readonly PolicyRule[];
}

/** Rights on kinds of others that are harmless in the whole cluster, and needed where a namespace comes to its end. */
const HARMLESS: readonly string[] = ['/namespaces', 'events.k8s.io/events'];

/** Every right that the operator needs, found out from the wiring itself. */
export function operatorPermissions(options: { readonly installCrds: boolean }): readonly Permission[] {
  return plannedPermissions(
    (runtime) => operatorControllers(runtime, { guardrailImage: undefined, ownPod: undefined }),
    {
      leaseName: OPERATOR_NAME,
      crds: CRD_NAMES,
      installCrds: options.installCrds,
    },
  );
}

/** These rights as roles. */
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
