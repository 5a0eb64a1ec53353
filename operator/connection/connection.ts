/** The face of this folder: connections to the gateways of instances, and the customers that may use them. */
export { accessProblem, callerProblem, enforcesAccess } from './accessEnforcement.ts';
export { admits, allows, permitsId } from './admission.ts';
export { ConnectionError, type CustomerConnectionReason } from './connectionError.ts';
export { Connections, type ConnectionSources } from './connections.ts';
export { retryWithFreshKey } from './freshKey.ts';
export { addressDigest } from './gatewayAddress.ts';
export {
  gatewayDigest,
  gatewayIndexKeys,
  instanceIndexKeys,
  instanceKeyOf,
  instancesOfGateway,
  type KnownInstances,
} from './instancesOfGateway.ts';
export { probeGateway, type ProbeResult } from './probe.ts';
export { isReachable } from './reachable.ts';
export { readBase, type GatewayConnection } from './readConnection.ts';
