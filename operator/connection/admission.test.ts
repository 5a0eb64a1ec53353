import { expect } from 'chai';
import type { CustomerIdPrefixes, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { admits } from './admission.ts';

describe('admission of customers', () => {
  const instance = (customerIdPrefixes?: CustomerIdPrefixes[]): GatewayInstance =>
    ({
      metadata: { name: 'main', namespace: 'ai' },
      spec: { allowedNamespaces: ['*'], ...(customerIdPrefixes === undefined ? {} : { customerIdPrefixes }) },
    }) as unknown as GatewayInstance;
  const shop = { namespace: 'shop', prefixes: ['shop-', 'web-'] };
  const europe = { namespace: 'europe', prefixes: ['shop-eu-'] };
  const shared = { namespace: 'partner', prefixes: ['web-'] };

  const cases: readonly (readonly [
    reservations: CustomerIdPrefixes[] | undefined,
    namespace: string,
    id: string,
    admitted: boolean,
  ])[] = [
    [undefined, 'evil', 'shop-1', true],
    [[shop], 'shop', 'shop-1', true],
    [[shop], 'shop', 'other-1', false],
    [[shop], 'evil', 'shop-1', false],
    [[shop], 'evil', 'other-1', true],
    [[shop], 'ai', 'shop-1', false],
    [[shop, europe], 'shop', 'shop-eu-1', false],
    [[shop, europe], 'europe', 'shop-eu-1', true],
    [[shop, europe], 'europe', 'shop-1', false],
    [[shop, shared], 'partner', 'web-1', true],
    [[shop, shared], 'shop', 'web-1', true],
    [[shop, shared], 'evil', 'web-1', false],
  ];
  for (const [reservations, namespace, id, admitted] of cases) {
    const listed = reservations?.map((each) => `${each.namespace}: ${each.prefixes.join(' ')}`).join(', ') ?? 'nothing';
    it(`of ${id} in ${namespace}, with ${listed} reserved, is ${admitted ? 'allowed' : 'refused'}`, () => {
      expect(admits(instance(reservations), namespace, id)).to.equal(admitted);
    });
  }
});
