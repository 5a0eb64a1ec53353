import { isDeepStrictEqual } from 'node:util';
import type { KubeClient, StatusWriter } from '../contract.ts';
import { ApiError, isConflict } from '../client/errors.ts';
import type { KubeObject, ResourceKind } from '../objects.ts';
import { keyOf, keyText } from '../objects.ts';

/** How often a write is repeated on an object that keeps changing. Then the reconcile is. */
const CONFLICT_RETRIES = 5;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The JSON merge patch (RFC 7386) that makes one object of another: nested objects are compared field by field, lists
 * as a whole, and what is undefined counts as absent.
 * @returns undefined when they are the same
 */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject | undefined {
  const patch: Record<string, unknown> = {};
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const before = from[field];
    const after = to[field];
    if (after === undefined) {
      if (before !== undefined) patch[field] = null;
    } else if (isObject(before) && isObject(after)) {
      const nested = mergePatch(before, after);
      if (nested !== undefined) patch[field] = nested;
    } else if (!isDeepStrictEqual(before, after)) {
      patch[field] = after;
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an object again and makes sure that it is still that object, not another of its name. @throws ApiError 404 */
export async function readAgain<T extends KubeObject>(
  client: KubeClient,
  kind: ResourceKind<T>,
  object: T,
): Promise<T> {
  const now = await client.get(kind, keyOf(object));
  if (now.metadata.uid === object.metadata.uid) return now;
  throw new ApiError(`The ${kind.kind} ${keyText(keyOf(object))} has been deleted; another has that name now.`, {
    status: 404,
    reason: 'NotFound',
  });
}

/** See {@link StatusWriter}. */
export class MergingStatusWriter<T extends KubeObject> implements StatusWriter<T> {
  readonly #client: KubeClient;
  readonly #kind: ResourceKind<T>;

  constructor(client: KubeClient, kind: ResourceKind<T>) {
    this.#client = client;
    this.#kind = kind;
  }

  async write(object: T, status: object): Promise<T> {
    // What JSON drops must not look like a difference for ever.
    const wanted = JSON.parse(JSON.stringify(status)) as JsonObject;
    let current = object;
    for (let attempt = 0; ; attempt++) {
      const patch = mergePatch((current as { status?: JsonObject }).status ?? {}, wanted);
      if (patch === undefined) return current;
      const { uid, resourceVersion } = current.metadata;
      try {
        return await this.#client.patch(
          this.#kind,
          keyOf(current),
          { metadata: { uid, resourceVersion }, status: patch },
          { subresource: 'status' },
        );
      } catch (error) {
        if (!isConflict(error) || attempt >= CONFLICT_RETRIES) throw error;
        current = await readAgain(this.#client, this.#kind, current);
      }
    }
  }
}
