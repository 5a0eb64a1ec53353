import { reachSidecars } from './instance/instance.ts';
import { CRD_NAMES, OPERATOR_NAME } from './operator.ts';
import { operatorControllers } from './operatorControllers.ts';
import { plannedPermissions, policyRules, type Permission, type PolicyRule } from './runtime/runtime.ts';

/** The rules of the roles that the operator runs with. */
export interface OperatorRoles {
  /** ClusterRole: everything where all namespaces are watched, and otherwise only what is not in a namespace. */
  readonly clusterRules: readonly PolicyRule[];
  /**
   * ClusterRole of who has guardrails as sidecars and watches all namespaces: the way into a sidecar is a way into every
   * pod of the cluster, which nobody shall have granted without need. Empty where a Role confines it.
   */
  readonly sidecarRules: readonly PolicyRule[];
  /** Role in each watched namespace; empty where all are watched. */
  readonly watchedRules: readonly PolicyRule[];
  /** Role in the operator's own namespace. */
  readonly ownRules: readonly PolicyRule[];
}

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

/** These rights as roles. @param scope `namespaced`: with --watch-namespaces */
export function operatorRoles(
  scope: 'cluster-wide' | 'namespaced',
  options: { readonly installCrds: boolean },
): OperatorRoles {
  const permissions = operatorPermissions(options);
  const forSidecars = permissions.filter(isForSidecars);
  const others = permissions.filter((permission) => !isForSidecars(permission));
  return scope === 'cluster-wide'
    ? {
        clusterRules: policyRules(others, ['cluster', 'watched']),
        sidecarRules: policyRules(forSidecars, ['watched']),
        watchedRules: [],
        ownRules: policyRules(permissions, ['own']),
      }
    : {
        clusterRules: policyRules(permissions, ['cluster']),
        sidecarRules: [],
        watchedRules: policyRules(permissions, ['watched']),
        ownRules: policyRules(permissions, ['own']),
      };
}

function isForSidecars({ group, resource, scope }: Permission): boolean {
  return scope === 'watched' && reachSidecars.some((each) => each.group === group && each.resource === resource);
}
