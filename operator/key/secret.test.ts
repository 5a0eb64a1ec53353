import { expect } from 'chai';
import { annotations, API_VERSION, type GatewayKey } from '../api/v1alpha1/v1alpha1.ts';
import { budgetOf } from '../budget/testing/budgets.ts';
import { RetryAfterError } from '../runtime/runtime.ts';
import { keyHashOf, KeySecretError, readSecret } from './secret.ts';

const key: GatewayKey = {
  apiVersion: API_VERSION,
  kind: 'GatewayKey',
  metadata: { ...budgetOf().metadata, name: 'app', uid: 'now' },
  spec: { instanceRef: { name: 'main' }, secretRef: { name: 'app', key: 'api-key' } },
};
const owner = (uid: string, name = 'app', kind = 'GatewayKey'): object => ({
  apiVersion: API_VERSION,
  kind,
  name,
  uid,
});

/** Reads a Secret with these owners and annotations. */
async function read(ownerReferences: readonly object[], marks: Record<string, string> = {}): Promise<unknown> {
  const metadata = {
    name: 'app',
    namespace: 'ai',
    uid: 's',
    resourceVersion: '7',
    ownerReferences,
    annotations: marks,
  };
  const data = { 'api-key': Buffer.from('sk-1').toString('base64') };
  const get = (): Promise<never> => Promise.resolve({ apiVersion: 'v1', kind: 'Secret', metadata, data } as never);
  return await readSecret({ get }, key).catch((error: unknown) => error);
}

describe('the Secret of a key', () => {
  it('is its own with the owner reference, or without any owner if the operator wrote it for a key of this name', async () => {
    const found = { uid: 's', resourceVersion: '7', hash: keyHashOf('sk-1'), request: undefined };
    expect(await read([owner('now')])).to.deep.include({ ...found, isOwned: true });
    expect(await read([], { [annotations.keyName]: 'app' })).to.deep.include({ ...found, isOwned: false });
  });

  it('belongs to others otherwise', async () => {
    for (const [owners, marks] of [
      [[], {}],
      [[], { [annotations.keyName]: 'other' }],
      [[owner('x', 'other')], { [annotations.keyName]: 'app' }],
      [[owner('x', 'app', 'GatewayInstance')], { [annotations.keyName]: 'app' }],
    ] as const) {
      const error = await read(owners, marks);
      expect(error, JSON.stringify(owners))
        .to.be.instanceOf(KeySecretError)
        .and.to.have.property('reason', 'NameTaken');
    }
  });

  it('of a previous resource of this name is about to be deleted, and is not used', async () => {
    expect(await read([owner('before')])).to.be.instanceOf(RetryAfterError);
  });
});
