/** The deletion of the CustomResourceDefinitions, on a separate control plane because it affects the whole cluster. */
import { expect } from 'chai';
import { startControlPlane, type ControlPlane } from '../../hack/harness/controlplane.ts';
import { startDevGateway, type DevGateway } from '../../hack/harness/gateway/gateway.ts';
import { budgetRowId, GatewayClient, RateLimiter } from '../gateway/gateway.ts';
import { eventually, KubectlUser, TestOperator } from './testing/testOperator.ts';
import { connectionOf } from './testing/testDependencies.ts';

describe('deletion of the CustomResourceDefinitions', function () {
  this.timeout(120_000);
  const masterKey = 'sk-master';
  let plane: ControlPlane;
  let gateway: DevGateway;

  before(async () => {
    plane = await startControlPlane();
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
  });
  after(async () => {
    await plane.stop();
    await gateway.stop();
  });

  it('orphans every record and reports it', async () => {
    const user = new KubectlUser(plane.kubeConfig(), await plane.createNamespace());
    const connection = connectionOf(gateway.url, masterKey);
    const admin = new GatewayClient(connection, new RateLimiter(connection.rateLimit));
    const operator = new TestOperator(plane.kubeConfig(), []);
    await operator.start();
    try {
      await eventually(() => user.list());
      await user.secret('main', masterKey);
      await eventually(() => user.instance('main', { endpoint: gateway.url }));
      await user.budget('gold', { maxBudget: 5 });
      await user.untilBudgetReason('gold', 'Created');
      const names = ['a', 'b', 'c'];
      const rows: string[] = [];
      for (const name of names) {
        await user.customer(name, { alias: name, maxBudget: 1 });
        rows.push(budgetRowId((await user.untilReason(name, 'Created')).metadata.uid));
      }
      // The deletion of a single customer still deletes its record. Only the deletion of the definition orphans
      // records.
      await user.delete('a');
      await user.untilGone('a');
      const definitions = ['gatewaycustomers.gateway.guardrail.dev', 'gatewaybudgets.gateway.guardrail.dev'];
      await plane.kubectl(['delete', 'crd', ...definitions, '--wait=false']);
      for (const name of ['b', 'c']) {
        await eventually(async () => {
          expect(await user.events(name)).to.include('Orphaned');
        }, 20_000);
        expect(await admin.customerInfo(`${user.namespace}.${name}`)).to.include({ alias: name });
      }
      expect(await admin.customerInfo(`${user.namespace}.a`)).to.equal(undefined);
      expect(await admin.budgetInfo(['none', ...rows])).to.have.length(2);
      await eventually(async () => {
        expect(await user.events('gold')).to.include('Orphaned');
      }, 20_000);
      expect((await admin.budgetInfo(['gold']))[0]).to.include({ max_budget: 5 });
      await eventually(async () => {
        const left = await plane.kubectl(['get', 'crd', '-o', 'name']);
        expect(left).not.to.match(/gatewaycustomers|gatewaybudgets/);
      });
    } finally {
      await operator.end();
      await admin.close();
    }
  });
});
