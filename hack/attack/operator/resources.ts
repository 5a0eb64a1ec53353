/** Resources of tenants that try to harm the operator. */
import { customers, instances } from '../../../operator/api/kinds.ts';
import type { Random } from '../random.ts';
import { configMaps, masterKeySecretRef, messagesOf, type Namespace } from './namespace.ts';
import type { OperatorAttack } from './testbed.ts';

const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/;
const NOWHERE = 'http://127.0.0.1:9';

type OddObject = readonly [kind: typeof instances | typeof customers, spec: object];

/** Creates odd objects, of which the API server may refuse some. The others must be explained. */
function oddAttack(
  name: string,
  objects: (random: Random) => readonly OddObject[],
  also: (home: Namespace) => Promise<string[]> = () => Promise.resolve([]),
): OperatorAttack {
  return {
    name,
    run: async ({ home, random }) => {
      await home.secret('gateway', 'sk-none');
      for (const [at, [kind, spec]] of objects(random).entries()) await home.isAccepted(kind, `odd-${at}`, spec);
      return [...(await home.unexplained()), ...(await also(home))];
    },
  };
}

const oddNames = oddAttack(
  'control-characters',
  () => {
    const odd = ['a\u0007b', 'a\u001b[31mred', 'a\r\nb', '../x', '..', 'a/b', 'a b', '%00', 'x'.repeat(253)];
    return odd.flatMap((name, at) =>
      [{ name }, { name: 'main', namespace: name.slice(0, 63) }].map((ref, of): OddObject => [
        customers,
        { instanceRef: ref, customerId: `odd-${at}-${of}` },
      ]),
    );
  },
  async (home) => {
    const faults: string[] = [];
    for (const one of await home.customers()) {
      const messages = messagesOf(one);
      if (CONTROL.test(messages)) faults.push(`a condition contains control characters: ${JSON.stringify(messages)}`);
      await home.delete(one.metadata.name);
    }
    return [...faults, ...(await home.deleted())];
  },
);

const oddReferences = oddAttack('odd-references', () =>
  ['.', '..', '../../secrets/x', 'a/b', 'a\u0000b', 'A', '-'].flatMap((name, at) =>
    [
      { endpoint: NOWHERE, masterKeySecretRef: { name, key: 'key' } },
      { endpoint: NOWHERE, masterKeySecretRef: { name: 'gateway', key: name } },
      { endpoint: NOWHERE, masterKeySecretRef, tls: { caSecretRef: { name, key: 'key' } } },
      { serviceRef: { name }, masterKeySecretRef },
      {
        endpoint: NOWHERE,
        masterKeySecretRef,
        proxyConfig: { configMapName: `config-${at}`, base: { configMapRef: { name, key: 'k' } } },
      },
    ].map((spec): OddObject => [instances, spec]),
  ),
);

/** Each instance is followed by a customer of it. */
const badEndpoints = oddAttack('bad-endpoints', () =>
  [
    ...['http://127.0.0.1:99999', 'http://127.0.0.1:0', 'http://127.0.0.1:1', 'http://[::1', 'http://[::1]:1'],
    ...['http://a..b', 'http://%00', 'http://256.256.256.256', 'http://xn--a', 'https://127.0.0.1:1/a/../..'],
    ...[`http://${'a'.repeat(300)}`, 'http://127.0.0.1:1/%zz'],
  ].flatMap((endpoint, at): OddObject[] => [
    [instances, { endpoint, masterKeySecretRef }],
    [customers, { instanceRef: { name: `odd-${2 * at}` }, customerId: `odd-${at}` }],
  ]),
);

export const oddAttacks: readonly OperatorAttack[] = [oddNames, oddReferences, badEndpoints];

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
  run: async ({ home }) => {
    await home.secret('gateway', 'sk-none');
    await home.client.create(configMaps, { metadata: home.key('costly'), data: { text } } as object);
    const configMapRef = { name: 'costly', key: 'text' };
    const specs = [
      { proxyConfig: { configMapName: 'written', base: { configMapRef } } },
      { guardrail: { mode: 'Deployment', policy: { configMapRef } } },
    ];
    for (const [at, spec] of specs.entries()) {
      const full = { endpoint: 'http://127.0.0.1:1', masterKeySecretRef, ...spec };
      await home.client.create(instances, { metadata: home.key(`costly-${at}`), spec: full } as object);
    }
    try {
      return await home.unexplained();
    } finally {
      await home.clear();
    }
  },
}));
