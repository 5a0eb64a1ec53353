import { isDeepStrictEqual } from 'node:util';
import type { KubeClient, StatusFields, StatusWriter } from '../contract.ts';
import type { KubeObject, ResourceKind } from '../objects.ts';
import { writeWithRetry } from './conflictRetry.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Implements {@link StatusWriter}. Replaces the status as a whole, guarded by the resourceVersion: for a patch of the same
 * status, the API server would encode the object, merge both and decode the result, which takes a third more of its time.
 */
export class GuardedStatusWriter<T extends KubeObject> implements StatusWriter<T> {
  readonly #client: KubeClient;
  readonly #kind: ResourceKind<T>;
  readonly #isOwn: (field: string) => boolean;

  /** @param fields the fields that this writer writes; default: all */
  constructor(client: KubeClient, kind: ResourceKind<T>, fields: StatusFields = { except: [] }) {
    this.#client = client;
    this.#kind = kind;
    this.#isOwn = 'only' in fields ? (field) => fields.only.includes(field) : (field) => !fields.except.includes(field);
  }

  async write(object: T, status: object): Promise<T> {
    // JSON drops undefined fields. Without this, they would count as a difference each time.
    const desired = this.#own(JSON.parse(JSON.stringify(status)) as JsonObject);
    return writeWithRetry(this.#client, this.#kind, object, (current) => {
      const { status: before = {} } = current as { readonly status?: JsonObject };
      const after = { ...this.#foreign(before), ...desired };
      return isDeepStrictEqual(before, after) ? undefined : this.#client.replaceStatus(this.#kind, current, after);
    });
  }

  #own(status: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(status).filter(([field]) => this.#isOwn(field)));
  }

  #foreign(status: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(status).filter(([field]) => !this.#isOwn(field)));
  }
}
