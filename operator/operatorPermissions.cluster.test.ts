import { AuthorizationV1Api } from '@kubernetes/client-node';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseAllDocuments } from 'yaml';
import { withControlPlane } from '../hack/harness/controlplane.ts';
import { GuardrailOperator } from './operator.ts';
import { operatorPermissions, operatorRoles } from './operatorPermissions.ts';
import { purposeOf } from './permissionPurposes.ts';
import { isNotFound, type KubeObject, type PolicyRule, type ResourceKind } from './runtime/runtime.ts';
import { budgets, customers, instances } from './api/kinds.ts';
import { guardrailDeployments, secrets } from './cluster/cluster.ts';
import {
  FaultProxy,
  RestClient,
  Transport,
  eventually,
  silentLog,
  transportOptions,
} from './runtime/testing/testing.ts';

describe("the operator's permissions", function () {
  this.timeout(180_000);
  // Its own: an operator with rights to all namespaces would also reconcile the objects of other files.
  const cluster = withControlPlane('own');
  let transport: Transport;
  /** Has all permissions. */
  let admin: RestClient;
  before(() => {
    transport = new Transport(cluster().kubeConfig(), transportOptions());
    admin = new RestClient(transport);
  });
  after(() => transport.close());

  it('are derived from the wiring: no list, watch or deletion of Secrets, no wildcards, resource names if RBAC supports them', () => {
    const permissions = operatorPermissions({ installCrds: true });
    const secrets = permissions.filter(({ group, resource }) => group === '' && resource === 'secrets');
    expect(new Set(secrets.flatMap(({ verbs }) => verbs))).to.have.keys('get', 'create', 'patch');
    for (const { group, resource, verbs, scope, resourceNames } of permissions) {
      expect([group, resource, ...verbs]).to.not.include('*');
      if (scope === 'cluster') expect(resourceNames, resource).to.not.equal(undefined);
    }
  });

  it('include no Secret and no workload cluster-wide, and each have a purpose', () => {
    const roles = operatorRoles({ installCrds: true });
    const resources = roles.clusterRules.flatMap((rule) => rule.resources);
    expect(new Set(resources)).to.have.keys(
      'customresourcedefinitions',
      'events',
      'gatewaybudgets',
      'gatewaybudgets/status',
      'gatewaycustomers',
      'gatewaycustomers/status',
      'gatewayinstances',
      'gatewayinstances/finalizers',
      'gatewayinstances/status',
      'gatewaykeys',
      'gatewaykeys/status',
      'guardrailpolicies',
      'guardrailpolicies/status',
      'namespaces',
    );
    const rules = Object.values(roles).flat() as PolicyRule[];
    for (const rule of rules) expect(purposeOf(rule)).to.match(/^[A-Z].*\.$/);
    expect(() => purposeOf({ apiGroups: [''], resources: ['nodes'], verbs: ['get'] })).to.throw(/no purpose for nodes/);
  });

  for (const scope of ['cluster-wide', 'namespaced', 'by name'] as const) {
    it(`suffice for a customer from its creation to its deletion, ${scope}`, async () => {
      if (scope === 'cluster-wide') await removeAll();
      const stand = await Stand.start(scope === 'cluster-wide' ? () => [] : (own) => [own], scope);
      try {
        await stand.applyResources();
        await stand.deployed();
        await stand.removeGuardrail();
        await stand.removeResources();
        expect(stand.refused).to.deep.equal([]);
      } finally {
        await stand.end();
      }
    });
  }

  it('allow nothing in other namespaces and no other Secret with a Role for each namespace', async () => {
    const stand = await Stand.start((own) => [own], 'by name');
    const other = await cluster().createNamespace();
    try {
      const secret = (name: string): object => ({ resource: 'secrets', name });
      const ofPods = (subresource: string): object => ({ resource: 'pods', subresource });
      const allowed: readonly [verb: string, what: object][] = [
        ['get', secret('key')],
        ['get', secret('i-guardrail-keys')],
        ['patch', secret('i-guardrail-keys')],
        ['create', { resource: 'secrets' }],
        ['create', ofPods('portforward')],
      ];
      for (const [verb, what] of allowed) {
        expect(await stand.mayDo(verb, what), `${verb} ${JSON.stringify(what)}`).to.equal(true);
        expect(await stand.mayDo(verb, what, other), `${verb} ${JSON.stringify(what)} elsewhere`).to.equal(false);
      }
      const refused: readonly [verb: string, what: object][] = [
        ['get', secret('other')],
        ['patch', secret('key')],
        ['list', { resource: 'secrets' }],
        ['watch', { resource: 'secrets' }],
        ['delete', secret('i-guardrail-keys')],
        ['create', ofPods('exec')],
        ['get', ofPods('log')],
      ];
      for (const [verb, what] of refused) {
        expect(await stand.mayDo(verb, what), `${verb} ${JSON.stringify(what)}`).to.equal(false);
      }
      // Another Secret is named in a condition.
      await stand.applyResources(stand.namespace, { masterKeySecretRef: { name: 'other', key: 'key' } });
      await eventually(async () => {
        expect(await stand.reachableMessage()).to.match(/is not permitted to read Secret other/);
      }, 30_000);
      await stand.removeResources();
    } finally {
      await stand.end();
    }
  });

  it('do not block other namespaces if one namespace of the list lacks them', async () => {
    const unbound = await cluster().createNamespace();
    const stand = await Stand.start((own) => [own, unbound], 'namespaced');
    try {
      await stand.applyResources(unbound);
      await stand.applyResources();
      await stand.deployed();
      // The resources of that namespace report the missing permission.
      await eventually(async () => {
        expect(await stand.reachableMessage(unbound)).to.match(/is not permitted to read Secret key/);
      }, 30_000);
      // They are reconciled as soon as the permissions exist.
      await stand.bind(unbound);
      await stand.deployed(unbound);
      await stand.removeResources(unbound);
      await stand.removeResources();
    } finally {
      await stand.end();
    }
  });

  it('do not block the deletion of a namespace that loses them first', async () => {
    const doomed = await cluster().createNamespace();
    const stand = await Stand.start((own) => [own, doomed], 'namespaced');
    try {
      await stand.bind(doomed);
      await stand.applyResources(doomed, { workloadRef: { name: 'gateway' } });
      await stand.conditioned(doomed);
      // The deletion of a namespace removes RoleBindings before objects with finalizers.
      await cluster().kubectl(['delete', 'namespace', doomed, '--wait=false']);
      await cluster().kubectl(['delete', 'rolebinding', '--all', '-n', doomed]);
      await cluster().kubectl(['annotate', 'gcust', 'a', '-n', doomed, 'gateway.guardrail.dev/force-delete=true']);
      await cluster().kubectl(['delete', 'gcust,gbud,ginst', '--all', '-n', doomed, '--timeout=30s']);
    } finally {
      await stand.end();
    }
  });

  /** Removes what earlier tests of this process left: an operator of all namespaces would call their gateways first. */
  async function removeAll(): Promise<void> {
    const removeKind = async <T extends KubeObject>(kind: ResourceKind<T>): Promise<void> => {
      const left = await admin.list(kind, {}).catch((error: unknown) => {
        if (isNotFound(error)) return [];
        throw error;
      });
      for (const { metadata } of left) {
        const key = { namespace: metadata.namespace ?? '', name: metadata.name };
        if ((metadata.finalizers ?? []).length > 0) {
          await admin.patch(kind, key, { metadata: { finalizers: null } });
        }
        await admin.delete(kind, key);
      }
    };
    await removeKind(customers);
    await removeKind(budgets);
    await removeKind(instances);
  }

  /** The objects of a kind that have a condition. */
  async function withCondition<
    T extends KubeObject & { readonly status?: { readonly conditions?: readonly object[] } },
  >(kind: ResourceKind<T>, namespace: string): Promise<object[]> {
    return (await admin.list(kind, { namespace })).filter(({ status }) => (status?.conditions ?? []).length > 0);
  }

  /** An operator with only the permissions of its roles, and a gateway that always returns 503. */
  class Stand {
    readonly namespace: string;
    readonly #user: string;
    readonly #gateway: Server;
    readonly #proxy: FaultProxy;
    readonly #operator: GuardrailOperator;

    private constructor(
      namespace: string,
      user: string,
      { gateway, proxy, operator }: { gateway: Server; proxy: FaultProxy; operator: GuardrailOperator },
    ) {
      this.namespace = namespace;
      this.#user = user;
      this.#gateway = gateway;
      this.#proxy = proxy;
      this.#operator = operator;
    }

    static async start(watched: (own: string) => readonly string[], scope: Scope): Promise<Stand> {
      const namespace = await cluster().createNamespace();
      const user = `operator-${namespace}`;
      // An admin installs the definitions, so that this test can run beside others.
      await cluster().kubectl(['apply', '--server-side', '-k', new URL('../crds', import.meta.url).pathname]);
      await cluster().kubectl(['apply', '-f', '-'], JSON.stringify(roleObjects(user, namespace, scope)));
      const gateway = createServer((_request, response) => {
        response.writeHead(503).end();
      });
      await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
      const proxy = await FaultProxy.start(cluster().kubeConfig(user));
      const operator = new GuardrailOperator(
        {
          kubeConfig: proxy.kubeConfig(),
          namespace,
          watchNamespaces: watched(namespace),
          leaderElect: true,
          http: { host: '127.0.0.1', port: 0, metricsPort: 0 },
          installCrds: true,
          workers: 4,
          drainMs: 5_000,
          clusterDomain: 'cluster.local',
          guardrailImage: 'image',
          ownPod: undefined,
        },
        silentLog,
        { reflector: { forbiddenMs: 500 } },
      );
      await operator.start();
      return new Stand(namespace, user, { gateway, proxy, operator });
    }

    /**
     * The calls that the API server has rejected, except those in namespaces of other tests: a cluster-wide operator sees
     * these namespaces too, and nothing may be created in a namespace that is being deleted.
     */
    get refused(): readonly string[] {
      const isOthers = (call: string): boolean => {
        const [, name] = /\/namespaces\/([^/]+)\//.exec(call) ?? [];
        return name !== undefined && name !== this.namespace;
      };
      return this.#proxy.refused.filter((call) => !isOthers(call));
    }

    async bind(namespace: string): Promise<void> {
      await cluster().kubectl(['apply', '-f', '-'], JSON.stringify(bindingIn(namespace, this.#user)));
    }

    async applyResources(namespace = this.namespace, spec: object = {}): Promise<void> {
      const endpoint = `http://127.0.0.1:${(this.#gateway.address() as AddressInfo).port}`;
      await cluster().kubectl(['apply', '-n', namespace, '-f', '-'], JSON.stringify(resources(endpoint, spec)));
    }

    /** Waits until all resources have a condition. */
    async conditioned(namespace = this.namespace): Promise<void> {
      await eventually(async () => {
        const all = await Promise.all([
          withCondition(customers, namespace),
          withCondition(budgets, namespace),
          withCondition(instances, namespace),
        ]);
        expect(all.flat()).to.have.length(3);
        // An operator of all namespaces serves those of other tests, too, whose gateways may not answer.
      }, 90_000);
    }

    /** Waits until the guardrail is deployed as well. */
    async deployed(namespace = this.namespace): Promise<void> {
      await this.conditioned(namespace);
      await eventually(async () => {
        expect(await admin.list(guardrailDeployments, { namespace })).to.have.length(1);
      }, 30_000);
    }

    /** Removes the guardrail from the spec, and waits until its keys are gone. */
    async removeGuardrail(): Promise<void> {
      const key = { namespace: this.namespace, name: 'i-guardrail-keys' };
      const keys = async (): Promise<object> => (await admin.get(secrets, key)).data ?? {};
      expect(await keys()).to.include.keys('session-key');
      await admin.patch(instances, { ...key, name: 'i' }, { spec: { guardrail: null } });
      await eventually(async () => {
        expect(await keys()).to.deep.equal({});
      }, 30_000);
    }

    /** Whether the operator may do something, according to the API server */
    async mayDo(verb: string, what: object, namespace = this.namespace): Promise<boolean> {
      const spec = { user: this.#user, resourceAttributes: { verb, namespace, ...what } };
      const { status } = await cluster()
        .kubeConfig()
        .makeApiClient(AuthorizationV1Api)
        .createSubjectAccessReview({ body: { spec } });
      return status?.allowed === true;
    }

    /** The message of the condition Reachable of the instance. */
    async reachableMessage(namespace = this.namespace): Promise<string> {
      const { status } = await admin.get(instances, { namespace, name: 'i' });
      return status?.conditions?.find(({ type }) => type === 'Reachable')?.message ?? '';
    }

    async removeResources(namespace = this.namespace): Promise<void> {
      await cluster().kubectl(['annotate', 'gcust', 'a', '-n', namespace, 'gateway.guardrail.dev/force-delete=true']);
      await cluster().kubectl(['delete', 'gcust,gbud,ginst', '--all', '-n', namespace, '--timeout=30s']);
    }

    async end(): Promise<void> {
      this.#operator.stop();
      await this.#operator.finished();
      await this.#proxy.stop();
      this.#gateway.closeAllConnections();
      this.#gateway.close();
    }
  }
});

function resources(endpoint: string, more: object): object {
  const apiVersion = 'gateway.guardrail.dev/v1alpha1';
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { key: 'sk' } },
      {
        apiVersion,
        kind: 'GatewayInstance',
        metadata: { name: 'i' },
        spec: { endpoint, masterKeySecretRef: { name: 'key', key: 'key' }, guardrail: {}, ...more },
      },
      {
        apiVersion,
        kind: 'GatewayCustomer',
        metadata: { name: 'a' },
        spec: { customerId: 'a', instanceRef: { name: 'i' } },
      },
      {
        apiVersion,
        kind: 'GatewayBudget',
        metadata: { name: 'b' },
        spec: { instanceRef: { name: 'i' } },
      },
      { apiVersion, kind: 'GuardrailPolicy', metadata: { name: 'p' }, spec: {} },
    ],
  };
}

const RBAC = 'rbac.authorization.k8s.io';

/** The name of the ClusterRole for watched namespaces. Each test user has one of its own. */
const namespaceRole = (user: string): string => `${user}-namespace`;

/** Where the operator has its permissions on Secrets and workloads, and on which Secrets. */
type Scope = 'cluster-wide' | 'namespaced' | 'by name';

const ROLE_SAMPLE = new URL('../hack/samples/installation/role.yaml', import.meta.url);

/** The Roles that docs/permissions.md recommends, for the instance of these tests. */
function sampleRoles(user: string, namespace: string): object[] {
  const text = readFileSync(ROLE_SAMPLE, 'utf8')
    .replaceAll(/(?<=namespace: )ai$/gm, namespace)
    .replaceAll('- main-', '- i-')
    .replaceAll('gateway-master-key', 'key');
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: user }];
  return parseAllDocuments(text).map((document) => {
    const object = document.toJS() as { readonly subjects?: unknown };
    return object.subjects === undefined ? object : { ...object, subjects };
  });
}

