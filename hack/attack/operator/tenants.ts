/** A tenant against another: each is the admin of a namespace of its own, and both have an instance. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { budgets, customers, instances } from '../../../operator/api/kinds.ts';
import { annotations } from '../../../operator/api/v1alpha1/v1alpha1.ts';
import { startTestProxy } from '../../../operator/gateway/testing/testProxy.ts';
import { type DevGateway, startDevGateway } from '../../harness/gateway/gateway.ts';
import { faultsUntil, isSynced, messagesOf, secrets } from './namespace.ts';
import { Admin, differences, type RecordsById } from './records.ts';
import { Tenant } from './tenant.ts';
import type { Context, OperatorAttack } from './testbed.ts';

const MASTER_KEY = 'sk-of-the-victim';
const RECORDS: RecordsById = { 'acme-001': { alias: 'Victim', blocked: true, maxBudget: null } };

/** A victim with a blocked customer at its gateway, and an attacker who knows its names and no key. */
interface Scene {
  readonly context: Context;
  readonly gateway: DevGateway;
  readonly admin: Admin;
  readonly victim: Tenant;
  readonly attacker: Tenant;
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
      const { testbed, home } = context;
      const gateway = await startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm' });
      const tenants: Tenant[] = [];
      try {
        for (const role of ['victim', 'attacker']) tenants.push(await Tenant.start(testbed, `${home.name}-${role}`));
        const [victim, attacker] = tenants as [Tenant, Tenant];
        const allowedNamespaces = how.allows === true ? [attacker.name] : [];
        await victim.instance('main', gateway.url, MASTER_KEY, { allowedNamespaces });
        await victim.customer('acme', { customerId: 'acme-001', alias: 'Victim', blocked: true });
        await victim.untilSynced('acme');
        const admin = new Admin(() => gateway.url, MASTER_KEY);
        const scene: Scene = { context, gateway, admin, victim, attacker };
        return [...(await attack(scene)), ...(await faultsOfVictim(scene))];
      } finally {
        for (const tenant of tenants) await tenant.close();
        await gateway.stop();
      }
    },
  };
}

async function faultsOfVictim({ admin, victim, attacker }: Scene): Promise<string[]> {
  const wrong = differences(RECORDS, await admin.records());
  const customer = await victim.client.get(customers, victim.key('acme'));
  const unsynced = isSynced(customer) ? [] : [`the victim's customer is not synced: ${messagesOf(customer)}`];
  const shown = (await attacker.sees()).includes(MASTER_KEY) ? ["the attacker reads the victim's master key"] : [];
  return [...wrong, ...unsynced, ...shown];
}

