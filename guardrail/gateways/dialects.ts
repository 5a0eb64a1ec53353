import { FieldError, type JsonObject } from './fields.ts';
import type { PeerAdapter } from './peer.ts';
import { agentgateway } from './agentgateway.ts';
import { portkey } from './portkey.ts';

export { TEAM_HEADER } from './peer.ts';
export type { PeerAdapter, PeerCall, PeerExchange } from './peer.ts';

/** Every dialect of the peer endpoint. */
export const PEER_ADAPTERS: readonly PeerAdapter[] = [portkey, agentgateway];

/**
 * The answer that lets a call go on whose body is not known. Without a dialect it is right for each of them: none minds
 * what is another's.
 * @param dialect as `?dialect=` names it
 */
export function peerPass(dialect: string | undefined): JsonObject {
  const adapters = PEER_ADAPTERS.filter((one) => dialect === undefined || one.dialect === dialect);
  return Object.assign({}, ...adapters.map(({ pass }) => pass)) as JsonObject;
}

/**
 * @param dialect as `?dialect=` names it; where it is undefined, the body tells.
 * @throws FieldError
 */
export function peerAdapterFor(dialect: string | undefined, body: JsonObject): PeerAdapter {
  const adapter = PEER_ADAPTERS.find((one) => (dialect === undefined ? one.recognizes(body) : one.dialect === dialect));
  if (adapter) return adapter;
  const known = PEER_ADAPTERS.map((one) => one.dialect).join(' or ');
  throw new FieldError(
    dialect === undefined
      ? `The body is of no dialect that is known: name it with ?dialect=${known}.`
      : `The parameter dialect must be ${known}.`,
  );
}
