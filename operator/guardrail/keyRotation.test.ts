import { expect } from 'chai';
import { parseApiKeys } from '../../guardrail/settings/apiKeys.ts';
import type { Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { secretValues } from '../cluster/cluster.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { ApiError, type KubeClient, ownerReference } from '../runtime/runtime.ts';
import { type GuardrailKeys, reconcileKeys } from './keyRotation.ts';
import { guardrailEnvironment } from './settings.ts';

interface Stored {
  readonly metadata: object;
  readonly data?: Readonly<Record<string, string | null>>;
}

/** An API server with the objects of one namespace, by kind and name. Of a merge patch it knows metadata and data. */
function clientOf(objects: Map<string, object>): KubeClient {
  const client = {
    get: ({ kind }: { kind: string }, { name }: { name: string }): Promise<object> => {
      const object = objects.get(`${kind} ${name}`);
      return object === undefined
        ? Promise.reject(new ApiError('None.', { status: 404, reason: 'NotFound' }))
        : Promise.resolve(object);
    },
    create: ({ kind }: { kind: string }, object: { metadata: { name: string } }): Promise<object> => {
      objects.set(`${kind} ${object.metadata.name}`, object);
      return Promise.resolve(object);
    },
    patch: ({ kind }: { kind: string }, { name }: { name: string }, patch: Stored): Promise<object> => {
      const stored = objects.get(`${kind} ${name}`) as Stored;
      const data = Object.entries({ ...stored.data, ...patch.data }).filter(([, value]) => value !== null);
      const object = { metadata: { ...stored.metadata, ...patch.metadata }, data: Object.fromEntries(data) };
      objects.set(`${kind} ${name}`, object);
      return Promise.resolve(object);
    },
  };
  return client as unknown as KubeClient;
}

describe('the keys of a guardrail with tools', () => {
  const instance = instanceOf();
  const restore = [{ name: 'crm', sessions: 'Gateway' as const, types: ['PERSON'] }];
  const deploymentOf = (
    spec: Guardrail,
    updatedReplicas = 1,
    ownerReferences: readonly object[] = [ownerReference(instance)],
  ): object => ({
    metadata: { name: 'main-guardrail', namespace: 'ai', ownerReferences },
    spec: { template: { spec: { containers: [{ env: guardrailEnvironment(spec, 'litellm', 'Deployment') }] } } },
    status: { replicas: 1, updatedReplicas, availableReplicas: 1 },
  });
  let objects: Map<string, object>;
  const reconcile = async (spec: Guardrail): Promise<GuardrailKeys> => {
    const dependencies = { client: clientOf(objects), now: () => new Date(0), resolve: (url: string) => url };
    return await reconcileKeys(dependencies, { instance, spec, mode: 'Deployment', proxy: undefined });
  };
  const tenants = (): string[] => {
    const secret = objects.get('Secret main-guardrail-api-key') as { data: Record<string, string> };
    return [...parseApiKeys(secretValues(secret)['api-keys'] ?? '').tenants];
  };

  beforeEach(() => {
    objects = new Map();
  });

  it('name a removed tool until the Deployment does not, and the reconcile looks again', async () => {
    expect((await reconcile({ restore })).inProgress).to.equal(false);
    objects.set('Deployment main-guardrail', deploymentOf({ restore }));
    // For example, because the rest of the reconcile fails each time.
    for (let time = 0; time < 2; time++) {
      expect((await reconcile({})).inProgress).to.equal(true);
      expect(tenants()).to.deep.equal(['proxy', 'crm']);
    }
    // An older pod can still restart.
    objects.set('Deployment main-guardrail', deploymentOf({}, 0));
    expect((await reconcile({})).inProgress).to.equal(true);
    expect(tenants()).to.deep.equal(['proxy', 'crm']);
    objects.set('Deployment main-guardrail', deploymentOf({}));
    expect((await reconcile({})).inProgress).to.equal(false);
    expect(tenants()).to.deep.equal(['proxy']);
  });

  it('do not depend on a Deployment of another owner', async () => {
    objects.set('Deployment main-guardrail', deploymentOf({ restore }, 1, []));
    expect((await reconcile({})).inProgress).to.equal(false);
    expect(tenants()).to.deep.equal(['proxy']);
  });
});
