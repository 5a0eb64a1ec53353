import { expect } from 'chai';
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { ConnectionError, type Connections, type GatewayConnection } from '../connection/connection.ts';
import { testIdentity } from '../connection/testing/testIdentity.ts';
import { connect as connectTo, type ConnectionPurpose } from '../external/adapter.ts';
import type { Lister } from '../runtime/runtime.ts';
import { CustomerAdapter } from './adapter.ts';
import type { Dependencies } from './dependencies.ts';

describe('the connection of a customer', () => {
  const instance = { metadata: { namespace: 'ai', name: 'main' }, spec: { endpoint: 'http://gateway:4000' } };
  const connection = { instance: { namespace: 'ai', name: 'main', uid: 'uid-1' } } as GatewayConnection;
  const found = (): Promise<GatewayConnection> => Promise.resolve(connection);
  const dependencies = {
    connections: { forCustomer: found, forDeletion: found } as unknown as Connections,
    identity: testIdentity,
    instances: { get: () => instance } as unknown as Lister<GatewayInstance>,
  };
  const connect = async (resource: GatewayCustomer, purpose: ConnectionPurpose = 'forCustomer'): Promise<unknown> =>
    connectTo(dependencies, new CustomerAdapter(dependencies as Dependencies), resource, purpose);
  const customer = (customerId: string): GatewayCustomer =>
    ({
      metadata: { namespace: 'ai', name: 'a' },
      spec: { customerId, instanceRef: { name: 'main' } },
    }) as GatewayCustomer;

  it('is refused for an id with invisible characters, stored before the API server refused it, except for its deletion', async () => {
    for (const id of [
      'acme\u200B',
      'ac\u00ADme',
      '\u202Eacme',
      'ac\u00A0me',
      'acme\uFE0F',
      'acme\u3164',
      'acme\u{E0041}',
    ]) {
      const error: unknown = await connect(customer(id)).catch((thrown: unknown) => thrown);
      expect(error, JSON.stringify(id))
        .to.be.instanceOf(ConnectionError)
        .and.to.include({ reason: 'CustomerIdNotAllowed' });
      expect(await connect(customer(id), 'forDeletion')).to.equal(connection);
    }
  });

  it('exists for ids in all scripts, and with spaces', async () => {
    for (const id of ['acme 1', 'Zoë <zoe@example.com>', 'Анна', '株式会社', 'عميل', '😀']) {
      expect(await connect(customer(id)), id).to.equal(connection);
    }
  });
});
