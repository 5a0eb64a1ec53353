/** The public face of the instance reconcile. */
export {
  allows,
  ConnectionError,
  createConnections,
  parseDuration,
  type Connections,
  type ConnectionSources,
  type CustomerConnectionReason,
  type GatewayConnection,
} from './connection.ts';
