/** A namespace that is deleted with a gateway, its instance and a customer in it, while other cases go on. */
import { cluster } from './environment.ts';
import { GuardedGateway } from './guardedGateway.ts';
import { becomes, Testbed } from './testbed.ts';

let deleted: Promise<string> | undefined;

/**
 * Begins the deletion, once. A customer whose instance or key went first is let go after five minutes, so whoever is
 * early waits least.
 * @returns the namespace's name, when its deletion has begun
 */
export function deletedNamespace(): Promise<string> {
  deleted ??= begin();
  // Who waits for it hears of a failure.
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
