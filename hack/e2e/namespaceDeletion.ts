/** A namespace that is deleted with a gateway, its instance and a customer in it, while other cases go on. */
import { cluster } from './environment.ts';
import { Guarded } from './guarded.ts';
import { becomes, Stand } from './testbed.ts';

let doomed: Promise<string> | undefined;

/**
 * Begins the deletion, once. A customer whose instance or key went first is let go after five minutes, so whoever is
 * early waits least.
 * @returns the namespace's name, when its deletion has begun
 */
export function doomedNamespace(): Promise<string> {
  doomed ??= begin();
  // Who waits for it hears of a failure.
  doomed.catch(() => undefined);
  return doomed;
}

async function begin(): Promise<string> {
  const stand = await Stand.start('doomed', 1);
  await new Guarded(stand).on({});
  await stand.customer('one', { maxBudget: 1 });
  await becomes('gcust', 'one', stand.namespace, { type: 'Synced', status: 'True' });
  await cluster().kubectl(['delete', 'namespace', stand.namespace, '--wait=false']);
  return stand.namespace;
}
