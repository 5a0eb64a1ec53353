/** Wrong answers of a gateway. */
import { setTimeout as delay } from 'node:timers/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { customers, instances } from '../../../operator/api/kinds.ts';
import { annotations, type GatewayCustomer } from '../../../operator/api/v1alpha1/v1alpha1.ts';
import { eventually } from '../../../operator/runtime/testing/testing.ts';
import { startDevGateway } from '../../harness/gateway/gateway.ts';
import { type GatewayCall, type HostileGateway, startHostileGateway, type Treatment } from './hostileGateway.ts';
import { Admin, differences, type RecordsById } from './records.ts';
import { isSynced, messagesOf, unexplainedObjects } from './conditions.ts';
import type { Context, OperatorAttack } from './testbed.ts';

const HOSTILE_MS = 4_000;
/** The operator abandons a call after 10 to 15 s, and probes every minute after a 429 with `retry-after` of an hour. */
const CONVERGED_WITHIN_MS = 90_000;

/** What happens to a customer resource while the gateway misbehaves. */
type Role = 'kept' | 'changed' | 'deleted' | 'created';

/** One hostile gateway with four customers. */
class Scene {
  readonly context: Context;
  readonly gateway: HostileGateway;
  readonly admin: Admin;
  readonly masterKey: string;

  constructor(context: Context, gateway: HostileGateway, admin: Admin, masterKey: string) {
    this.context = context;
    this.gateway = gateway;
    this.admin = admin;
    this.masterKey = masterKey;
  }

  idOf(role: Role | 'foreign'): string {
    return `${this.context.namespace}.${role}`;
  }

  async create(role: Role): Promise<void> {
    const { testbed, namespace } = this.context;
    const spec = { instanceRef: { name: 'main' }, customerId: this.idOf(role), alias: 'One', maxBudget: 5 };
    await testbed.client.create(customers, { metadata: { namespace, name: role }, spec } as object);
  }

  list(): Promise<GatewayCustomer[]> {
    return this.context.testbed.client.list(customers, { namespace: this.context.namespace });
  }

  /** Requests an immediate sync of all resources. */
  async requestSync(): Promise<void> {
    const { testbed, namespace } = this.context;
    const patch = { metadata: { annotations: { [annotations.syncRequested]: String(performance.now()) } } };
    for (const { metadata } of await this.list()) {
      await testbed.client.patch(customers, { namespace, name: metadata.name }, patch).catch(() => undefined);
    }
    await testbed.client.patch(instances, { namespace, name: 'main' }, patch);
  }
}

async function scene(context: Context): Promise<{ readonly scene: Scene; readonly stop: () => Promise<void> }> {
  const { testbed, namespace, canaries } = context;
  const masterKey = `sk-${canaries.token()}`;
  const truth = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
  const gateway = await startHostileGateway(() => truth.url);
  await testbed.namespace(namespace);
  await testbed.secret(namespace, 'gateway', masterKey);
  const spec = { endpoint: gateway.url, proxyName: 'litellm', masterKeySecretRef: { name: 'gateway', key: 'key' } };
  await testbed.client.create(instances, { metadata: { namespace, name: 'main' }, spec } as object);
  const admin = new Admin(() => truth.url, masterKey);
  return {
    scene: new Scene(context, gateway, admin, masterKey),
    stop: async () => {
      await gateway.stop();
      await truth.stop();
    },
  };
}

/** An attack: the gateway misbehaves while its customers change. Afterwards, the records must match the resources. */
function answerAttack(
  name: string,
  behavior: (scene: Scene) => (call: GatewayCall) => Treatment,
  how: { readonly during?: (scene: Scene) => Promise<string[]> } = {},
): OperatorAttack {
  return {
    name,
    run: async (context) => {
      const { scene: set, stop } = await scene(context);
      try {
        return await play(set, behavior(set), how);
      } finally {
        await stop();
      }
    },
  };
}

async function play(
  scene: Scene,
  behavior: (call: GatewayCall) => Treatment,
  how: { readonly during?: (scene: Scene) => Promise<string[]> },
): Promise<string[]> {
  const { testbed, namespace } = scene.context;
  const faults: string[] = [];
  await scene.admin.call('/budget/new', { budget_id: 'gold', max_budget: 7 });
  await scene.admin.call('/customer/new', { user_id: scene.idOf('foreign'), alias: 'Another owner' });
  for (const role of ['kept', 'changed', 'deleted'] as const) await scene.create(role);
  await eventually(async () => {
    if (!(await scene.list()).every(isSynced)) throw new Error('The customers were not synced before the attack.');
  }, CONVERGED_WITHIN_MS);

  scene.gateway.behavior = behavior;
  await testbed.client.patch(customers, { namespace, name: 'changed' }, { spec: { alias: 'Two', maxBudget: 6 } });
  await testbed.client.delete(customers, { namespace, name: 'deleted' });
  await scene.create('created');
  await scene.requestSync();
  await delay(HOSTILE_MS);
  const remaining = await scene.list();
  const records = await scene.admin.records();
  if (records[scene.idOf('deleted')] !== undefined && !remaining.some(({ metadata }) => metadata.name === 'deleted')) {
    faults.push('a resource was deleted while the gateway still had its record');
  }
  faults.push(...(await unexplainedObjects(testbed.client, namespace)));
  faults.push(...((await how.during?.(scene)) ?? []));

  scene.gateway.behavior = () => 'pass';
  await scene.requestSync();
  const expected: RecordsById = {
    [scene.idOf('foreign')]: { alias: 'Another owner', blocked: false, maxBudget: null },
    [scene.idOf('kept')]: { alias: 'One', blocked: false, maxBudget: 5 },
    [scene.idOf('changed')]: { alias: 'Two', blocked: false, maxBudget: 6 },
    [scene.idOf('created')]: { alias: 'One', blocked: false, maxBudget: 5 },
  };
  await eventually(async () => {
    const left = await scene.list();
    const waiting = left.filter((one) => !isSynced(one)).map((one) => `${one.metadata.name} (${messagesOf(one)})`);
    if (waiting.length > 0) throw new Error(`not synced after the attack: ${waiting.join(', ')}`);
    if (left.some(({ metadata }) => metadata.name === 'deleted'))
      throw new Error('the deletion of a resource did not complete');
    const wrong = differences(expected, await scene.admin.records());
    if (wrong.length > 0) throw new Error(wrong.join('; '));
  }, CONVERGED_WITHIN_MS).catch((error: unknown) => faults.push((error as Error).message));
  const budgets = await scene.admin.budgets();
  if (!budgets.includes('gold')) faults.push('a foreign budget tier was deleted');
  if (budgets.length !== 4) faults.push(`the gateway has ${budgets.length} budget rows, not 4`);
  return faults;
}

