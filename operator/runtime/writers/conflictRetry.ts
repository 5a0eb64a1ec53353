import type { KubeClient, MergePatch, Subresource } from '../contract.ts';
import { ApiError, isConflict } from '../client/errors.ts';
import type { KubeObject, ResourceKind } from '../objects.ts';
import { keyOf, keyText } from '../objects.ts';

/** Number of retries after conflicts. Then the whole reconcile is retried. */
const CONFLICT_RETRIES = 5;

export interface PatchOptions<T extends KubeObject> {
  readonly subresource?: Subresource;
  /** Whether the patch still applies to an object that others changed in the meantime. Default: always. */
  readonly stillApplies?: (current: T) => boolean;
}

/**
 * Patches one object. On a conflict, reads the object again and builds the patch again.
 * @param buildPatch the patch for the current state; undefined: there is nothing to write
 * @returns the object after the write, or the current one if there was nothing to write
 * @throws ApiError 404 if the object (by uid) no longer exists; 409 if the patch no longer applies
 */
export async function patchWithRetry<T extends KubeObject>(
  client: KubeClient,
  kind: ResourceKind<T>,
  object: T,
  buildPatch: (current: T) => MergePatch | undefined,
  { stillApplies = () => true, ...options }: PatchOptions<T> = {},
): Promise<T> {
  let current = object;
  for (let attempt = 0; ; attempt++) {
    const patch = buildPatch(current);
    if (patch === undefined) return current;
    const { uid, resourceVersion } = current.metadata;
    const metadata = { ...(patch.metadata as object | undefined), uid, resourceVersion };
    try {
      return await client.patch(kind, keyOf(current), { ...patch, metadata }, options);
    } catch (error) {
      if (!isConflict(error) || attempt >= CONFLICT_RETRIES) throw error;
      current = await readAgain(client, kind, current);
      if (!stillApplies(current)) throw error;
    }
  }
}

async function readAgain<T extends KubeObject>(client: KubeClient, kind: ResourceKind<T>, object: T): Promise<T> {
  const now = await client.get(kind, keyOf(object));
  if (now.metadata.uid === object.metadata.uid) return now;
  throw new ApiError(`${kind.kind} ${keyText(keyOf(object))} was deleted and recreated.`, {
    status: 404,
    reason: 'NotFound',
  });
}
