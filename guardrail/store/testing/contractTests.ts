/** The tests that every mapping store must pass. */
import { describeErasures, describeFences } from './erasureTests.ts';
import { describeCollisions, describeExpiry, describeMappings, describeSessions } from './mappingTests.ts';
import { StoreTestbed, type Implementation } from './storeTestbed.ts';

/** Defines the tests of one implementation. */
export function describeMappingStore(implementation: Implementation): void {
  describe(`the mapping store: ${implementation.name}`, () => {
    const testbed = new StoreTestbed(implementation);
    describeMappings(testbed);
    describeSessions(testbed);
    describeCollisions(testbed);
    describeExpiry(testbed);
    describeErasures(testbed);
    describeFences(testbed);
  });
}
