/** Resources of tenants that try to harm the operator or other tenants. */
import { setTimeout as delay } from 'node:timers/promises';
import { customers, instances } from '../../../operator/api/kinds.ts';
import { eventually, kubeEvents, type RestClient } from '../../../operator/runtime/testing/testing.ts';
import { startDevGateway } from '../../harness/gateway/gateway.ts';
import { Admin, differences } from './records.ts';
import { isSynced, messagesOf, unexplainedObjects } from './conditions.ts';
import { configMaps, type Context, type OperatorAttack, type OperatorTestbed } from './testbed.ts';

const REPORTED_WITHIN_MS = 30_000;
const masterKeySecretRef = { name: 'gateway', key: 'key' };

/**
 * Creates an object.
 *
 * @returns whether the API server accepts it
 */
async function accepted(
  testbed: OperatorTestbed,
  kind: typeof instances | typeof customers,
  object: object,
): Promise<boolean> {
  return testbed.client.create(kind as typeof instances, object).then(
    () => true,
    () => false,
  );
}

const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/;

const odd: readonly OperatorAttack[] = [
  {
    name: 'control-characters',
    run: async (context) => {
      const { testbed, namespace, random } = context;
      await testbed.namespace(namespace);
      const odd = ['a\u0007b', 'a\u001b[31mred', 'a\r\nb', '../x', '..', 'a/b', 'a b', '%00', 'x'.repeat(253)];
      for (const [at, name] of odd.entries()) {
        for (const ref of [{ name }, { name: 'main', namespace: name.slice(0, 63) }]) {
          const metadata = { namespace, name: `odd-${at}-${random.letters(4)}` };
          await accepted(testbed, customers, { metadata, spec: { instanceRef: ref, customerId: metadata.name } });
        }
      }
      const faults = await unexplainedObjects(context.testbed.client, context.namespace);
      for (const one of await testbed.client.list(customers, { namespace })) {
        if (CONTROL.test(messagesOf(one)))
          faults.push(`a condition contains control characters: ${JSON.stringify(messagesOf(one))}`);
      }
      for (const { metadata } of await testbed.client.list(customers, { namespace })) {
        await testbed.client.delete(customers, { namespace, name: metadata.name });
      }
      return [...faults, ...(await gone(context))];
    },
  },
  {
    name: 'odd-references',
    run: async (context) => {
      const { testbed, namespace } = context;
      await testbed.namespace(namespace);
      await testbed.secret(namespace, 'gateway', 'sk-none');
      const odd = ['.', '..', '../../secrets/x', 'a/b', 'a\u0000b', 'A', '-'];
      for (const [at, name] of odd.entries()) {
        const specs = [
          { endpoint: 'http://127.0.0.1:9', masterKeySecretRef: { name, key: 'key' } },
          { endpoint: 'http://127.0.0.1:9', masterKeySecretRef: { name: 'gateway', key: name } },
          { endpoint: 'http://127.0.0.1:9', masterKeySecretRef, tls: { caSecretRef: { name, key: 'key' } } },
          { serviceRef: { name }, masterKeySecretRef },
          {
            endpoint: 'http://127.0.0.1:9',
            masterKeySecretRef,
            proxyConfig: { configMapName: `config-${at}`, base: { configMapRef: { name, key: 'k' } } },
          },
        ];
        for (const [n, spec] of specs.entries()) {
          await accepted(testbed, instances, { metadata: { namespace, name: `odd-${at}-${n}` }, spec });
        }
      }
      return unexplainedObjects(context.testbed.client, context.namespace);
    },
  },
  {
    name: 'bad-endpoints',
    run: async (context) => {
      const { testbed, namespace } = context;
      await testbed.namespace(namespace);
      await testbed.secret(namespace, 'gateway', 'sk-none');
      const odd = [
        'http://127.0.0.1:99999',
        'http://127.0.0.1:0',
        'http://127.0.0.1:1',
        'http://[::1',
        'http://[::1]:1',
        'http://a..b',
        'http://%00',
        'http://256.256.256.256',
        'http://xn--a',
        'https://127.0.0.1:1/a/../..',
        `http://${'a'.repeat(300)}`,
        'http://127.0.0.1:1/%zz',
      ];
      for (const [at, endpoint] of odd.entries()) {
        const name = `odd-${at}`;
        if (
          !(await accepted(testbed, instances, {
            metadata: { namespace, name },
            spec: { endpoint, masterKeySecretRef },
          }))
        )
          continue;
        const spec = { instanceRef: { name }, customerId: name };
        await accepted(testbed, customers, { metadata: { namespace, name }, spec });
      }
      return unexplainedObjects(context.testbed.client, context.namespace);
    },
  },
  {
    name: 'not-allowed-namespaces',
    run: async (context) => {
      const { testbed, namespace } = context;
      const other = `${namespace}-other`;
      const gateway = await startDevGateway({ port: 0, masterKey: 'sk-a', proxyName: 'litellm' });
      const admin = new Admin(() => gateway.url, 'sk-a');
      try {
        for (const one of [namespace, other]) await testbed.namespace(one);
        await testbed.secret(namespace, 'gateway', 'sk-a');
        const spec = { endpoint: gateway.url, proxyName: 'litellm', masterKeySecretRef };
        await testbed.client.create(instances, { metadata: { namespace, name: 'main' }, spec } as object);
        await admin.call('/customer/new', { user_id: 'foreign', alias: 'Another owner' });
        for (const name of ['stays', 'goes']) {
          const own = { instanceRef: { name: 'main', namespace }, customerId: 'foreign', alias: 'Mine' };
          await testbed.client.create(customers, { metadata: { namespace: other, name }, spec: own } as object);
        }
        const faults = await unexplainedObjects(testbed.client, other);
        await testbed.client.delete(customers, { namespace: other, name: 'goes' });
        await eventually(async () => {
          const left = await testbed.client.list(customers, { namespace: other });
          if (left.some(({ metadata }) => metadata.name === 'goes'))
            throw new Error('a customer without a record cannot be deleted');
        }, REPORTED_WITHIN_MS).catch((error: unknown) => faults.push((error as Error).message));
        await testbed.client.delete(instances, { namespace, name: 'main' });
        faults.push(...(await gone(context)));
        const wrong = differences(
          { foreign: { alias: 'Another owner', blocked: false, maxBudget: null } },
          await admin.records(),
        );
        return [...faults, ...wrong];
      } finally {
        await gateway.stop();
      }
    },
  },
  {
    name: 'shared-gateway',
    run: async (context) => {
      const { testbed, namespace, random } = context;
      const thief = `${namespace}-thief`;
      const owner = `owner-${random.letters(10)}`;
      const gateway = await startDevGateway({ port: 0, masterKey: 'sk-a', proxyName: 'litellm' });
      const admin = new Admin(() => gateway.url, 'sk-a');
      const key = { namespace, name: owner };
      const expected = { shared: { alias: 'Owned', blocked: false, maxBudget: 5 } };
      const faults: string[] = [];
      const unharmed = async (when: string): Promise<void> => {
        const wrong = differences(expected, await admin.records());
        faults.push(...wrong.map((one) => `${when}: ${one}`));
        if (!isSynced(await testbed.client.get(customers, key)))
          faults.push(`${when}: the owner's resource is not synced`);
      };
      try {
        for (const one of [namespace, thief]) {
          await testbed.namespace(one);
          await testbed.secret(one, 'gateway', 'sk-a');
          const spec = { endpoint: gateway.url, proxyName: 'litellm', masterKeySecretRef };
          await testbed.client.create(instances, { metadata: { namespace: one, name: 'main' }, spec } as object);
        }
        const spec = { instanceRef: { name: 'main' }, customerId: 'shared', alias: 'Owned', maxBudget: 5 };
        await testbed.client.create(customers, { metadata: key, spec } as object);
        await eventually(async () => {
          if (!isSynced(await testbed.client.get(customers, key)))
            throw new Error('The owner was not synced before the attack.');
        });
        const stolen = {
          instanceRef: { name: 'main' },
          customerId: 'shared',
          alias: 'Stolen',
          blocked: true,
          adoptionPolicy: 'Adopt',
        };
        await testbed.client.create(customers, {
          metadata: { namespace: thief, name: 'thief' },
          spec: stolen,
        } as object);
        faults.push(...(await unexplainedObjects(testbed.client, thief)));
        await delay(1_500);
        await unharmed('while another namespace claims it');
        if ((await shownTo(testbed.client, thief)).includes(owner))
          faults.push('the namespace that claims the record is told the name of its owner');
        await testbed.client.delete(customers, { namespace: thief, name: 'thief' });
        faults.push(...(await gone({ ...context, namespace: thief })));
        await unharmed('after the other claim was deleted');
        return faults;
      } finally {
        await gateway.stop();
      }
    },
  },
];

