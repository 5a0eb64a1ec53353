import { hash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { callerHash } from './callerHash.ts';

describe('the hash of a caller', () => {
  it('is the same with and without a connection, whatever was hashed for it before', () => {
    const text = fc.constantFrom('a', 'b', 'c', '');
    const connections = [{}, {}, undefined];
    const call = fc.tuple(text, fc.constantFrom('share' as const, 'identity' as const), fc.nat(2));
    fc.assert(
      fc.property(fc.array(call), (calls) => {
        for (const [one, purpose, connection] of calls)
          expect(callerHash(one, purpose, connections[connection])).to.equal(hash('sha256', one));
      }),
    );
  });
});
