/** Wrong answers of a gateway. */
import { setTimeout as delay } from 'node:timers/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { customers, instances } from '../../../operator/api/kinds.ts';
import {
  type Fault,
  type SeenCall,
  startTestProxy,
  type TestProxy,
} from '../../../operator/gateway/testing/testProxy.ts';
import { startDevGateway } from '../../harness/gateway/gateway.ts';
import { faultsUntil, isSynced, messagesOf } from './namespace.ts';
import { Admin, differences, type RecordsById } from './records.ts';
import type { Context, OperatorAttack } from './testbed.ts';

const HOSTILE_MS = 4_000;
/** The operator abandons a call after 10 to 15 s, and probes every minute after a 429 with `retry-after` of an hour. */
const CONVERGED_WITHIN_MS = 90_000;

/** One hostile gateway with four customers, which are named after what happens to them while it misbehaves. */
interface Scene {
  readonly context: Context;
  readonly gateway: TestProxy;
  /** The admin API of the correct gateway. */
  readonly admin: Admin;
  readonly masterKey: string;
  readonly idOf: (role: 'kept' | 'changed' | 'deleted' | 'created' | 'foreign') => string;
}

/** An attack: the gateway misbehaves while its customers change. Afterwards, the records must match the resources. */
function answerAttack(
  name: string,
  behavior: (scene: Scene) => (call: SeenCall) => Fault | undefined,
  during: (scene: Scene) => Promise<string[]> = () => Promise.resolve([]),
): OperatorAttack {
  return {
    name,
    run: async (context) => {
      const masterKey = `sk-${context.canaries.token()}`;
      const truth = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
      const gateway = await startTestProxy(truth.url);
      const admin = new Admin(() => truth.url, masterKey);
      try {
        await context.home.instance('main', gateway.url, masterKey);
        const scene: Scene = { context, gateway, admin, masterKey, idOf: (role) => `${context.home.name}.${role}` };
        return await play(scene, behavior(scene), during);
      } finally {
        await gateway.stop();
        await truth.stop();
      }
    },
  };
}

async function play(
  scene: Scene,
  behavior: (call: SeenCall) => Fault | undefined,
  during: (scene: Scene) => Promise<string[]>,
): Promise<string[]> {
  const { admin, gateway, idOf } = scene;
  const { home } = scene.context;
  const create = (role: 'kept' | 'changed' | 'deleted' | 'created'): Promise<void> =>
    home.customer(role, { customerId: idOf(role), alias: 'One', maxBudget: 5 });
  await admin.call('/budget/new', { budget_id: 'gold', max_budget: 7 });
  await admin.call('/customer/new', { user_id: idOf('foreign'), alias: 'Another owner' });
  for (const role of ['kept', 'changed', 'deleted'] as const) await create(role);
  for (const role of ['kept', 'changed', 'deleted']) await home.untilSynced(role, CONVERGED_WITHIN_MS);

  gateway.fault = behavior;
  await home.client.patch(customers, home.key('changed'), { spec: { alias: 'Two', maxBudget: 6 } });
  await home.delete('deleted');
  await create('created');
  await home.requestSync();
  await delay(HOSTILE_MS);
  const faults: string[] = [];
  const remaining = await home.customers();
  const records = await admin.records();
  if (records[idOf('deleted')] !== undefined && !remaining.some(({ metadata }) => metadata.name === 'deleted')) {
    faults.push('a resource was deleted while the gateway still had its record');
  }
  faults.push(...(await home.unexplained()), ...(await during(scene)));

  gateway.fault = () => undefined;
  await home.requestSync();
  const expected: RecordsById = {
    [idOf('foreign')]: { alias: 'Another owner', blocked: false, maxBudget: null },
    [idOf('kept')]: { alias: 'One', blocked: false, maxBudget: 5 },
    [idOf('changed')]: { alias: 'Two', blocked: false, maxBudget: 6 },
    [idOf('created')]: { alias: 'One', blocked: false, maxBudget: 5 },
  };
  const unhealed = await faultsUntil(async () => {
    const left = await home.customers();
    return [
      ...left.filter((one) => !isSynced(one)).map((one) => `not synced after the attack: ${messagesOf(one)}`),
      ...(left.length > 3 ? ['the deletion of a resource did not complete'] : []),
      ...differences(expected, await admin.records()),
    ];
  }, CONVERGED_WITHIN_MS);
  const budgets = await admin.budgets();
  return [
    ...faults,
    ...unhealed,
    ...(budgets.includes('gold') ? [] : ['a foreign budget tier was deleted']),
    ...(budgets.length === 4 ? [] : [`the gateway has ${budgets.length} budget rows, not 4`]),
  ];
}

