/** A namespace that is deleted together with a gateway, its instance and a customer, while other cases run. */
import { cluster } from './environment.ts';
import { GuardedGateway } from './guardedGateway.ts';
import { becomes, Testbed } from './testbed.ts';

let deleted: Promise<string> | undefined;

/**
 * Starts the deletion once. If a customer's instance or key is deleted first, the operator releases the customer after five
 * minutes, so an early start saves waiting time.
 *
 * @returns the name of the namespace, after its deletion has begun
 */
export function deletedNamespace(): Promise<string> {
  deleted ??= begin();
  // A caller that awaits the promise gets the failure.
  deleted.catch(() => undefined);
  return deleted;
}

async function begin(): Promise<string> {
  const testbed = await Testbed.start('deleted', 1);
  await new GuardedGateway(testbed).on({});
  await testbed.customer('one', { maxBudget: 1 });
  await becomes('gcust', 'one', testbed.namespace, { type: 'Synced', status: 'True' });
  await cluster().kubectl(['delete', 'namespace', testbed.namespace, '--wait=false']);
  return testbed.namespace;
}
