import { expect } from 'chai';
import { ownersOf } from './enforcement.ts';

describe('the ConfigMaps that concern enforcement', () => {
  const owner = { apiVersion: 'v1', kind: 'GatewayInstance', name: 'main', uid: 'uid-1' };
  const main = [{ namespace: 'ai', name: 'main' }];

  for (const [what, data, ownerReferences, expected] of [
    ['are the shards of an instance', { 'customers-0.json': '' }, [{ ...owner, controller: false }], main],
    ['are its policy file', { 'policy.yaml': '{}' }, [{ ...owner, controller: true }], main],
    ['are not its other ConfigMaps', { 'ca.crt': '' }, [{ ...owner, controller: true }], []],
    ['are not those of another kind', { 'policy.yaml': '{}' }, [{ ...owner, kind: 'Gateway', controller: true }], []],
    ['are not those without an owner', { 'policy.yaml': '{}' }, undefined, []],
  ] as const) {
    it(what, () => {
      const metadata = { name: 'm', namespace: 'ai', uid: 'm', resourceVersion: '1' };
      const map = {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', data },
        metadata: { ...metadata, ...(ownerReferences && { ownerReferences }) },
      };
      expect(ownersOf(map)).to.deep.equal(expected);
    });
  }
});