/** What the shipped roles give an admin of one namespace. */
const foreignObjects = tenantAttack('tenant-reads-another', async ({ attacker, victim }) => {
  await attacker.instance('main', 'http://127.0.0.1:9', 'sk-none');
  const [own, there] = [attacker.key('main'), { namespace: victim.name }];
  const tries: [what: string, call: Parameters<Tenant['isRefused']>[1]][] = [
    ["read the victim's Secret", (client) => client.get(secrets, victim.key('main'))],
    ["list the victim's customers", (client) => client.list(customers, there)],
    ['list the instances of all namespaces', (client) => client.list(instances)],
    ["change the victim's customer", (client) => client.patch(customers, victim.key('acme'), { spec: {} })],
    ["delete the victim's instance", (client) => client.delete(instances, victim.key('main'))],
    [
      'write a status, which the operator trusts',
      (client) => client.patch(instances, own, { status: {} }, { subresource: 'status' }),
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
    const faults = await attacker.unexplained();
    const seen = context.canaries.scan(await attacker.sees());
    return [...faults, ...seen.map((token) => `the attacker reads ${token}, which another server told the operator`)];
  } finally {
    server.closeAllConnections();
    server.close();
    await context.testbed.clear(attacker);
  }
});

/** An id that looks like another one is another customer, whom the block does not concern. */
const lookalikes = tenantAttack(
  'tenant-imitates-an-id',
  async ({ attacker, victim }) => {
    const faults: string[] = [];
    const instanceRef = { name: 'main', namespace: victim.name };
    const lookalike = ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u202c', '\u3164', '\ufe0f', '\u00a0', '\u{e0041}'];
    for (const [at, character] of lookalike.entries()) {
      for (const customerId of [`acme-001${character}`, `ac${character}me-001`, `${character}acme-001`]) {
        const spec = { instanceRef, customerId };
        const isAccepted = await attacker.isAccepted(customers, `like-${at}-${faults.length}`, spec);
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
  const hostile = await startTestProxy(gateway.url);
  try {
    let count = 0;
    hostile.fault = () => ({ kind: 'answer', status: 404, body: `{"error":"key=${(count += 1)}"}` });
    await attacker.instance('changing', hostile.url, 'sk-a');
    await delay(20_000);
    // Three calls for each probe, at the start and a minute later.
    const faults = count > 8 ? [`${count} probes in 20 s at a gateway that confirms nothing`] : [];
    const shown = await attacker.sees();
    if (!shown.includes('the response was another one before')) faults.push('no condition says what is missing');

    hostile.fault = ({ method, path }) => {
      const { pathname, searchParams } = new URL(path, hostile.url);
      const id = searchParams.get('end_user_id') ?? '';
      const known = { status: 200, body: JSON.stringify({ user_id: id }) };
      const unknown = { status: 404, body: `{"error":"No customer has key=${id}"}` };
      if (pathname === '/customer/info' && method === 'GET') {
        return { kind: 'change', to: ({ status }) => (status === 404 ? unknown : known) };
      }
      if (pathname === '/customer/info/gcust-no-such-path') {
        return { kind: 'answer', status: 404, body: '{"error":"no such path"}' };
      }
      return pathname === '/customer/delete' ? { kind: 'change', to: () => ({ status: 200, body: '{}' }) } : undefined;
    };
    await attacker.instance('keyed', hostile.url, 'sk-a');
    await attacker.customer('gone', { instanceRef: { name: 'keyed' }, customerId: 'gone' });
    await attacker.untilSynced('gone');
    await attacker.delete('gone');
    return [...faults, ...(await attacker.deleted())];
  } finally {
    await context.testbed.clear(attacker);
    await hostile.stop();
    await gateway.stop();
  }
});

/** A second writer, such as an operator in another cluster with the same customer. */
const secondWriter = tenantAttack('second-writer', async ({ victim, admin }) => {
  const read = () => victim.client.get(customers, victim.key('acme'));
  const faults: string[] = [];
  for (const round of ['1', '2', '3']) {
    await admin.call('/customer/update', { user_id: 'acme-001', alias: 'Of another cluster', blocked: false });
    await victim.requestSync(round);
    faults.push(
      ...(await faultsUntil(async () => {
        const isHandled = (await read()).status?.lastHandledSyncRequest === round;
        return isHandled ? [] : ['the operator does not handle a sync request'];
      })),
    );
  }
  const customer = await read();
  if (!messagesOf(customer).includes('Overwritten')) {
    faults.push(`the victim does not report the second writer: ${messagesOf(customer)}`);
  }
  // A new resource with the same name begins without it.
  await victim.delete('acme');
  faults.push(...(await victim.deleted()));
  await victim.customer('acme', customer.spec);
  await victim.untilSynced('acme');
  return faults;
});

/** A customer of the attacker's own gateway, whose instance then names the victim's. */
const movedEndpoint = tenantAttack('tenant-moves-its-endpoint', async ({ attacker, gateway }) => {
  const own = await startDevGateway({ port: 0, masterKey: 'sk-a', proxyName: 'litellm' });
  const acme = attacker.key('acme');
  try {
    await attacker.instance('main', own.url, 'sk-a');
    await attacker.customer('acme', { customerId: 'acme-001', alias: 'Stolen' });
    await attacker.untilSynced('acme');
    const pause = (value: string | null) =>
      attacker.client.patch(customers, acme, { metadata: { annotations: { [annotations.paused]: value } } });
    await pause('true');
    await attacker.client.patch(instances, attacker.key('main'), { spec: { endpoint: gateway.url } });
    await attacker.client.patch(customers, acme, { spec: { blocked: false } });
    await pause(null);
    const faults = await faultsUntil(async () => {
      const isStillSynced = isSynced(await attacker.client.get(customers, acme));
      return isStillSynced ? ['the customer still counts as synced at the new gateway'] : [];
    });
    await attacker.delete('acme');
    return [...faults, ...(await attacker.deleted())];
  } finally {
    await own.stop();
  }
});

/** A record that paid calls created, and a copy of the mark of the victim's customer. */
const foreignRecords = tenantAttack(
  'tenant-takes-records',
  async ({ admin, attacker, victim }) => {
    await admin.call('/customer/new', { user_id: 'paid', alias: 'Of paid calls' });
    const instanceRef = { name: 'main', namespace: victim.name };
    const taken = { instanceRef, blocked: false, alias: 'Stolen', adoptionPolicy: 'Adopt' };
    await attacker.customer('paid', { ...taken, customerId: 'paid' });
    // The attacker cannot read the mark. It must be of no use even so.
    const { metadata: marked } = await victim.client.get(customers, victim.key('acme'));
    const mark = marked.annotations?.[annotations.ownerMark];
    if (mark === undefined) throw new Error('The customer of the victim has no mark.');
    const metadata = { ...attacker.key('acme'), annotations: { [annotations.ownerMark]: mark } };
    const spec = { ...taken, customerId: 'acme-001' };
    await attacker.client.create(customers, { metadata, spec } as object);
    const faults = await attacker.unexplained();
    for (const customer of await attacker.customers()) {
      if (isSynced(customer)) faults.push(`the attacker has the record of customer ${customer.spec.customerId}`);
      await attacker.delete(customer.metadata.name);
    }
    faults.push(...(await attacker.deleted()));
    const { paid } = await admin.records();
    if (paid?.alias !== 'Of paid calls') faults.push('the record of paid calls was changed or deleted');
    await admin.call('/customer/delete', { user_ids: ['paid'] });
    return faults;
  },
  { allows: true },
);

/** Uses of a budget by who must not use it hold neither the budget nor its namespace. */
const heldBudget = tenantAttack('tenant-holds-a-budget', async ({ attacker, gateway, victim }) => {
  const spec = { instanceRef: { name: 'main' }, maxBudget: 1 };
  await victim.client.create(budgets, { metadata: victim.key('gold'), spec } as object);
  await attacker.instance('main', gateway.url, 'sk-wrong', { defaultCustomerBudget: { budgetId: 'gold' } });
  await attacker.customer('own', { customerId: 'own', budgetId: 'gold' });
  const instanceRef = { name: 'main', namespace: victim.name };
  await attacker.customer('theirs', { instanceRef, customerId: 'theirs', budgetId: 'gold' });
  const faults = await attacker.unexplained();
  await victim.client.delete(budgets, victim.key('gold'));
  const held = await faultsUntil(async () => {
    const left = await victim.client.list(budgets, { namespace: victim.name });
    return left.map(() => 'the budget of the victim cannot be deleted');
  });
  return [...faults, ...held];
});

/** Customers that their instance does not admit hold neither their namespace nor the instance. */
const notAllowed = tenantAttack('not-allowed-namespaces', async ({ admin, attacker, gateway, victim }) => {
  await admin.call('/customer/new', { user_id: 'foreign', alias: 'Another owner' });
  await victim.instance('other', gateway.url, MASTER_KEY);
  const instanceRef = { name: 'other', namespace: victim.name };
  const spec = { instanceRef, customerId: 'foreign', alias: 'Mine' };
  for (const name of ['stays', 'goes']) await attacker.customer(name, spec);
  const faults = await attacker.unexplained();
  await attacker.delete('goes');
  faults.push(...(await attacker.deleted()));
  await victim.client.delete(instances, victim.key('other'));
  faults.push(...(await victim.deleted()));
  const { foreign } = await admin.records();
  if (foreign?.alias !== 'Another owner') faults.push('the record of another owner was changed or deleted');
  await admin.call('/customer/delete', { user_ids: ['foreign'] });
  return faults;
});

/** An instance at the same gateway, with the same key, whose customer claims a record of the victim. */
const sharedGateway = tenantAttack('shared-gateway', async ({ admin, attacker, context, gateway, victim }) => {
  const owner = `owner-${context.random.letters(10)}`;
  const faults: string[] = [];
  const unharmed = async (when: string): Promise<void> => {
    const expected = { ...RECORDS, shared: { alias: 'Owned', blocked: false, maxBudget: 5 } };
    faults.push(...differences(expected, await admin.records()).map((one) => `${when}: ${one}`));
    if (!isSynced(await victim.client.get(customers, victim.key(owner)))) {
      faults.push(`${when}: the owner's resource is not synced`);
    }
  };
  await victim.customer(owner, { customerId: 'shared', alias: 'Owned', maxBudget: 5 });
  await victim.untilSynced(owner);
  await attacker.instance('main', gateway.url, MASTER_KEY);
  await attacker.customer('thief', { customerId: 'shared', alias: 'Stolen', blocked: true, adoptionPolicy: 'Adopt' });
  faults.push(...(await attacker.unexplained()));
  await delay(1_500);
  await unharmed('while another namespace claims it');
  if ((await attacker.sees()).includes(owner)) {
    faults.push('the namespace that claims the record is told the name of its owner');
  }
  await attacker.delete('thief');
  faults.push(...(await attacker.deleted()));
  await unharmed('after the other claim was deleted');
  await victim.delete(owner);
  return [...faults, ...(await victim.deleted())];
});

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
  notAllowed,
  sharedGateway,
];
