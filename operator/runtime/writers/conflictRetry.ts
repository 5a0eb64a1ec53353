import type { KubeClient } from '../contract.ts';
import { ApiError, isConflict } from '../client/errors.ts';
import type { KubeObject, ResourceKind } from '../objects.ts';
import { keyOf, keyText } from '../objects.ts';

/** Number of retries after conflicts. Then the whole reconcile is retried. */
const CONFLICT_RETRIES = 5;

/**
 * Writes one object. On a conflict, reads the object again and writes again.
 * @param write writes to the current state, guarded by its uid and resourceVersion; undefined: there is nothing to write
 * @returns the object after the write, or the current one if there was nothing to write
 * @throws ApiError 404 if the object (by uid) no longer exists
 */
export async function writeWithRetry<T extends KubeObject>(
  client: Pick<KubeClient, 'get'>,
  kind: ResourceKind<T>,
  object: T,
  write: (current: T) => Promise<T> | undefined,
): Promise<T> {
  let current = object;
  for (let attempt = 0; ; attempt++) {
    try {
      return (await write(current)) ?? current;
    } catch (error) {
      if (!isConflict(error) || attempt >= CONFLICT_RETRIES) throw error;
      current = await readAgain(client, kind, current);
    }
  }
}

async function readAgain<T extends KubeObject>(
  client: Pick<KubeClient, 'get'>,
  kind: ResourceKind<T>,
  object: T,
): Promise<T> {
  const now = await client.get(kind, keyOf(object));
  if (now.metadata.uid === object.metadata.uid) return now;
  throw new ApiError(`${kind.kind} ${keyText(keyOf(object))} was deleted and recreated.`, {
    status: 404,
    reason: 'NotFound',
  });
}
