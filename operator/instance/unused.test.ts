import { expect } from 'chai';
import type { GuardrailTls } from '../api/v1alpha1/v1alpha1.ts';
import { ApiError, type ResourceKind } from '../runtime/runtime.ts';
import type { OwnedObject } from '../cluster/cluster.ts';
import type { Dependencies } from './dependencies.ts';
import { InMemoryStates } from './inMemoryState.ts';
import { instanceOf } from './testing/instances.ts';
import { deleteUnusedObjects, type Usage } from './unused.ts';

const ALL = [
  'Certificate main-guardrail',
  'Secret main-guardrail-ca',
  'Secret main-guardrail-tls',
  'Secret main-guardrail-client',
];

/** The Deployment of the gateway: the spec names none, it does not exist, or the operator knows it. */
type Gateway = 'none' | 'missing' | 'known';

/** A cluster with all certificates that an instance can have. */
class Certificates {
  readonly left = new Set(ALL);
  calls = 0;
  readonly #mayReadCertificates: boolean;
  readonly #states = new InMemoryStates();

  constructor(mayReadCertificates = true) {
    this.#mayReadCertificates = mayReadCertificates;
  }

  kept: string[] = [];

  prune(_instance: unknown, keep: readonly OwnedObject[]): Promise<void> {
    this.kept = keep.map(({ kind, object }) => `${kind.kind} ${object.metadata.name}`);
    return Promise.resolve();
  }

  remove(_instance: unknown, { kind }: ResourceKind, name: string): Promise<void> {
    this.calls += 1;
    if (kind === 'Certificate' && !this.#mayReadCertificates) {
      return Promise.reject(new ApiError('forbidden', { status: 403 }));
    }
    this.left.delete(`${kind} ${name}`);
    return Promise.resolve();
  }

  async reconcile(
    tls: GuardrailTls | undefined,
    {
      reason = 'Ready',
      mounted = [],
      gateway = 'known',
    }: { reason?: string; mounted?: readonly string[]; gateway?: Gateway } = {},
  ): Promise<void> {
    const instance = instanceOf({ guardrail: tls === undefined ? {} : { tls } });
    const volumes = mounted.map((secretName) => ({ name: secretName, secret: { secretName } }));
    const volumeMounts = mounted.map((name) => ({ name, mountPath: name }));
    const template = { spec: { volumes, containers: [{ name: 'litellm', volumeMounts }] } };
    const url = tls === undefined ? 'http://guardrail' : 'https://guardrail';
    await deleteUnusedObjects({ ownedObjects: this } as unknown as Dependencies, instance, {
      guardrail: { objects: [], active: { url }, plan: { wanted: { mode: 'Deployment' } }, condition: { reason } },
      proxy: { objects: [] },
      observed: {
        deployment: {
          none: undefined,
          missing: 'missing',
          known: { metadata: { name: 'litellm' }, spec: { template } },
        }[gateway],
      },
      state: this.#states.of(instance),
    } as unknown as Usage);
  }
}

describe('the certificates of an instance', () => {
  const [certificate, ca, server, client] = ALL;
  const CASES: [what: string, tls: GuardrailTls | undefined, left: (string | undefined)[]][] = [
    ['none without TLS', undefined, []],
    ['its own', {}, [ca, server]],
    ['its own, and one of clients', { clientAuth: {} }, [ca, server, client]],
    ['one of cert-manager', { issuerRef: { name: 'company' } }, [certificate, ca]],
    ['one of its owner, and one of clients', { secretRef: { name: 'own' }, clientAuth: {} }, [ca, client]],
  ];
  for (const [what, tls, left] of CASES) {
    it(`are deleted except those in use: ${what}`, async () => {
      const cluster = new Certificates();
      await cluster.reconcile(tls);
      expect([...cluster.left]).to.deep.equal(left);
      const { calls } = cluster;
      await cluster.reconcile(tls);
      expect(cluster.calls, 'calls of the second reconcile').to.equal(calls);
    });
  }

  it('stay while pods mount them', async () => {
    const cluster = new Certificates();
    await cluster.reconcile({ secretRef: { name: 'own' } }, { reason: 'RollingOut' });
    expect([...cluster.left]).to.deep.equal(ALL);
    await cluster.reconcile({ secretRef: { name: 'own' } }, { mounted: ['main-guardrail-client'] });
    expect([...cluster.left]).to.deep.equal([ca, client]);
    await cluster.reconcile({ secretRef: { name: 'own' } });
    expect([...cluster.left]).to.deep.equal([ca]);
  });

  for (const gateway of ['none', 'missing'] as const) {
    it(`stay if the operator does not know what the gateway mounts: ${gateway}`, async () => {
      const cluster = new Certificates();
      await cluster.reconcile(undefined, { gateway });
      expect([...cluster.left]).to.deep.equal([client]);
      expect(cluster.kept).to.include('ConfigMap main-guardrail-ca');
      const { calls } = cluster;
      await cluster.reconcile(undefined, { gateway });
      expect(cluster.calls, 'calls of the second reconcile').to.equal(calls);
      await cluster.reconcile(undefined);
      expect([...cluster.left]).to.deep.equal([]);
      expect(cluster.kept).to.not.include('ConfigMap main-guardrail-ca');
    });
  }

  it('do not stop an operator without the permission for cert-manager', async () => {
    const cluster = new Certificates(false);
    await cluster.reconcile(undefined);
    expect([...cluster.left]).to.deep.equal([certificate]);
  });
});

describe('the objects of a guardrail that is not requested', () => {
  /** Records what is deleted. */
  async function reconcile(
    states: InMemoryStates,
    isRequested: boolean,
    guardrail: object = {},
  ): Promise<string[] | undefined> {
    const removed: string[] = [];
    const pruned: unknown[] = [];
    const ownedObjects = {
      prune: (instance: unknown) => Promise.resolve(pruned.push(instance)),
      remove: (_instance: unknown, { kind }: ResourceKind, name: string) =>
        Promise.resolve(removed.push(`${kind} ${name}`)),
    };
    const instance = instanceOf(isRequested ? { guardrail: {} } : {});
    await deleteUnusedObjects({ ownedObjects } as unknown as Dependencies, instance, {
      guardrail: { objects: [], ...guardrail },
      proxy: { objects: [] },
      observed: { deployment: undefined },
      state: states.of(instance),
    } as unknown as Usage);
    return pruned.length > 0 ? removed.filter((name) => name.startsWith('Secret')) : undefined;
  }
  const keys = ['Secret main-guardrail-keys', 'Secret main-guardrail-api-key'];

  it('stay while the guardrail is frozen or becomes another one', async () => {
    for (const held of [{ frozen: true }, { isSwitching: true }]) {
      expect(await reconcile(new InMemoryStates(), false, held)).to.equal(undefined);
    }
  });

  it('include its keys, once after each time that it was requested', async () => {
    const states = new InMemoryStates();
    expect(await reconcile(states, false)).to.include.members(keys);
    expect(await reconcile(states, false)).to.deep.equal([]);
    expect(await reconcile(states, true)).to.not.include.members(keys);
    expect(await reconcile(states, false)).to.include.members(keys);
  });
});
