import { isGatewayError } from '../gateway/gateway.ts';
import type { Connections } from './connections.ts';
import type { GatewayConnection } from './readConnection.ts';

/**
 * Runs calls to a gateway. After a 401 it reads the master key again and, if the key has changed, runs them once more
 * with the new one.
 */
export async function retryWithFreshKey<T>(
  { connections }: { readonly connections: Pick<Connections, 'refresh'> },
  connection: GatewayConnection,
  run: (connection: GatewayConnection) => Promise<T>,
): Promise<T> {
  try {
    return await run(connection);
  } catch (error) {
    if (!isGatewayError(error, 'unauthorized')) throw error;
    const fresh = await connections.refresh(connection);
    if (fresh === connection) throw error;
    return await run(fresh);
  }
}
