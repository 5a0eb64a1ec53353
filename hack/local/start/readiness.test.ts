import { expect } from 'chai';
import type { GatewayCustomer, GatewayInstance } from '../../../operator/api/v1alpha1/v1alpha1.ts';
import { unready } from './readiness.ts';

/** Only what both kinds have in common is looked at. */
type Either = GatewayInstance & GatewayCustomer;

describe('readiness of what npm start applies', () => {
  function resource(name: string, generation: number, condition?: object): Either {
    const partial: unknown = {
      metadata: { name, generation },
      ...(condition && { status: { conditions: [condition] } }),
    };
    return partial as Either;
  }
  const ready = { type: 'Ready', status: 'True', observedGeneration: 2, reason: 'AllGood', message: 'All is well.' };
  const synced = { type: 'Synced', status: 'True', observedGeneration: 1, reason: 'Created', message: 'Created.' };

  it('has nothing to say when all is Ready and Synced', () => {
    expect(
      unready({
        instances: [resource('dev', 2, ready)],
        customers: [resource('acme', 1, synced)],
      }),
    ).to.deep.equal([]);
  });

  it('names what was not looked at since it changed, and why something is not as it should be', () => {
    const failed = { ...synced, status: 'False', reason: 'GatewayUnreachable', message: 'No answer.' };
    expect(
      unready({
        instances: [resource('dev', 3, ready), resource('new', 1)],
        customers: [resource('acme', 1, failed), resource('other', 1, ready)],
      }),
    ).to.deep.equal([
      'instance dev has not been looked at by the operator',
      'instance new has not been looked at by the operator',
      'customer acme is not Synced (GatewayUnreachable: No answer.)',
      'customer other has not been looked at by the operator',
    ]);
  });
});
