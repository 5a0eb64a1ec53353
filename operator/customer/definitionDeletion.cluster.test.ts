/** The deletion of the CustomResourceDefinitions, on a separate control plane because it affects the whole cluster. */
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { startDevGateway, type DevGateway } from '../../hack/harness/gateway/gateway.ts';
import { budgetRowId, GatewayClient, RateLimiter } from '../gateway/gateway.ts';
import { eventually, KubectlUser, TestOperator } from './testing/testOperator.ts';
import { connectionOf } from './testing/testDependencies.ts';

describe('deletion of the CustomResourceDefinitions', function () {
  this.timeout(120_000);
  const masterKey = 'sk-master';
  const cluster = withControlPlane('own');
  let gateway: DevGateway;

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
  });
  after(() => gateway.stop());

  it('orphans every record and reports it', async () => {
    const user = new KubectlUser(cluster().kubeConfig(), await cluster().createNamespace());
    const connection = connectionOf(gateway.url, masterKey);
    const admin = new GatewayClient(connection, new RateLimiter(connection.rateLimit));
    const operator = new TestOperator(cluster().kubeConfig(), []);
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
      await cluster().kubectl(['delete', 'crd', ...definitions, '--wait=false']);
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
        const left = await cluster().kubectl(['get', 'crd', '-o', 'name']);
        expect(left).not.to.match(/gatewaycustomers|gatewaybudgets/);
      });
    } finally {
      await operator.end();
      await admin.close();
    }
  });

  it('and a restore from a backup without status lose, double and give away no record', async () => {
    const [user, other] = [await newUser(), await newUser()];
    const connection = connectionOf(gateway.url, masterKey);
    const admin = new GatewayClient(connection, new RateLimiter(connection.rateLimit));
    const main = { name: 'main', namespace: user.namespace };
    const names = ['limits', 'plain', 'tier', 'unlimited'];
    let operator = new TestOperator(cluster().kubeConfig(), []);
    await operator.start();
    try {
      await eventually(() => user.list());
      await user.secret('main', masterKey);
      await eventually(() => user.instance('main', { endpoint: gateway.url, allowedNamespaces: [other.namespace] }));
      for (const one of [user, other]) {
        const alias = one.namespace;
        await eventually(() => one.budget('silver', { instanceRef: main, maxBudget: 5 }));
        await one.untilBudgetReason('silver', 'Created');
        await one.customer('limits', { instanceRef: main, alias, maxBudget: 1 });
        await one.customer('plain', { instanceRef: main, alias });
        await one.customer('tier', { instanceRef: main, alias, budgetRef: { name: 'silver' } });
        await one.customer('unlimited', { instanceRef: main, alias, maxBudget: 2 });
        for (const name of names) {
          await one.untilReason(name, 'Created');
          await spend(`${one.namespace}.${name}`);
        }
        await one.patch('unlimited', { spec: { maxBudget: null } });
        await one.until('unlimited', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
      }
      // It waits for the record of another namespace, and must not get it by the restore.
      await other.customer('thief', { instanceRef: main, customerId: `${user.namespace}.plain`, alias: 'Thief' });
      await other.untilReason('thief', 'Conflict');
      await operator.untilIdle();
      const kinds = 'gatewayinstances,gatewaybudgets,gatewaycustomers';
      const namespaces = [user.namespace, other.namespace];
      const backup = await Promise.all(
        namespaces.map(async (namespace) => {
          const text = await cluster().kubectl(['get', kinds, '--namespace', namespace, '--output', 'json']);
          return (JSON.parse(text) as { items: readonly Stored[] }).items;
        }),
      );
      const ids = namespaces.flatMap((namespace) => names.map((name) => `${namespace}.${name}`));
      const before = await records(admin, ids);

      const definitions = (await cluster().kubectl(['get', 'crd', '--output', 'name'])).trim().split('\n');
      await cluster().kubectl(['delete', ...definitions, '--timeout=60s']);
      await operator.end();
      operator = new TestOperator(cluster().kubeConfig(), []);
      await operator.start();
      await eventually(() => user.list());
      // The thief comes before the owner of the record.
      for (const item of backup.flat().sort((one, next) => order(one) - order(next))) {
        await eventually(() => restore(item));
      }
      for (const one of [user, other]) {
        for (const name of names) {
          await one.until(name, ({ status }) => status?.ownership === 'Owned' && status.synced === true);
        }
        await one.untilBudget('silver', ({ status }) => status?.ownership === 'Owned');
      }
      await other.until('thief', ({ status }) => status?.synced === false && status.ownership !== 'Owned');
      await operator.untilIdle();
      expect(await records(admin, ids)).to.deep.equal(before);
      const earlier = backup.flat().map(({ metadata }) => budgetRowId(metadata.uid));
      expect(await admin.budgetInfo(['none', ...earlier])).to.deep.equal([]);
    } finally {
      await operator.end();
      await admin.close();
    }
  });

  async function newUser(): Promise<KubectlUser> {
    return new KubectlUser(cluster().kubeConfig(), await cluster().createNamespace());
  }

  /** Makes a paid call for a customer. */
  async function spend(user: string): Promise<void> {
    const body = JSON.stringify({ model: 'gpt-4o-mini', user, messages: [{ role: 'user', content: 'Hello' }] });
    const headers = { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(response.status).to.equal(200);
  }

  /** The records of customers: their fields, limits and spend. The ids of customers' own budget rows change. */
  async function records(admin: GatewayClient, ids: readonly string[]): Promise<readonly unknown[]> {
    return await Promise.all(
      ids.map(async (id) => {
        const row: Readonly<Record<string, unknown>> = (await admin.customerInfo(id)) ?? {};
        const limits = row.litellm_budget_table as { readonly max_budget?: number } | null | undefined;
        return { id, alias: row.alias, blocked: row.blocked, spend: row.spend, limit: limits?.max_budget ?? null };
      }),
    );
  }

  /** Creates an object again, as a backup tool does: with its annotations, without its uid and status. */
  async function restore({ apiVersion, kind, metadata, spec }: Stored): Promise<void> {
    const { namespace, name, annotations = {} } = metadata;
    const object = { apiVersion, kind, metadata: { namespace, name, annotations }, spec };
    await cluster().kubectl(['create', '--filename', '-'], JSON.stringify(object));
  }
});

/** An object of a backup. */
interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

function order({ kind, metadata }: Stored): number {
  return metadata.name === 'thief' ? 1 : kind === 'GatewayInstance' ? 0 : 2;
}
