import { expect } from 'chai';
import { listHash, listKey } from '../../guardrail/guardrail.ts';
import type { GatewayCustomer, GatewayCustomerSpec, GatewayInstance, Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { accessProblem } from '../connection/connection.ts';
import { accessDigest, enforcesAccess, entryOf } from './accessRules.ts';

type Access = Pick<GatewayCustomerSpec, 'blocked' | 'allowedCallers'>;

const key = listKey('a session key of more than thirty-two characters');
const hashOf = listHash.bind(undefined, key);
const KEY_HASH = 'ab'.repeat(32);

describe('what a customer says about who may call', () => {
  const cases: readonly (readonly [spec: Access, entry: object])[] = [
    [{}, {}],
    [{ blocked: false }, {}],
    [{ blocked: true }, { blocked: true }],
    [{ allowedCallers: { teamIds: ['sales'] } }, { callers: { teams: [hashOf('team', 'sales')], keys: [] } }],
    [
      { blocked: true, allowedCallers: { keyHashes: [KEY_HASH] } },
      { blocked: true, callers: { teams: [], keys: [hashOf('key', KEY_HASH)] } },
    ],
  ];
  for (const [spec, entry] of cases) {
    it(`becomes an entry: ${JSON.stringify(spec)}`, () => {
      const customer = { spec: { customerId: 'acme', ...spec } } as GatewayCustomer;
      expect(entryOf(customer, hashOf)).to.deep.equal({ customer: hashOf('customer', 'acme'), ...entry });
    });
  }

  it('has a digest that depends on the meaning alone', () => {
    const digests = cases.map(([spec]) => accessDigest(spec));
    expect(digests.slice(0, 2)).to.deep.equal([undefined, undefined]);
    expect(new Set(digests.slice(2)).size).to.equal(3);
    expect(accessDigest({ allowedCallers: { teamIds: ['a', 'b'] } })).to.equal(
      accessDigest({ blocked: false, allowedCallers: { teamIds: ['b', 'a'], keyHashes: [] } }),
    );
  });
});

describe('whether a guardrail enforces who may call', () => {
  const instanceWith = (guardrail: Guardrail | undefined): GatewayInstance =>
    ({ metadata: { name: 'main' }, spec: { ...(guardrail && { guardrail }) } }) as GatewayInstance;
  const customerWith = (enforced: object): GatewayCustomer =>
    ({ spec: { blocked: true }, status: { enforcedAccess: accessDigest(enforced) } }) as GatewayCustomer;
  const cases: readonly (readonly [guardrail: Guardrail | undefined, problem: RegExp | undefined])[] = [
    [{}, undefined],
    [undefined, /^set spec\.guardrail of GatewayInstance main$/],
    [{ enforcement: 'Monitor' }, /enforcement of GatewayInstance main, or enforcement of its policy, to Enforce$/],
    [{ callback: 'Full' }, /callback of GatewayInstance main to Generic/],
    [{ callback: 'Full', integration: 'CallbackAndInline' }, /to Generic/],
    [{ callback: 'Full', integration: 'Inline' }, undefined],
  ];
  for (const [guardrail, problem] of cases) {
    it(`depends on its settings: ${JSON.stringify(guardrail ?? 'none')}`, () => {
      const instance = instanceWith(guardrail);
      if (problem === undefined) expect(accessProblem(instance)).to.equal(undefined);
      else expect(accessProblem(instance)).to.match(problem);
      expect(enforcesAccess(customerWith({ blocked: true }), instance)).to.equal(problem === undefined);
      // Every pod has what the spec said before.
      expect(enforcesAccess(customerWith({ allowedCallers: {} }), instance)).to.equal(false);
      expect(enforcesAccess(customerWith({}), instance)).to.equal(false);
    });
  }
});
