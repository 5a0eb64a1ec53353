/** A tenant against another: each is the admin of a namespace of its own, and both have an instance. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { budgets, customers, instances } from '../../../operator/api/kinds.ts';
import { annotations, type GatewayCustomer } from '../../../operator/api/v1alpha1/v1alpha1.ts';
import { eventually } from '../../../operator/runtime/testing/testing.ts';
import { type DevGateway, startDevGateway } from '../../harness/gateway/gateway.ts';
import { isSynced, messagesOf, unexplainedObjects } from './conditions.ts';
import { startHostileGateway } from './hostileGateway.ts';
import { Admin, differences, type RecordsById } from './records.ts';
import { Tenant } from './tenant.ts';
import { type Context, type OperatorAttack, secrets } from './testbed.ts';

const WITHIN_MS = 30_000;
const MASTER_KEY = 'sk-of-the-victim';
const RECORDS: RecordsById = { 'acme-001': { alias: 'Victim', blocked: true, maxBudget: null } };

/** A victim with a blocked customer at its gateway, and an attacker who knows its names and no key. */
interface Scene {
  readonly context: Context;
  readonly gateway: DevGateway;
  readonly admin: Admin;
  readonly victim: Tenant;
  readonly attacker: Tenant;
  readonly customerOfVictim: () => Promise<GatewayCustomer>;
}

/** An attack after which the victim must be as before. */
function tenantAttack(
  name: string,
  attack: (scene: Scene) => Promise<readonly string[]>,
  how: { readonly allows?: boolean } = {},
): OperatorAttack {
  return {
    name,
    run: async (context) => {
      const { testbed, namespace } = context;
      const gateway = await startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm' });
      const tenants: Tenant[] = [];
      try {
        for (const role of ['victim', 'attacker']) tenants.push(await Tenant.create(testbed, `${namespace}-${role}`));
        const [victim, attacker] = tenants as [Tenant, Tenant];
        const allowedNamespaces = how.allows === true ? [attacker.namespace] : [];
        await victim.instance('main', gateway.url, MASTER_KEY, { allowedNamespaces });
        const spec = { instanceRef: { name: 'main' }, customerId: 'acme-001', alias: 'Victim', blocked: true };
        await victim.customer('acme', spec);
        const customerOfVictim = (): Promise<GatewayCustomer> =>
          victim.client.get(customers, { namespace: victim.namespace, name: 'acme' });
        await untilSynced(customerOfVictim);
        const admin = new Admin(() => gateway.url, MASTER_KEY);
        const scene: Scene = { context, gateway, admin, victim, attacker, customerOfVictim };
        return [...(await attack(scene)), ...(await faultsOfVictim(scene))];
      } finally {
        for (const tenant of tenants) await tenant.close();
        await gateway.stop();
      }
    },
  };
}

async function untilSynced(read: () => Promise<GatewayCustomer>): Promise<void> {
  await eventually(async () => {
    const customer = await read();
    if (!isSynced(customer)) throw new Error(`The customer is not synced: ${messagesOf(customer)}`);
  }, WITHIN_MS);
}

async function faultsOfVictim({ admin, customerOfVictim, attacker }: Scene): Promise<string[]> {
  const wrong = differences(RECORDS, await admin.records());
  const customer = await customerOfVictim();
  const unsynced = isSynced(customer) ? [] : [`the victim's customer is not synced: ${messagesOf(customer)}`];
  const shown = (await attacker.sees()).includes(MASTER_KEY) ? ["the attacker reads the victim's master key"] : [];
  return [...wrong, ...unsynced, ...shown];
}

