import { expect } from 'chai';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withControlPlane } from '../hack/local/controlplane.ts';
import { GuardrailOperator } from './operator.ts';
import { operatorPermissions, operatorRoles } from './operatorPermissions.ts';
import type { PolicyRule } from './runtime/runtime.ts';
import { FaultProxy, eventually, silent } from './runtime/testing/testing.ts';

describe("the operator's rights", function () {
  this.timeout(60_000);
  const cluster = withControlPlane();

  it('are read from the wiring: no list or watch of Secrets, no wildcard, names wherever RBAC can confine to them', () => {
    const permissions = operatorPermissions({ installCrds: true });
    const secrets = permissions.filter(({ group, resource }) => group === '' && resource === 'secrets');
    expect(secrets.flatMap(({ verbs }) => verbs))
      .to.not.include.members(['list'])
      .and.not.include.members(['watch']);
    for (const { group, resource, verbs, scope, resourceNames } of permissions) {
      expect([group, resource, ...verbs]).to.not.include('*');
      if (scope === 'cluster') expect(resourceNames, resource).to.not.equal(undefined);
    }
    expect(operatorRoles('namespaced', { installCrds: false }).clusterRules.flatMap(({ verbs }) => verbs)).to.satisfy(
      (verbs: string[]) => verbs.every((verb) => verb === 'get'),
    );
  });

  for (const scope of ['cluster-wide', 'namespaced'] as const) {
    it(`are enough for a customer from its creation to its deletion, ${scope}`, async () => {
      const namespace = await cluster().createNamespace();
      const user = `operator-${namespace}`;
      // The definitions are an admin's business here, so that this test can run beside others.
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
          watchNamespaces: scope === 'namespaced' ? [namespace] : [],
          leaderElect: true,
          http: { host: '127.0.0.1', port: 0, metricsPort: 0 },
          installCrds: true,
          workers: 4,
          drainMs: 5_000,
          guardrailImage: 'image',
          ownPod: undefined,
        },
        silent,
      );
      try {
        await operator.start();
        const endpoint = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
        await cluster().kubectl(['apply', '-n', namespace, '-f', '-'], JSON.stringify(resources(endpoint)));
        await eventually(async () => {
          const status = await cluster().kubectl([
            'get',
            'gcust,ginst',
            '-n',
            namespace,
            '-o',
            'jsonpath={.items[*].status.conditions[0].type}',
          ]);
          expect(status.trim().split(/\s+/)).to.have.length(2);
        }, 30_000);
        await eventually(async () => {
          expect(
            await cluster().kubectl(['get', 'deployment,secret,service,configmap', '-n', namespace, '-o', 'name']),
          ).to.match(/deployment/);
        }, 30_000);
        await cluster().kubectl(['annotate', 'gcust', 'a', '-n', namespace, 'gateway.guardrail.dev/force-delete=true']);
        await cluster().kubectl(['delete', 'gcust,ginst', '--all', '-n', namespace, '--timeout=30s']);
        expect(proxy.refused).to.deep.equal([]);
      } finally {
        operator.stop();
        await operator.finished();
        await proxy.stop();
        gateway.closeAllConnections();
        gateway.close();
      }
    });
  }
});

function resources(endpoint: string): object {
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
        spec: { endpoint, masterKeySecretRef: { name: 'key', key: 'key' }, guardrail: {} },
      },
      {
        apiVersion,
        kind: 'GatewayCustomer',
        metadata: { name: 'a' },
        spec: { customerId: 'a', instanceRef: { name: 'i' } },
      },
    ],
  };
}

function roleObjects(user: string, namespace: string, scope: 'cluster-wide' | 'namespaced'): object {
  const apiGroup = 'rbac.authorization.k8s.io';
  const { clusterRules, watchedRules, ownRules } = operatorRoles(scope, { installCrds: true });
  const pair = (kind: 'Role' | 'ClusterRole', rules: readonly PolicyRule[]): object[] => {
    const metadata = kind === 'Role' ? { name: user, namespace } : { name: user };
    return [
      { apiVersion: `${apiGroup}/v1`, kind, metadata, rules },
      {
        apiVersion: `${apiGroup}/v1`,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup, kind, name: user },
        subjects: [{ apiGroup, kind: 'User', name: user }],
      },
    ];
  };
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [...pair('ClusterRole', clusterRules), ...pair('Role', [...watchedRules, ...ownRules])],
  };
}
