import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../clock.ts';
import type { KubeClient, Permission, Runtime } from '../contract.ts';
import { customResourceDefinitions } from './crds.ts';
import { kubeEvents } from '../writers/eventRecorder.ts';
import { leases } from './lease.ts';
import { RuntimeBuilder, mergePermissions } from './runtimeBuilder.ts';
import type { ControllerSpec } from '../controller/controllerSpec.ts';

/** The parts of the runtime that need permissions. */
export interface RuntimeNeeds {
  /** undefined: no leader election. */
  readonly leaseName: string | undefined;
  /** Names of the CustomResourceDefinitions to install or verify. */
  readonly crds: readonly string[];
  readonly installCrds: boolean;
}

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** All permissions that an operator with these controllers needs: each resource once, in a fixed order. */
export function permissionsOf(
  wiring: Pick<RuntimeBuilder, 'permissions'>,
  { leaseName, crds, installCrds }: RuntimeNeeds,
): readonly Permission[] {
  const lease = { group: leases.group, resource: leases.plural, scope: 'own' } as const;
  const definitions = { group: customResourceDefinitions.group, resource: customResourceDefinitions.plural } as const;
  return mergePermissions([
    ...wiring.permissions,
    { group: kubeEvents.group, resource: kubeEvents.plural, verbs: ['create', 'patch'], scope: 'watched' },
    ...(leaseName === undefined
      ? []
      : [
          // RBAC cannot restrict `create` to a name.
          { ...lease, verbs: ['create'] },
          { ...lease, verbs: ['get', 'update'], resourceNames: [leaseName] },
        ]),
    ...(crds.length === 0
      ? []
      : [
          {
            ...definitions,
            // A create by server-side apply has a name, so RBAC can restrict it.
            verbs: installCrds ? ['create', 'get', 'patch'] : ['get'],
            scope: 'cluster',
            resourceNames: [...crds].sort(),
          } as const,
        ]),
  ]);
}

/** Computes {@link permissionsOf} without a cluster: wires the controllers with a runtime that only records. */
export function plannedPermissions(
  wire: (runtime: Runtime) => readonly ControllerSpec[],
  needs: RuntimeNeeds,
): readonly Permission[] {
  const nothing = new Proxy({} as KubeClient, {
    get: () => {
      throw new Error('No API server is available while permissions are planned.');
    },
  });
  const wiring = new RuntimeBuilder({
    client: nothing,
    mayWrite: () => undefined,
    events: { record: () => undefined },
    metrics: new Registry(),
    log: pino({ level: 'silent' }),
    clock: systemClock,
    watchNamespaces: [],
    isLeading: () => false,
  });
  for (const controller of wire(wiring)) wiring.addController(controller);
  return permissionsOf(wiring, needs);
}

/** Converts the permissions of some scopes to the rules of a role. */
export function policyRules(
  permissions: readonly Permission[],
  scopes: readonly Permission['scope'][],
): readonly PolicyRule[] {
  return permissions
    .filter(({ scope }) => scopes.includes(scope))
    .map(({ group, resource, verbs, resourceNames }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    }));
}
