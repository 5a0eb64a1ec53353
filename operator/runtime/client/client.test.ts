import { expect } from 'chai';
import { RestClient, pathOf } from './client.ts';
import { ApiError } from './errors.ts';
import { type KubeObject, resource } from '../objects.ts';
import type { Transport } from './transport.ts';

const things = resource<KubeObject>({ group: 'test', version: 'v1', kind: 'Thing', plural: 'things' });
const impossible = ['', '.', '..', 'a/b', '%2e%2e', '\ud800'];

describe('pathOf', () => {
  it('encodes each name as one path segment', () => {
    expect(pathOf(things, { namespace: 'ns', name: 'a b?c' }, 'status')).to.equal(
      '/apis/test/v1/namespaces/ns/things/a%20b%3Fc/status',
    );
  });

  for (const name of impossible) {
    it(`rejects ${JSON.stringify(name)}, which would address another path`, () => {
      expect(() => pathOf(things, { namespace: 'ns', name })).to.throw(ApiError);
    });
  }
});

describe('RestClient', () => {
  it('returns 404 for a name that no object can have, without a request', async () => {
    // Must not be used.
    const client = new RestClient(undefined as unknown as Transport);
    for (const name of impossible) {
      const error: unknown = await client.get(things, { namespace: 'ns', name }).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ApiError).and.include({ status: 404, reason: 'NotFound' });
    }
  });
});
