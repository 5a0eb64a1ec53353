/** Observes the gateway's budgets. */
import type { GatewayConnection } from '../connection/connection.ts';
import { type CallOptions, type GatewayClient, type GatewayClients, type Tier, tierOf } from '../gateway/gateway.ts';

/** No customer has this id: the call reads nothing and changes nothing. */
const probeId = 'gcust-probe';

/**
 * Whether the gateway has a `/budget` API.
 * @throws GatewayError if the response does not show it
 */
export async function supportsBudgets(
  clients: GatewayClients,
  connection: GatewayConnection,
  signal: AbortSignal,
): Promise<boolean> {
  const client = clients.for(connection);
  // Another server at a wrong address has no /budget API either. Customers would then be stored in another way.
  if (!client.isLiteLlm) await client.customerInfo(probeId, { signal });
  return await clients.hasBudgetApi(connection);
}

/** The budget with this id; undefined if the gateway has none. */
export async function observeTier(client: GatewayClient, id: string, options: CallOptions): Promise<Tier | undefined> {
  const [row] = await client.budgetInfo([id], options);
  return row === undefined ? undefined : tierOf(row);
}
