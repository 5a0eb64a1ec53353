/** The probe of a gateway: whether its admin API is reachable and accepts the master key. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { type GatewayClients, type GatewayError, isGatewayError } from '../gateway/gateway.ts';
import { ConnectionError, type GatewayConnection } from './readConnection.ts';
import { type Connections, retryWithFreshKey } from './connections.ts';

/** The result of a probe. */
export interface ProbeResult {
  readonly condition: ConditionState<'Reachable'>;
  /** undefined: the gateway cannot be called now. Set if the gateway only limits the call rate. */
  readonly connection: GatewayConnection | undefined;
  /** The gateway's address, if known. */
  readonly endpoint: string | undefined;
}

/** No customer has this id: the call reads nothing and changes nothing. */
const PROBE_ID = 'gcust-probe';

const reachable: ConditionState<'Reachable'> = {
  status: 'True',
  reason: 'Reachable',
  message: 'The gateway is reachable and accepts the master key.',
};

/** Calls the gateway with the master key. */
export async function probeGateway(
  connections: Connections,
  clients: GatewayClients,
  instance: GatewayInstance,
  signal: AbortSignal,
): Promise<ProbeResult> {
  let endpoint: string | undefined;
  try {
    const known = await connections.forInstance(instance);
    ({ endpoint } = known);
    return await retryWithFreshKey({ connections }, known, async (connection) => {
      const condition = await callGateway(clients, connection, signal);
      return { condition, connection, endpoint };
    });
  } catch (error) {
    return { condition: conditionOf(error), connection: undefined, endpoint };
  }
}

async function callGateway(
  clients: GatewayClients,
  connection: GatewayConnection,
  signal: AbortSignal,
): Promise<ConditionState<'Reachable'>> {
  try {
    await clients.for(connection).customerInfo(PROBE_ID, { signal });
    return reachable;
  } catch (error) {
    // A gateway that limits the call rate is reachable.
    if (!isGatewayError(error, 'retryAfter')) throw error;
    return error.rateLimited ? rateLimited(error) : reachable;
  }
}

function rateLimited({ message }: GatewayError): ConditionState<'Reachable'> {
  return { status: 'False', reason: 'RateLimited', message };
}

function conditionOf(error: unknown): ConditionState<'Reachable'> {
  if (error instanceof ConnectionError) {
    return { status: 'False', reason: error.instanceReason ?? 'GatewayError', message: error.message };
  }
  if (!isGatewayError(error)) throw error;
  const { kind, message } = error;
  if (kind === 'unauthorized') return { status: 'False', reason: 'GatewayUnauthorized', message };
  return { status: 'False', reason: kind === 'transient' ? 'GatewayUnreachable' : 'GatewayError', message };
}
