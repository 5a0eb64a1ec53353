import { expect } from 'chai';
import type { GatewayCustomer, GatewayInstance } from '../../../operator/api/v1alpha1/v1alpha1.ts';
import { awaited, unready } from './readiness.ts';

/** Only the fields that both kinds share are read. */
type Either = GatewayInstance & GatewayCustomer;

describe('readiness of the resources that npm start applies', () => {
  function resource(name: string, generation: number, condition?: object, more?: object): Either {
    const partial: unknown = {
      metadata: { name, generation },
      spec: { guardrail: {} },
      ...(condition && { status: { conditions: [condition], ...more } }),
    };
    return partial as Either;
  }
  const ready = { type: 'Ready', status: 'True', observedGeneration: 2, reason: 'AllGood', message: 'All is well.' };
  const synced = { type: 'Synced', status: 'True', observedGeneration: 1, reason: 'Created', message: 'Created.' };

  it('reports nothing when all resources are Ready or Synced', () => {
    expect(
      unready({
        instances: [resource('dev', 2, ready)],
        customers: [resource('acme', 1, synced)],
      }),
    ).to.deep.equal([]);
  });

  it('names resources that are not reconciled, and the reason and message of conditions that are not true', () => {
    const failed = { ...synced, status: 'False', reason: 'GatewayUnreachable', message: 'No answer.' };
    expect(
      unready({
        instances: [resource('dev', 3, ready), resource('new', 1)],
        customers: [resource('acme', 1, failed), resource('other', 1, ready)],
      }),
    ).to.deep.equal([
      'instance dev has not been reconciled by the operator',
      'instance new has not been reconciled by the operator',
      'customer acme is not Synced (GatewayUnreachable: No answer.)',
      'customer other has not been reconciled by the operator',
    ]);
  });

  describe('reports progress', () => {
    const advice = 'GatewayInstance dev does not exist in this namespace. Create it, or delete this customer.';
    const customers = [
      resource('acme', 1, synced),
      resource('globex', 1, { ...synced, status: 'False', reason: 'InstanceNotFound', message: advice }),
      resource('initech', 1),
    ];
    const notReady = (reason: string): object => ({ ...ready, status: 'False', reason, message: advice });
    const rolling = [notReady('GuardrailNotReady'), { ...ready, type: 'GuardrailReady', status: 'False' }];
    const guardrail = { endpoint: 'http://dev-guardrail.default.svc:8080' };
    for (const [what, instance, expected] of [
      ['an instance that is new', resource('dev', 2), 'waiting for the operator to reconcile instance dev, '],
      [
        'one without its guardrail',
        resource('dev', 2, notReady('GuardrailNotReady')),
        'waiting for the operator to create the guardrail, ',
      ],
      [
        'one whose guardrail starts',
        resource('dev', 2, notReady('GuardrailNotReady'), { conditions: rolling, guardrail }),
        'waiting for the guardrail to start, ',
      ],
      [
        'one with another fault',
        resource('dev', 2, notReady('Unreachable'), {
          conditions: [notReady('Unreachable'), { ...ready, type: 'GuardrailReady' }],
        }),
        'waiting for instance dev to be Ready (now Unreachable), ',
      ],
      ['one that is ready', resource('dev', 2, ready), ''],
    ] as const) {
      it(`for ${what}, without the advice of a condition`, () => {
        expect(awaited({ instances: [instance], customers })).to.equal(`${expected}1 of 3 customers synced`);
      });
    }
  });
});