/** What the shipped roles give an admin of one namespace. */
const foreignObjects = tenantAttack('tenant-reads-another', async ({ attacker, victim }) => {
  const there = { namespace: victim.namespace };
  const own = { namespace: attacker.namespace };
  await attacker.instance('main', 'http://127.0.0.1:9', 'sk-none');
  const status = { subresource: 'status' } as const;
  const tries: [what: string, call: Parameters<Tenant['isRefused']>[1]][] = [
    ["read the victim's Secret", (client) => client.get(secrets, { ...there, name: 'main' })],
    ["list the victim's customers", (client) => client.list(customers, there)],
    ['list the instances of all namespaces', (client) => client.list(instances)],
    ["change the victim's customer", (client) => client.patch(customers, { ...there, name: 'acme' }, { spec: {} })],
    ["delete the victim's instance", (client) => client.delete(instances, { ...there, name: 'main' })],
    [
      'write a status, which the operator trusts',
      (client) => client.patch(instances, { ...own, name: 'main' }, { status: {} }, status),
    ],
  ];
  const faults: string[] = [];
  for (const [what, call] of tries) faults.push(...(await attacker.isRefused(what, call)));
  return faults;
});

/** What a server that only the operator reaches answers, with a canary in each place. */
function answersOf(token: () => string): readonly [status: number, type: string, body: string][] {
  return [
    [200, 'text/html', `<html><title>Console of ${token()}</title><p>${token()}</p></html>`],
    [200, 'application/json', `{"data":{"password":"${token()}"},"error":"${token()}"}`],
    [403, 'application/json', `{"kind":"Status","message":"secrets ${token()} is forbidden","reason":"${token()}"}`],
    [404, 'application/json', `{"detail":"${token()}"}`],
    [404, 'application/json', `{"error":{"message":"${token()}"}}`],
    [429, 'application/json', `{"message":"${token()}"}`],
    [500, 'text/plain', `${token()} at /srv/${token()}`],
    [502, 'application/json', `{"title":"${token()}","errors":["${token()}"]}`],
  ];
}

