/** The face of this folder: connections to the gateways of instances, and the customers that may use them. */
export {
  accessProblem,
  admits,
  allows,
  callerProblem,
  isKeyRefused,
  isReachable,
  mayAdopt,
  permitsId,
} from './admission.ts';
export { ConnectionError, type CustomerConnectionReason } from './readConnection.ts';
export { Connections, type ConnectionSources, retryWithFreshKey } from './connections.ts';
export {
  addressOfGateway,
  GatewayIdentity,
  IDENTITY_KEY_BYTES,
  instanceIndexKeys,
  instanceKeyOf,
  instancesOfGateway,
  type KnownInstances,
  type MarkSubject,
  type OwnershipMark,
} from './gatewayIdentity.ts';
export { IDENTITY_SECRET, identityKey, identityPermissions } from './identityKey.ts';
export { probeGateway, type ProbeResult } from './probe.ts';
export { type GatewayConnection, readBase } from './readConnection.ts';
