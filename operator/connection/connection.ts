/** The face of this folder: how an instance's gateway is reached, and for whom. */
export {
  admits,
  allows,
  ConnectionError,
  createConnections,
  permitsId,
  type Connections,
  type ConnectionSources,
  type CustomerConnectionReason,
  type GatewayConnection,
} from './connections.ts';
export { reach } from './probe.ts';