/** @returns the statuses and events in a namespace. The operator's log names objects of all namespaces. */
async function shownTo(client: RestClient, namespace: string): Promise<string> {
  const objects = [...(await client.list(customers, { namespace })), ...(await client.list(instances, { namespace }))];
  const notes = (await client.list(kubeEvents, { namespace })).map(({ note }) => note);
  return JSON.stringify([objects.map(({ status }) => status), notes]);
}

/** Waits until all instances, and all customers under deletion, are gone. */
async function gone({ testbed, namespace }: Context): Promise<string[]> {
  try {
    await eventually(async () => {
      const left = [
        ...(await testbed.client.list(instances, { namespace })),
        ...(await testbed.client.list(customers, { namespace })),
      ].filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      if (left.length > 0)
        throw new Error(`deletions did not complete: ${left.map(({ metadata }) => metadata.name).join(', ')}`);
    }, REPORTED_WITHIN_MS);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

const LINES = 26_000;
const BOMB = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 12 }, (_, at) => {
    const [name, of] = [String.fromCharCode(98 + at), String.fromCharCode(97 + at)];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(', ')}]`;
  }),
].join('\n');

/** Texts that cost a naive parser more than their length. */
const COSTLY: Readonly<Record<string, string>> = {
  'many-lines': Array.from({ length: LINES }, (_, at) => `key_${at}: value ${at}`).join('\n'),
  'billion-laughs': BOMB,
  'merged-laughs': `${BOMB.replaceAll('[', '{<<: [').replaceAll(']', ']}')}\n`,
  'deep-lists': `a: ${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'deep-blocks': Array.from({ length: 900 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
  'long-keys': `? ${'x'.repeat(500_000)}\n: 1\n`,
};

/** Uses a text as the base configuration and as the policy. */
export const costlyAttacks: readonly OperatorAttack[] = Object.entries(COSTLY).map(([name, text]) => ({
  name,
  run: async (context) => {
    const { testbed, namespace } = context;
    await testbed.namespace(namespace);
    await testbed.secret(namespace, 'gateway', 'sk-none');
    await testbed.client.create(configMaps, { metadata: { namespace, name: 'costly' }, data: { text } } as object);
    const configMapRef = { name: 'costly', key: 'text' };
    const specs = [
      { proxyConfig: { configMapName: 'written', base: { configMapRef } } },
      { guardrail: { mode: 'Deployment', policy: { configMapRef } } },
    ];
    for (const [at, spec] of specs.entries()) {
      const full = { endpoint: 'http://127.0.0.1:1', masterKeySecretRef, ...spec };
      await testbed.client.create(instances, { metadata: { namespace, name: `costly-${at}` }, spec: full } as object);
    }
    try {
      return await unexplainedObjects(testbed.client, namespace);
    } finally {
      await testbed.clear(namespace);
    }
  },
}));

export const oddAttacks = [...odd];
