/** The face of this folder: connections to the gateways of instances, and the customers that may use them. */
export { accessProblem, callerProblem } from './accessEnforcement.ts';
export { admits, allows, mayAdopt, permitsId } from './admission.ts';
export { ConnectionError, type CustomerConnectionReason } from './connectionError.ts';
export { Connections, type ConnectionSources } from './connections.ts';
export { retryWithFreshKey } from './freshKey.ts';
export { GatewayIdentity, IDENTITY_KEY_BYTES } from './gatewayIdentity.ts';
export { identityKey, identityPermissions, IDENTITY_SECRET } from './identityKey.ts';
export {
  addressOfGateway,
  instanceIndexKeys,
  instanceKeyOf,
  instancesOfGateway,
  type KnownInstances,
} from './instancesOfGateway.ts';
export { probeGateway, type ProbeResult } from './probe.ts';
export type { MarkSubject, OwnershipMark } from './ownershipMark.ts';
export { isKeyRefused, isReachable } from './reachable.ts';
export { readBase, type GatewayConnection } from './readConnection.ts';