function roleObjects(user: string, namespace: string, scope: Scope): object {
  const { clusterRules, namespaceRules, ownRules } = operatorRoles({ installCrds: true });
  const role = (kind: 'Role' | 'ClusterRole', name: string, rules: readonly PolicyRule[]): object => ({
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata: kind === 'Role' ? { name, namespace } : { name },
    rules,
  });
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      role('ClusterRole', user, clusterRules),
      role('ClusterRole', namespaceRole(user), namespaceRules),
      role('Role', user, ownRules),
      binding('ClusterRoleBinding', user, { kind: 'ClusterRole', name: user }, user),
      ...(scope === 'by name' ? sampleRoles(user, namespace) : []),
      ...(scope === 'namespaced' ? [bindingIn(namespace, user)] : []),
      ...(scope === 'cluster-wide'
        ? [binding('ClusterRoleBinding', namespaceRole(user), { kind: 'ClusterRole', name: namespaceRole(user) }, user)]
        : []),
      binding('RoleBinding', user, { kind: 'Role', name: user }, user, namespace),
    ],
  };
}

/** The binding that grants a user the permissions in a namespace. */
function bindingIn(namespace: string, user: string): object {
  const name = namespaceRole(user);
  return binding('RoleBinding', name, { kind: 'ClusterRole', name }, user, namespace);
}

function binding(
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  name: string,
  role: { readonly kind: string; readonly name: string },
  user: string,
  namespace?: string,
): object {
  return {
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata: namespace === undefined ? { name } : { name, namespace },
    roleRef: { apiGroup: RBAC, ...role },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
  };
}
