import { agentgateway } from './agentgateway.ts';
import type { GatewayAdapter } from './contract.ts';
import { FieldError, type JsonObject } from './fields.ts';
import { createLitellmAdapter } from './litellm.ts';
import { PIECE_PATH, REDACT_PATH, redact, REHYDRATE_PATH, rehydrate, rehydratePiece } from './llmShield.ts';
import { portkey } from './portkey.ts';

/** The gateways that share {@link CHECK_PATH}. Add new gateways here. */
const SHARED: readonly GatewayAdapter[] = [portkey, agentgateway];

export const CHECK_PATH = '/v1/peer/check';

/** The values of `?dialect=`. */
export const DIALECTS: readonly string[] = SHARED.map(({ dialect }) => dialect);

/** A path that gateways call. */
export interface GatewayRoute {
  readonly path: string;
  /** Whether the API key can also be a bearer token. */
  readonly acceptsBearer: boolean;
  /** The gateways that call this path. */
  readonly adapters: readonly GatewayAdapter[];
}

/** The path of the gateway with this proxy name. */
export function basicPath(proxyName: string): string {
  return `/beta/${proxyName}_basic_guardrail_api`;
}

export function gatewayRoutesOf(proxyNames: readonly string[]): GatewayRoute[] {
  return [
    ...proxyNames.map((name) => ({
      path: basicPath(name),
      acceptsBearer: false,
      adapters: [createLitellmAdapter(name)],
    })),
    { path: CHECK_PATH, acceptsBearer: true, adapters: SHARED },
    { path: REDACT_PATH, acceptsBearer: true, adapters: [redact] },
    { path: REHYDRATE_PATH, acceptsBearer: true, adapters: [rehydrate] },
    { path: PIECE_PATH, acceptsBearer: true, adapters: [rehydratePiece] },
    // agentgateway before 1.4.
    ...['/request', '/response'].map((path) => ({ path, acceptsBearer: true, adapters: [agentgateway] })),
  ];
}

/**
 * The answer that lets a call with an unknown body continue. Without a dialect, the answer is valid in all of them,
 * because no gateway reads the members of another.
 * @param dialect the value of `?dialect=`
 */
export function passOf({ adapters }: GatewayRoute, dialect: string | undefined): GatewayAdapter['pass'] {
  const candidates = adapters.filter(
    (one) => dialect === undefined || adapters.length === 1 || one.dialect === dialect,
  );
  const passes = candidates.map(({ pass }) => pass);
  return passes.includes('echo') ? 'echo' : (Object.assign({}, ...passes) as JsonObject);
}

/**
 * The adapter of a call.
 * @param dialect the value of `?dialect=`; if undefined, the body decides
 * @throws FieldError
 */
export function adapterFor({ adapters }: GatewayRoute, dialect: string | undefined, body: JsonObject): GatewayAdapter {
  const [only, ...others] = adapters;
  if (only && others.length === 0) return only;
  const adapter = adapters.find((one) => (dialect === undefined ? one.recognizes(body) : one.dialect === dialect));
  if (adapter) return adapter;
  const known = adapters.map((one) => one.dialect).join(' or ');
  throw new FieldError(
    dialect === undefined
      ? `The request format is unknown: add the parameter ?dialect=${known}.`
      : `The parameter dialect must be ${known}.`,
  );
}
