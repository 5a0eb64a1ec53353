/** The operator as a process that is killed before and after each of its calls and stopped in the middle of a sync. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { startDevGateway, type DevGateway } from '../../hack/harness/gateway/gateway.ts';
import { type ManagedProcess, removeAtExit, startProcess } from '../../hack/harness/processes.ts';
import type { GatewayCustomer, GatewayInstanceSpec } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId, GatewayClient, RateLimiter } from '../gateway/gateway.ts';
import { type Fault, type SeenCall, startTestProxy, type TestProxy } from '../gateway/testing/testProxy.ts';
import { eventually, KubectlUser } from './testing/testOperator.ts';
import { connectionOf } from './testing/testDependencies.ts';

const masterKey = 'sk-master';
const main = join(import.meta.dirname, '../main.ts');

type Phase = 'create' | 'createOwn' | 'update' | 'toTier' | 'delete';

/** The calls of each phase of a customer, in order. The number distinguishes calls of the same path. */
const phases: Readonly<Record<Phase, readonly (readonly [path: string, nth: number])[]>> = {
  create: [
    ['/budget/new', 1],
    ['/customer/new', 1],
    ['/customer/info', 1],
  ],
  // The operator must recognize the record as its own afterwards: the adoption policy refuses other records.
  createOwn: [
    ['/budget/new', 1],
    ['/customer/new', 1],
    ['/customer/info', 2],
  ],
  update: [
    ['/customer/info', 1],
    ['/budget/update', 1],
    ['/customer/update', 1],
    ['/customer/info', 2],
  ],
  toTier: [
    ['/budget/info', 1],
    ['/customer/update', 1],
    ['/budget/delete', 1],
  ],
  delete: [
    ['/customer/delete', 1],
    ['/budget/delete', 1],
  ],
};

/** One customer, and the call at which the operator is killed. */
interface Victim {
  readonly name: string;
  readonly phase: Phase;
  readonly path: string;
  readonly nth: number;
  /** Before the gateway receives the call, or after the gateway has handled it and before its response. */
  readonly when: 'before' | 'after';
}

const victims: readonly Victim[] = Object.entries(phases).flatMap(([phase, points]) =>
  points.flatMap(([path, nth]) =>
    (['before', 'after'] as const).map((when) => ({
      name: `${phase}-${path.slice(1).replace('/', '-')}-${nth}-${when}`.toLowerCase(),
      phase: phase as Phase,
      path,
      nth,
      when,
    })),
  ),
);

const creates = (phase: Phase): boolean => phase === 'create' || phase === 'createOwn';