/** Whether a call is about customers. The answers determine what the operator writes and deletes. */
const isAboutCustomers = ({ path }: GatewayCall): boolean =>
  path.startsWith('/customer/') || path.startsWith('/end_user/');
const always =
  (treatment: Treatment): (() => () => Treatment) =>
  () =>
  () =>
    treatment;
const not200 = (status: number, body: string, headers: Record<string, string> = {}): Treatment => ({
  status,
  body,
  headers,
});

const reachable = async ({ context: { testbed, namespace } }: Scene): Promise<string[]> => {
  const [instance] = await testbed.client.list(instances, { namespace });
  const condition = instance?.status?.conditions?.find(({ type }) => type === 'Reachable');
  return condition?.status === 'True' ? ['the condition Reachable of the instance is True'] : [];
};

/** Misleading 404s: from another server at the gateway's address, or for a wrong path. */
const NOT_FOUND: Readonly<Record<string, Treatment>> = {
  'no-route': not200(404, '{"message":"no Route matched with those values"}'),
  'empty-404': not200(404, ''),
  'kubernetes-404': not200(
    404,
    '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","code":404}',
  ),
  'html-404': not200(404, '<html><h1>404 Not Found</h1><hr>nginx</html>', { 'content-type': 'text/html' }),
  'wrong-path': not200(404, '{"detail":"Not Found"}'),
};

const wrongAnswers: readonly OperatorAttack[] = [
  answerAttack(
    'error-with-200',
    always({ status: 200, body: '{"error":{"message":"Something went wrong","code":"500"}}' }),
  ),
  answerAttack(
    'deletion-with-200',
    () =>
      ({ path }) =>
        path === '/customer/delete'
          ? { status: 200, body: '{"error":{"message":"The database is read-only"}}' }
          : 'pass',
  ),
  answerAttack('login-page', always(not200(200, '<html><form>Log in</form></html>', { 'content-type': 'text/html' }))),
  answerAttack('wrong-types', always({ status: 200, body: '[[null, 1e999, {"user_id": 7}]]' })),
  answerAttack(
    'rate-limited',
    always(not200(429, '{"error":{"message":"Too many requests"}}', { 'retry-after': '3600' })),
    {
      during: async (scene) => {
        const created = (await scene.list()).find(({ metadata }) => metadata.name === 'created');
        const messages = created === undefined ? '' : messagesOf(created);
        return messages.includes('RateLimited')
          ? []
          : [`a new customer does not report RateLimited. Its conditions: ${messages}`];
      },
    },
  ),
  answerAttack('forbidden-address', always(not200(403, '{"error":{"message":"ip not allowed"}}'))),
  answerAttack('echoed-secrets', (scene) => {
    const secret = `Authorization: Bearer ${scene.masterKey} was rejected for ${scene.context.canaries.email()}`;
    return () => not200(500, JSON.stringify({ error: { message: secret } }));
  }),
  answerAttack(
    'wrong-ids',
    (scene) =>
      ({ path }) =>
        path === '/customer/info'
          ? (answer) => ({
              ...answer,
              body: answer.body.replaceAll(/"user_id": ?"[^"]*"/g, `"user_id":"${scene.idOf('foreign')}"`),
            })
          : 'pass',
  ),
  answerAttack(
    'ignored-writes',
    () => (call) => (isAboutCustomers(call) && call.method === 'POST' ? { status: 200, body: '{}' } : 'pass'),
  ),
];

const silences: readonly OperatorAttack[] = (['hang', 'reset', 'cut', 'trickle', 'endless'] as const).map((treatment) =>
  answerAttack(treatment, always(treatment)),
);

const redirect: OperatorAttack = {
  name: 'redirect',
  run: async (context) => {
    let redirected = 0;
    const trap = createServer((_, response) => {
      redirected += 1;
      response.end('{}');
    });
    trap.listen(0, '127.0.0.1');
    await once(trap, 'listening');
    const location = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/`;
    try {
      const faults = await answerAttack('redirect', always(not200(307, '', { location }))).run(context);
      return redirected > 0 ? [...faults, 'the operator followed a redirect and sent its key'] : faults;
    } finally {
      trap.close();
      trap.closeAllConnections();
    }
  },
};

export const answerAttacks: readonly OperatorAttack[] = [
  ...Object.entries(NOT_FOUND).map(([name, treatment]) => answerAttack(name, always(treatment), { during: reachable })),
  ...wrongAnswers,
  ...silences,
  redirect,
];
