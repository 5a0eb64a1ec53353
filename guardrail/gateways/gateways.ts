/** The wire formats in which gateways speak to the guardrail. */
export * from './litellm.ts';
export { FieldError, isObject, parseFields, type JsonObject } from './fields.ts';
export {
  PEER_ADAPTERS,
  peerAdapterFor,
  peerPass,
  TEAM_HEADER,
  type PeerAdapter,
  type PeerExchange,
} from './dialects.ts';
