/** The face of this folder: how the operator reaches the gateway of an instance, and for which customers. */
export { admits, allows, permitsId } from './admission.ts';
export { ConnectionError, type CustomerConnectionReason } from './connectionError.ts';
export { Connections, type ConnectionSources } from './connections.ts';
export { retryWithFreshKey } from './freshKey.ts';
export { probeGateway, type ProbeResult } from './probe.ts';
export type { GatewayConnection } from './readConnection.ts';
