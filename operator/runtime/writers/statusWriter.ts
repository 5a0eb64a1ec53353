import { isDeepStrictEqual } from 'node:util';
import type { KubeClient, StatusFields, StatusWriter } from '../contract.ts';
import type { KubeObject, ResourceKind } from '../objects.ts';
import { patchWithRetry } from './conflictRetry.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Computes the JSON merge patch (RFC 7386) from one object to another. Nested objects are compared field by field, lists
 * as a whole; an undefined field counts as absent.
 * @returns undefined when the objects are equal
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

/** Implements {@link StatusWriter}. */
export class MergingStatusWriter<T extends KubeObject> implements StatusWriter<T> {
  readonly #client: KubeClient;
  readonly #kind: ResourceKind<T>;
  readonly #isOwn: (field: string) => boolean;

  /** @param fields the fields that this writer writes; default: all */
  constructor(client: KubeClient, kind: ResourceKind<T>, fields: StatusFields = { except: [] }) {
    this.#client = client;
    this.#kind = kind;
    this.#isOwn = 'only' in fields ? (field) => fields.only.includes(field) : (field) => !fields.except.includes(field);
  }

  async write(object: T, status: object, stillApplies: (current: T) => boolean = () => true): Promise<T> {
    // JSON drops undefined fields. Without this, they would count as a difference each time.
    const desired = this.#own(JSON.parse(JSON.stringify(status)) as JsonObject);
    return patchWithRetry(
      this.#client,
      this.#kind,
      object,
      (current) => {
        const patch = mergePatch(this.#own((current as { status?: JsonObject }).status ?? {}), desired);
        return patch === undefined ? undefined : { status: patch };
      },
      { subresource: 'status', stillApplies },
    );
  }

  #own(status: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(status).filter(([field]) => this.#isOwn(field)));
  }
}
