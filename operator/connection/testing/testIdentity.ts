/** For tests: an identity with a fixed key. */
import { GatewayIdentity, IDENTITY_KEY_BYTES } from '../gatewayIdentity.ts';

/** {@link GatewayIdentity.load} has been called. */
export const testIdentity = new GatewayIdentity({
  clusterDomain: 'cluster.local',
  readKey: () => Promise.resolve(Buffer.alloc(IDENTITY_KEY_BYTES, 1)),
});
await testIdentity.load();