describe('an operator that is killed', function () {
  this.timeout(120_000);
  const cluster = withControlPlane();
  let gateway: DevGateway;
  let proxy: TestProxy;
  let admin: GatewayClient;
  let user: KubectlUser;
  let operator: ManagedProcess;
  /** The uid of each customer resource. */
  const uids = new Map<string, string>();
  const folder = mkdtempSync(join(tmpdir(), 'crash-'));
  const logFile = join(folder, 'operator.log');
  removeAtExit(folder);

  const idOf = (name: string): string => `${user.namespace}.${name}`;
  const rowOf = (name: string): string => budgetRowId(uids.get(name) ?? '');
  const concerns = (call: SeenCall, name: string): boolean => {
    const named = [call.body.user_id, call.body.budget_id, call.body.id, call.body.user_ids, call.body.budgets].flat();
    return (
      call.path.endsWith(`=${encodeURIComponent(idOf(name))}`) ||
      named.includes(idOf(name)) ||
      named.includes(rowOf(name))
    );
  };
  const connectionSpec = (): Pick<GatewayInstanceSpec, 'endpoint' | 'rateLimit' | 'masterKeySecretRef'> => ({
    endpoint: proxy.url,
    rateLimit: { qps: 10_000, burst: 10_000, maxConcurrent: 4 * victims.length },
    masterKeySecretRef: { name: 'main', key: 'key' },
  });
  const start = async (): Promise<ManagedProcess> =>
    await startProcess({
      name: 'operator',
      command: process.execPath,
      args: [
        main,
        `--watch-namespaces=${user.namespace}`,
        `--namespace=${user.namespace}`,
        '--leader-elect=false',
        '--http-host=127.0.0.1',
        '--http-port=0',
        '--metrics-port=0',
        `--workers=${2 * victims.length}`,
      ],
      env: { ...process.env, KUBECONFIG: cluster().kubeconfig },
      logFile,
    });
  const settled = (name: string): Promise<GatewayCustomer> =>
    eventually(
      () =>
        user.until(
          name,
          ({ status, metadata }) => status?.synced === true && status.observedGeneration === metadata.generation,
        ),
      30_000,
    );

  /**
   * Blocks each victim at its call.
   * @returns when all victims are blocked
   */
  function holdAll(): Promise<void> {
    const seen = new Map<string, number>();
    const waiting = new Set(victims);
    return new Promise((resolve) => {
      const reached = (victim: Victim): void => {
        waiting.delete(victim);
        if (waiting.size === 0) resolve();
      };
      proxy.fault = async (call): Promise<Fault | undefined> => {
        // A budget row is identified by the uid of its resource, which the test learns shortly after the creation.
        await eventually(() =>
          uids.size === victims.length ? Promise.resolve() : Promise.reject(new Error('not yet')),
        );
        const tier: unknown = call.path === '/budget/info' ? [call.body.budgets].flat()[0] : undefined;
        const victim = victims.find(
          ({ name, path }) =>
            path === call.path.replace(/\?.*/, '') &&
            (concerns(call, name) || (tier !== undefined && tier === tierOf(name))),
        );
        if (victim === undefined) return undefined;
        const count = (seen.get(victim.name) ?? 0) + 1;
        seen.set(victim.name, count);
        if (count !== victim.nth) return undefined;
        if (victim.when === 'after')
          return {
            kind: 'hangAfter',
            done: () => {
              reached(victim);
            },
          };
        reached(victim);
        return { kind: 'hang' };
      };
    });
  }

  /** A tier for each victim: a call that looks up a tier names no customer. */
  const tierOf = (name: string): string => `tier-${user.namespace}-${name}`;

  before(async function () {
    this.timeout(180_000);
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    proxy = await startTestProxy(gateway.url);
    const connection = connectionOf(gateway.url, masterKey);
    admin = new GatewayClient(connection, new RateLimiter(connection.rateLimit));
    user = new KubectlUser(cluster().kubeConfig(), await cluster().createNamespace('crash'));
    await user.secret('main', masterKey);
    for (const { name } of victims) await admin.budgetNew({ budget_id: tierOf(name), max_budget: 1 });
    operator = await start();
    await eventually(() => user.instance('main', connectionSpec()), 60_000);

    const spec = { alias: 'One', maxBudget: 5, tpmLimit: 7 };
    const later = victims.filter(({ phase }) => !creates(phase));
    await Promise.all(later.map(({ name }) => user.customer(name, spec)));
    for (const { name } of later) uids.set(name, (await settled(name)).metadata.uid);

    proxy.calls.length = 0;
    const held = holdAll();
    await Promise.all(
      victims.map(async ({ name, phase }) => {
        if (creates(phase)) {
          await user.customer(name, phase === 'create' ? spec : { ...spec, adoptionPolicy: 'Refuse' });
          uids.set(name, (await user.get(name))?.metadata.uid ?? '');
        } else if (phase === 'update') {
          await user.patch(name, { spec: { alias: 'Two', maxBudget: 6, tpmLimit: null } });
        } else if (phase === 'toTier') {
          await user.patch(name, { spec: { maxBudget: null, tpmLimit: null, budgetId: tierOf(name) } });
        } else {
          await user.delete(name);
        }
      }),
    );
    await held;
    await operator.kill();
    proxy.fault = () => undefined;
    operator = await start();
  });
  after(async () => {
    await operator.kill();
    await admin.close();
    await proxy.stop();
    await gateway.stop();
  });

  for (const { name, phase, path, nth, when } of victims) {
    it(`${when} ${path} (${nth}) of ${phase} converges after a restart, without a duplicate or a leak`, async () => {
      const calls = (of: string): number =>
        proxy.calls.filter((call) => call.path === of && concerns(call, name)).length;
      if (phase !== 'delete') {
        await settled(name);
        const linked = phase === 'toTier' ? tierOf(name) : rowOf(name);
        expect(await admin.customerInfo(idOf(name))).to.include({
          alias: phase === 'update' ? 'Two' : 'One',
          budget_id: linked,
        });
        const [row] = await admin.budgetInfo([rowOf(name)]);
        if (creates(phase)) expect(row).to.include({ max_budget: 5, tpm_limit: 7 });
        if (phase === 'update') expect(row).to.include({ max_budget: 6, tpm_limit: null });
        if (phase === 'toTier') expect(row).to.equal(undefined);
        // One creation call, or two if the first one did not reach the gateway.
        const lost = path === '/customer/new' && when === 'before';
        expect(calls('/customer/new')).to.equal(creates(phase) ? (lost ? 2 : 1) : 0);
        await user.delete(name);
      }
      await eventually(() => user.untilGone(name), 30_000);
      expect(await admin.customerInfo(idOf(name))).to.equal(undefined);
      expect(await admin.budgetInfo([rowOf(name)])).to.deep.equal([]);
      expect((await admin.budgetInfo([tierOf(name)]))[0]).to.include({ max_budget: 1 });
    });
  }

  /** Kills the operator after the gateway has handled a matching call and before the operator receives the response. */
  const killAfter = async (isIt: (call: SeenCall) => boolean, cause: () => Promise<void>): Promise<void> => {
    const done = new Promise<void>((resolve) => {
      proxy.fault = (call) => (isIt(call) ? { kind: 'hangAfter', done: resolve } : undefined);
    });
    await cause();
    await done;
    await operator.kill();
    proxy.fault = () => undefined;
  };

  it('after it created the budget row of an instance deletes the row with the instance', async () => {
    let id = '';
    await killAfter(
      ({ path, body }) => path === '/budget/new' && (id = String(body.budget_id)).startsWith('gcust-default-'),
      () => user.instance('brief', { ...connectionSpec(), defaultCustomerBudget: { maxBudget: 5 } }),
    );
    expect(await admin.budgetInfo([id])).to.have.length(1);
    await user.delete('brief', 'gatewayinstances');
    operator = await start();
    await eventually(async () => {
      expect(await admin.budgetInfo([id])).to.deep.equal([]);
    }, 30_000);
  });

  it('after a resource took over a record deletes the record with the resource', async () => {
    const customerId = idOf('freed');
    await user.customer('older', { customerId, maxBudget: 5 });
    const older = await settled('older');
    await user.untilOlder('older');
    await user.customer('freed', { customerId, alias: 'One' });
    await eventually(() => user.untilReason('freed', 'Conflict'), 30_000);
    await killAfter(
      ({ path, body }) => path === '/customer/update' && body.user_id === customerId,
      () => user.delete('older'),
    );
    await user.delete('freed');
    operator = await start();
    await eventually(() => user.untilGone('freed'), 30_000);
    expect(await admin.customerInfo(customerId)).to.equal(undefined);
    expect(await admin.budgetInfo([budgetRowId(older.metadata.uid)])).to.deep.equal([]);
  });

  it('after it created a record in place of a refused one recognizes its record', async () => {
    const customerId = idOf('taken');
    await admin.customerNew({ user_id: customerId });
    await user.customer('taken', { alias: 'One', adoptionPolicy: 'Refuse' });
    await eventually(() => user.untilReason('taken', 'AlreadyExists'), 30_000);
    await killAfter(
      ({ path, body }) => path === '/customer/new' && body.user_id === customerId,
      async () => {
        await admin.customerDelete(customerId);
        await user.annotate('taken', 'syncRequested', 'now');
      },
    );
    operator = await start();
    await settled('taken');
    await user.delete('taken');
    await eventually(() => user.untilGone('taken'), 30_000);
    expect(await admin.customerInfo(customerId)).to.equal(undefined);
  });

  it('before it detects a lost finalizer leaves the record at the gateway (a known limit)', async () => {
    await killAfter(
      ({ path, body }) => path === '/customer/new' && body.user_id === idOf('overtaken'),
      () => user.customer('overtaken', { maxBudget: 5 }),
    );
    await user.delete('overtaken');
    await user.patch('overtaken', { metadata: { finalizers: null } });
    operator = await start();
    await user.customer('next', {});
    await settled('next');
    expect(await admin.customerInfo(idOf('overtaken'))).to.include({ user_id: idOf('overtaken') });
    // The next resource with this id adopts the record and deletes it.
    await user.customer('overtaken', { maxBudget: 7 });
    await settled('overtaken');
    await user.delete('overtaken');
    await eventually(() => user.untilGone('overtaken'), 30_000);
    expect(await admin.customerInfo(idOf('overtaken'))).to.equal(undefined);
  });

  it('by SIGTERM during a creation completes it and exits with 0', async () => {
    const creating = Promise.withResolvers<undefined>();
    proxy.fault = async ({ path }) => {
      if (path !== '/customer/new') return undefined;
      creating.resolve(undefined);
      // The gateway answers when the operator has begun to stop.
      await eventually(() => {
        expect(readFileSync(logFile, 'utf8')).to.include('Shutting down.');
      });
      return undefined;
    };
    await user.customer('nicely', { alias: 'One' });
    await creating.promise;
    await operator.stop(15_000);
    expect(operator.end).to.equal('exit code 0');
    expect((await user.get('nicely'))?.status?.synced).to.equal(true);
    expect(await admin.customerInfo(idOf('nicely'))).to.include({ alias: 'One' });
  });
});
