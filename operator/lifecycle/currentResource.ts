import type { ObjectMeta } from '../api/v1alpha1/v1alpha1.ts';
import type { Finalizer, KubeObject, Lister, StatusWriter } from '../runtime/runtime.ts';

/**
 * The resource was deleted before the finalizer was written. Nothing exists at the gateway, and nothing may be created
 * there.
 */
export class DeletedFirstError extends Error {
  override readonly name = 'DeletedFirstError';
}

/** What reads and writes the resources of one kind. */
export interface ResourceWriters<T extends KubeObject> {
  readonly cache: Pick<Lister<T>, 'get'>;
  readonly finalizer: Finalizer<T>;
  readonly status: StatusWriter<T>;
}

/** The resource of one reconcile. Every step reads and writes it through this object. */
export class CurrentResource<T extends KubeObject & { readonly metadata: ObjectMeta }> {
  readonly #writers: ResourceWriters<T>;
  #known: T;

  constructor(writers: ResourceWriters<T>, resource: T) {
    this.#writers = writers;
    this.#known = resource;
  }

  /**
   * The newest state of the resource: the cache contains the operator's own writes at once. The next reconcile handles
   * a resource with another uid or spec.
   */
  get latest(): T {
    const { namespace, name, uid, generation } = this.#known.metadata;
    const cached = this.#writers.cache.get({ namespace, name });
    if (cached?.metadata.uid === uid && cached.metadata.generation === generation) this.#known = cached;
    return this.#known;
  }

  /**
   * Sets the finalizer and annotations in at most one patch; null removes an annotation.
   * @throws DeletedFirstError if the deletion came first and the finalizer of another controller keeps the resource
   */
  async ensureFinalizer(annotations: Readonly<Record<string, string | null>> = {}): Promise<void> {
    const { finalizer } = this.#writers;
    this.#known = await finalizer.add(this.latest, annotations);
    if (!finalizer.isSet(this.#known)) throw new DeletedFirstError('The resource is being deleted.');
  }

  /**
   * Writes the status.
   * @param stillApplies see {@link StatusWriter.write}
   * @throws ApiError
   */
  protected async writeStatus(before: T, status: object, stillApplies?: (current: T) => boolean): Promise<void> {
    this.#known = await this.#writers.status.write(before, status, stillApplies);
  }
}