/** Whether a call is about customers. The answers determine what the operator writes and deletes. */
const isAboutCustomers = ({ path }: SeenCall): boolean =>
  path.startsWith('/customer/') || path.startsWith('/end_user/');
const always =
  (fault: Fault): (() => () => Fault) =>
  () =>
  () =>
    fault;
const reply = (status: number, body: string, headers: Record<string, string> = {}): Fault => ({
  kind: 'answer',
  status,
  body,
  headers,
});

const reachable = async ({ context: { home } }: Scene): Promise<string[]> => {
  const instance = await home.client.get(instances, home.key('main'));
  const condition = instance.status?.conditions?.find(({ type }) => type === 'Reachable');
  return condition?.status === 'True' ? ['the condition Reachable of the instance is True'] : [];
};

/** Misleading 404s: from another server at the gateway's address, or for a wrong path. */
const NOT_FOUND: Readonly<Record<string, Fault>> = {
  'no-route': reply(404, '{"message":"no Route matched with those values"}'),
  'empty-404': reply(404, ''),
  'kubernetes-404': reply(
    404,
    '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","code":404}',
  ),
  'html-404': reply(404, '<html><h1>404 Not Found</h1><hr>nginx</html>', { 'content-type': 'text/html' }),
  'wrong-path': reply(404, '{"detail":"Not Found"}'),
};

const HTML = { 'content-type': 'text/html' };
const READ_ONLY = reply(200, '{"error":{"message":"The database is read-only"}}');

const wrongAnswers: readonly OperatorAttack[] = [
  answerAttack('error-with-200', always(reply(200, '{"error":{"message":"Something went wrong","code":"500"}}'))),
  answerAttack(
    'deletion-with-200',
    () =>
      ({ path }) =>
        path === '/customer/delete' ? READ_ONLY : undefined,
  ),
  answerAttack('login-page', always(reply(200, '<html><form>Log in</form></html>', HTML))),
  answerAttack('wrong-types', always(reply(200, '[[null, 1e999, {"user_id": 7}]]'))),
  answerAttack(
    'rate-limited',
    always(reply(429, '{"error":{"message":"Too many requests"}}', { 'retry-after': '3600' })),
    async ({ context: { home } }) => {
      const messages = messagesOf(await home.client.get(customers, home.key('created')));
      const isReported = messages.includes('RateLimited');
      return isReported ? [] : [`a new customer does not report RateLimited. Its conditions: ${messages}`];
    },
  ),
  answerAttack('forbidden-address', always(reply(403, '{"error":{"message":"ip not allowed"}}'))),
  answerAttack('echoed-secrets', (scene) => {
    const secret = `Authorization: Bearer ${scene.masterKey} was rejected for ${scene.context.canaries.email()}`;
    return () => reply(500, JSON.stringify({ error: { message: secret } }));
  }),
  answerAttack('wrong-ids', ({ idOf }) => {
    const wrong = (body: string): string => body.replaceAll(/"user_id": ?"[^"]*"/g, `"user_id":"${idOf('foreign')}"`);
    const change: Fault = { kind: 'change', to: (answer) => ({ ...answer, body: wrong(answer.body) }) };
    return ({ path }) => (path.startsWith('/customer/info?') ? change : undefined);
  }),
  answerAttack(
    'ignored-writes',
    () => (call) => (isAboutCustomers(call) && call.method === 'POST' ? reply(200, '{}') : undefined),
  ),
  answerAttack('reset', always({ kind: 'breakBefore' })),
  ...(['hang', 'cut', 'trickle', 'endless'] as const).map((kind) => answerAttack(kind, always({ kind }))),
];

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
      const faults = await answerAttack('redirect', always(reply(307, '', { location }))).run(context);
      return redirected > 0 ? [...faults, 'the operator followed a redirect and sent its key'] : faults;
    } finally {
      trap.close();
      trap.closeAllConnections();
    }
  },
};

export const answerAttacks: readonly OperatorAttack[] = [
  ...Object.entries(NOT_FOUND).map(([name, treatment]) => answerAttack(name, always(treatment), reachable)),
  ...wrongAnswers,
  redirect,
];
