/** Whether the gateway's admin API answers, and takes the key. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayClients, GatewayError } from '../gateway/gateway.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import type { Connections, GatewayConnection } from './connections.ts';
import { ConnectionError } from './connections.ts';
import type { ConditionState } from '../conditions/conditions.ts';

/** What was found of the gateway's admin API. */
export interface Reach {
  readonly finding: ConditionState<'Reachable'>;
  /** undefined: it cannot be called now. Present where it only asks for time. */
  readonly connection: GatewayConnection | undefined;
  /** Its address, where it is known. */
  readonly endpoint: string | undefined;
}

/** No customer has this id: the question alone tells what is to be known, and changes nothing. */
const PROBE_ID = 'gcust-probe';

/** Asks the gateway, with the key, and reads the key again where it is refused. */
export async function reach(
  connections: Connections,
  clients: GatewayClients,
  instance: GatewayInstance,
  signal: AbortSignal,
): Promise<Reach> {
  let endpoint: string | undefined;
  try {
    const first = await connections.forInstance(instance);
    ({ endpoint } = first);
    const { connection, limited } = await ask(first).catch(async (error: unknown) => {
      if (!isGatewayError(error, 'unauthorized')) throw error;
      // The key may have been rotated since it was read.
      const fresh = await connections.refresh(first);
      if (fresh === first) throw error;
      return ask(fresh);
    });
    return { finding: limited === undefined ? reachable : rateLimited(limited), connection, endpoint };
  } catch (error) {
    return { finding: findingOf(error), connection: undefined, endpoint };
  }

  async function ask(
    connection: GatewayConnection,
  ): Promise<{ connection: GatewayConnection; limited?: GatewayError }> {
    try {
      await clients.for(connection).customerInfo(PROBE_ID, { signal });
      return { connection };
    } catch (error) {
      // A gateway that asks for time is there: what is known of it goes on to hold.
      if (!isGatewayError(error, 'retryAfter')) throw error;
      return error.rateLimited ? { connection, limited: error } : { connection };
    }
  }
}

const reachable: ConditionState<'Reachable'> = {
  status: 'True',
  reason: 'Reachable',
  message: 'The gateway answers, and takes the key.',
};

function rateLimited({ message }: GatewayError): ConditionState<'Reachable'> {
  return { status: 'False', reason: 'RateLimited', message };
}

function findingOf(error: unknown): ConditionState<'Reachable'> {
  if (error instanceof ConnectionError) {
    return { status: 'False', reason: error.instanceReason ?? 'GatewayError', message: error.message };
  }
  if (!isGatewayError(error)) throw error;
  const { kind, message } = error;
  if (kind === 'unauthorized') return { status: 'False', reason: 'GatewayUnauthorized', message };
  return { status: 'False', reason: kind === 'transient' ? 'GatewayUnreachable' : 'GatewayError', message };
}
