/** Reads the conditions of the operator's resources. */
import { customers, instances } from '../../../operator/api/kinds.ts';
import type { GatewayCustomer, GatewayInstance } from '../../../operator/api/v1alpha1/v1alpha1.ts';
import { eventually, type RestClient } from '../../../operator/runtime/testing/testing.ts';

/** The operator abandons a call to a gateway after 10 s. The rest is for a busy machine. */
const REPORTED_WITHIN_MS = 30_000;

/** Whether a customer is synced with its current spec. */
export function isSynced({ metadata, status }: GatewayCustomer): boolean {
  return status?.synced === true && status.observedGeneration === metadata.generation;
}

/** The messages of all conditions of an object. */
export function messagesOf({ status }: GatewayCustomer | GatewayInstance): string {
  return (status?.conditions ?? []).map(({ type, reason, message }) => `${type} ${reason}: ${message}`).join('\n');
}

/**
 * Waits until every object of a namespace has a condition with a reason and a message.
 *
 * @returns the faults
 */
export async function unexplainedObjects(client: RestClient, namespace: string): Promise<string[]> {
  try {
    await eventually(async () => {
      const all = [...(await client.list(instances, { namespace })), ...(await client.list(customers, { namespace }))];
      const faults = all.filter((one) => !isExplained(one)).map(describeUnexplained);
      if (faults.length > 0) throw new Error(faults.join('; '));
    }, REPORTED_WITHIN_MS);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function isExplained({ status }: GatewayCustomer | GatewayInstance): boolean {
  return (status?.conditions ?? []).some(({ message, reason }) => message !== '' && reason !== '');
}

function describeUnexplained({ kind, metadata: { name, namespace } }: GatewayCustomer | GatewayInstance): string {
  return `${kind} ${namespace}/${name} has no condition with a reason and a message`;
}