/** The status must not be a window into networks that the tenant cannot reach. */
const otherServers = tenantAttack('tenant-probes-servers', async ({ attacker, context }) => {
  const answers = answersOf(() => context.canaries.token());
  const server = createServer((incoming, outgoing) => {
    const at = Number(/^\/(\d+)\//.exec(incoming.url ?? '')?.[1]);
    const [status, type, body] = answers[at] ?? [404, 'text/plain', ''];
    outgoing.writeHead(status, { 'content-type': type }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const at of answers.keys()) {
      await attacker.instance(`probe-${at}`, `${origin}/${at}`, 'sk-none');
      await attacker.customer(`probe-${at}`, { instanceRef: { name: `probe-${at}` }, customerId: `probe-${at}` });
    }
    const faults = await unexplainedObjects(attacker.client, attacker.namespace);
    const seen = context.canaries.scan(await attacker.sees());
    return [...faults, ...seen.map((token) => `the attacker reads ${token}, which another server told the operator`)];
  } finally {
    server.closeAllConnections();
    server.close();
    await context.testbed.clear(attacker.namespace);
  }
});

/** An id that looks like another one is another customer, whom the block does not concern. */
const lookalikes = tenantAttack(
  'tenant-imitates-an-id',
  async ({ attacker, victim }) => {
    const faults: string[] = [];
    const instanceRef = { name: 'main', namespace: victim.namespace };
    const lookalike = ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u202c', '\u3164', '\ufe0f', '\u00a0', '\u{e0041}'];
    for (const [at, character] of lookalike.entries()) {
      for (const customerId of [`acme-001${character}`, `ac${character}me-001`, `${character}acme-001`]) {
        const created = attacker.customer(`like-${at}-${faults.length}`, { instanceRef, customerId });
        const isAccepted = await created.then(
          () => true,
          () => false,
        );
        if (isAccepted) faults.push(`a customer with the id ${JSON.stringify(customerId)} is accepted`);
      }
    }
    return faults;
  },
  { allows: true },
);

/** A gateway whose 404 is never the same, or has an unknown form. */
const neverConfirmed = tenantAttack('tenant-never-confirms', async ({ attacker, context }) => {
  const gateway = await startDevGateway({ port: 0, masterKey: 'sk-a', proxyName: 'litellm' });
  const hostile = await startHostileGateway(() => gateway.url);
  const idOf = (query: string): string => new URLSearchParams(query).get('end_user_id') ?? '';
  try {
    let count = 0;
    hostile.behavior = () => ({ status: 404, body: `{"error":"key=${(count += 1)}"}` });
    await attacker.instance('changing', hostile.url, 'sk-a');
    await delay(20_000);
    // A call for each probe and one for its control, after 0, 5 and 15 s.
    const faults = count > 8 ? [`${count} probes in 20 s at a gateway that confirms nothing`] : [];
    const shown = await attacker.sees();
    if (!shown.includes('the operator needs the same response again')) faults.push('no condition says what is missing');

    hostile.behavior = ({ method, path, query }) =>
      path === '/customer/info' && method === 'GET'
        ? (answer) => {
            if (answer.status !== 404) return { status: 200, body: JSON.stringify({ user_id: idOf(query) }) };
            return { status: 404, body: `{"error":"No customer has key=${idOf(query)}"}` };
          }
        : path === '/customer/info/gcust-no-such-path'
          ? { status: 404, body: '{"error":"no such path"}' }
          : path === '/customer/delete'
            ? () => ({ status: 200, body: '{}' })
            : 'pass';
    await attacker.instance('keyed', hostile.url, 'sk-a');
    await attacker.customer('gone', { instanceRef: { name: 'keyed' }, customerId: 'gone' });
    const key = { namespace: attacker.namespace, name: 'gone' };
    await untilSynced(() => attacker.client.get(customers, key));
    await attacker.client.delete(customers, key);
    return [...faults, ...(await untilDeleted(attacker))];
  } finally {
    await context.testbed.clear(attacker.namespace);
    await hostile.stop();
    await gateway.stop();
  }
});

/** A second writer, such as an operator in another cluster with the same customer. */
const secondWriter: OperatorAttack = tenantAttack('second-writer', async (scene) => {
  const { victim, admin, customerOfVictim } = scene;
  const faults: string[] = [];
  const key = { namespace: victim.namespace, name: 'acme' };
  for (const round of ['1', '2', '3']) {
    await admin.call('/customer/update', { user_id: 'acme-001', alias: 'Of another cluster', blocked: false });
    await victim.client.patch(customers, key, { metadata: { annotations: { [annotations.syncRequested]: round } } });
    await eventually(async () => {
      const { status } = await customerOfVictim();
      if (status?.lastHandledSyncRequest !== round) throw new Error('The operator did not handle the sync request.');
    }, WITHIN_MS);
  }
  const customer = await customerOfVictim();
  if (!messagesOf(customer).includes('Overwritten')) {
    faults.push(`the victim does not report the second writer: ${messagesOf(customer)}`);
  }
  // A new resource with the same name begins without it.
  await victim.client.delete(customers, key);
  await eventually(async () => {
    if ((await victim.client.list(customers, { namespace: victim.namespace })).length > 0)
      throw new Error('not deleted');
  }, WITHIN_MS);
  await victim.customer('acme', customer.spec);
  await untilSynced(customerOfVictim);
  return faults;
});

/** A customer of the attacker's own gateway, whose instance then names the victim's. */
const movedEndpoint = tenantAttack('tenant-moves-its-endpoint', async ({ attacker, gateway }) => {
  const own = await startDevGateway({ port: 0, masterKey: 'sk-a', proxyName: 'litellm' });
  const key = { namespace: attacker.namespace, name: 'acme' };
  const acme = (): Promise<GatewayCustomer> => attacker.client.get(customers, key);
  try {
    await attacker.instance('main', own.url, 'sk-a');
    await attacker.customer('acme', { instanceRef: { name: 'main' }, customerId: 'acme-001', alias: 'Stolen' });
    await untilSynced(acme);
    const paused = { metadata: { annotations: { [annotations.paused]: 'true' } } };
    await attacker.client.patch(customers, key, paused);
    await attacker.client.patch(instances, { ...key, name: 'main' }, { spec: { endpoint: gateway.url } });
    await attacker.client.patch(customers, key, { spec: { blocked: false } });
    await attacker.client.patch(customers, key, { metadata: { annotations: { [annotations.paused]: null } } });
    await eventually(async () => {
      if (isSynced(await acme())) throw new Error('the customer still counts as synced at the new gateway');
    }, WITHIN_MS);
    await attacker.client.delete(customers, key);
    return await untilDeleted(attacker);
  } finally {
    await own.stop();
  }
});

/** A record that paid calls created, and a copy of the mark of the victim's customer. */
const foreignRecords = tenantAttack(
  'tenant-takes-records',
  async ({ admin, attacker, victim, customerOfVictim }) => {
    await admin.call('/customer/new', { user_id: 'paid', alias: 'Of paid calls' });
    const instanceRef = { name: 'main', namespace: victim.namespace };
    const taken = { instanceRef, blocked: false, alias: 'Stolen', adoptionPolicy: 'Adopt' };
    await attacker.customer('paid', { ...taken, customerId: 'paid' });
    // The attacker cannot read the mark. It must be of no use even so.
    const { [annotations.ownerMark]: mark } = (await customerOfVictim()).metadata.annotations ?? {};
    if (mark === undefined) throw new Error('The customer of the victim has no mark.');
    const metadata = { namespace: attacker.namespace, name: 'acme', annotations: { [annotations.ownerMark]: mark } };
    const spec = { ...taken, customerId: 'acme-001' };
    await attacker.client.create(customers, { metadata, spec } as object);
    const faults = await unexplainedObjects(attacker.client, attacker.namespace);
    for (const customer of await attacker.client.list(customers, { namespace: attacker.namespace })) {
      if (isSynced(customer)) faults.push(`the attacker has the record of customer ${customer.spec.customerId}`);
      await attacker.client.delete(customers, { ...metadata, name: customer.metadata.name });
    }
    faults.push(...(await untilDeleted(attacker)));
    const { paid } = await admin.records();
    if (paid?.alias !== 'Of paid calls') faults.push('the record of paid calls was changed or deleted');
    await admin.call('/customer/delete', { user_ids: ['paid'] });
    return faults;
  },
  { allows: true },
);

/** Uses of a budget by who must not use it hold neither the budget nor its namespace. */
const heldBudget = tenantAttack('tenant-holds-a-budget', async ({ attacker, gateway, victim }) => {
  const budget = { namespace: victim.namespace, name: 'gold' };
  const spec = { instanceRef: { name: 'main' }, maxBudget: 1 };
  await victim.client.create(budgets, { metadata: budget, spec } as object);
  await attacker.instance('main', gateway.url, 'sk-wrong', { defaultCustomerBudget: { budgetId: 'gold' } });
  await attacker.customer('own', { instanceRef: { name: 'main' }, customerId: 'own', budgetId: 'gold' });
  const instanceRef = { name: 'main', namespace: victim.namespace };
  await attacker.customer('theirs', { instanceRef, customerId: 'theirs', budgetId: 'gold' });
  const faults = await unexplainedObjects(attacker.client, attacker.namespace);
  await victim.client.delete(budgets, budget);
  await eventually(async () => {
    const left = await victim.client.list(budgets, { namespace: victim.namespace });
    if (left.length > 0) throw new Error('the budget of the victim cannot be deleted');
  }, WITHIN_MS).catch((error: unknown) => faults.push((error as Error).message));
  return faults;
});

/** @returns a fault if a customer of the tenant cannot be deleted */
async function untilDeleted({ client, namespace }: Tenant): Promise<string[]> {
  const faults: string[] = [];
  await eventually(async () => {
    const left = await client.list(customers, { namespace });
    if (left.length > 0) throw new Error(`the deletion does not end: ${left.map(messagesOf).join()}`);
  }, WITHIN_MS).catch((error: unknown) => faults.push((error as Error).message));
  return faults;
}

/** Most of their time is waiting. */
export const tenantAttacks: readonly OperatorAttack[] = [
  foreignObjects,
  otherServers,
  lookalikes,
  neverConfirmed,
  secondWriter,
  movedEndpoint,
  foreignRecords,
  heldBudget,
];
