import { expect } from 'chai';
import { instanceOf } from '../instance/testing/instances.ts';
import { ApiError, type KubeClient, ownerReference } from '../runtime/runtime.ts';
import { orphanMountedObjects } from './orphan.ts';

const API_KEY = 'Secret main-guardrail-api-key';
const CLIENT = 'Secret main-guardrail-client';
const CA = 'ConfigMap main-guardrail-ca';

describe('the objects of a deleted instance', () => {
  const instance = instanceOf({ workloadRef: { name: 'litellm' }, guardrail: { mode: 'Deployment', tls: {} } });

  /** An API server with these objects and a gateway that mounts some of them. It records which of them lose their owner. */
  function clientOf(
    objects: readonly string[],
    mounted: readonly string[],
    owners: readonly object[] = [ownerReference(instance)],
  ): { readonly client: KubeClient; readonly patches: Map<string, object> } {
    const patches = new Map<string, object>();
    const volumes = mounted.map((object) => {
      const [kind, name = ''] = object.split(' ');
      return { name, ...(kind === 'Secret' ? { secret: { secretName: name } } : { configMap: { name } }) };
    });
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: name }));
    const gateway = {
      metadata: { name: 'litellm' },
      spec: { template: { spec: { volumes, containers: [{ name: 'litellm', volumeMounts }] } } },
    };
    const client = {
      get: ({ kind }: { kind: string }, { name }: { name: string }): Promise<object> => {
        if (kind === 'Deployment') return Promise.resolve(gateway);
        return objects.includes(`${kind} ${name}`)
          ? Promise.resolve({
              metadata: { name, uid: `uid of ${name}`, resourceVersion: '7', ownerReferences: owners },
            })
          : Promise.reject(new ApiError('None.', { status: 404, reason: 'NotFound' }));
      },
      patch: ({ kind }: { kind: string }, { name }: { name: string }, patch: object): Promise<object> => {
        patches.set(`${kind} ${name}`, patch);
        return Promise.resolve({});
      },
    };
    return { client: client as unknown as KubeClient, patches };
  }

  const CASES: [what: string, exist: string[], mounted: string[], orphaned: string[]][] = [
    ['mounts all', [API_KEY, CLIENT, CA], [API_KEY, CLIENT, CA], [API_KEY, CLIENT, CA]],
    ['mounts the authorities only', [API_KEY, CLIENT, CA], [CA], [CA]],
    ['mounts nothing', [API_KEY, CLIENT, CA], [], []],
    ['mounts what does not exist', [API_KEY], [API_KEY, CLIENT, CA], [API_KEY]],
  ];
  for (const [what, exist, mounted, orphaned] of CASES) {
    it(`stay if the gateway mounts them: it ${what}`, async () => {
      const { client, patches } = clientOf(exist, mounted);
      expect(await orphanMountedObjects(client, instance)).to.deep.equal(orphaned);
      expect([...patches.keys()]).to.deep.equal(orphaned);
      for (const [object, patch] of patches) {
        const uid = `uid of ${object.split(' ')[1] ?? ''}`;
        expect(patch).to.deep.equal({ metadata: { uid, resourceVersion: '7', ownerReferences: null } });
      }
    });
  }

  it('are left alone if they belong to others', async () => {
    const { client, patches } = clientOf([API_KEY, CLIENT, CA], [API_KEY, CLIENT, CA], []);
    expect(await orphanMountedObjects(client, instance)).to.deep.equal([]);
    expect([...patches.keys()]).to.deep.equal([]);
  });
});
