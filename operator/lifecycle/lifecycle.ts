/** The parts of a reconcile that all kinds share. */
import { annotations, type ObjectMeta, type ResourceNames } from '../api/v1alpha1/v1alpha1.ts';
import {
  type Finalizer,
  isForbidden,
  isNotFound,
  keyText,
  type KubeClient,
  type KubeObject,
  type Lister,
  type ObjectKey,
  type Permission,
  resource,
  type StatusWriter,
} from '../runtime/runtime.ts';

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The remedy in the condition of a deletion that waits. */
export const forceDeleteRemedy = `To delete this resource anyway, set the annotation ${annotations.forceDelete} to "true".`;

/** Whether an annotation is "true". */
export function isAnnotated({ metadata }: Annotated, annotation: 'paused' | 'forceDelete'): boolean {
  return metadata.annotations?.[annotations[annotation]] === 'true';
}

/** The token of the sync request that has not been handled yet. */
export function pendingSyncRequest(
  resource: Annotated & { readonly status?: { readonly lastHandledSyncRequest?: string } },
): string | undefined {
  const token = resource.metadata.annotations?.[annotations.syncRequested];
  return token === resource.status?.lastHandledSyncRequest ? undefined : token;
}

interface Managed {
  readonly spec: { readonly managementPolicy?: 'Manage' | 'Observe' };
}

/** Whether the operator must change nothing at the gateway for a resource, not even when it is deleted. */
export function isObserveOnly({ spec }: Managed): boolean {
  return spec.managementPolicy === 'Observe';
}

/** Whether a change of a resource changes who may own its object at the gateway. */
export function changedManagement(before: Managed, after: Managed): boolean {
  return isObserveOnly(before) !== isObserveOnly(after);
}

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
   * @throws ApiError
   */
  protected async writeStatus(before: T, status: object): Promise<void> {
    this.#known = await this.#writers.status.write(before, status);
  }
}

const definitions = resource<KubeObject>(
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
  },
  { namespaced: false },
);

/** The permission that {@link isDefinitionBeingDeleted} needs. */
export function definitionPermission({ plural, group }: ResourceNames): Permission {
  return {
    group: definitions.group,
    resource: definitions.plural,
    verbs: ['get'],
    scope: 'cluster',
    resourceNames: [`${plural}.${group}`],
  };
}

/** Whether the CustomResourceDefinition of a kind is being deleted, and all its resources with it. */
export async function isDefinitionBeingDeleted(
  client: Pick<KubeClient, 'get'>,
  { plural, group }: ResourceNames,
): Promise<boolean> {
  const definition = await client
    .get(definitions, { namespace: '', name: `${plural}.${group}` })
    .catch((error: unknown) => {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    });
  return definition?.metadata.deletionTimestamp !== undefined;
}

/**
 * The minimum interval between reconciles of an unchanged resource. Without it, ten thousand customers that become
 * synced would cause ten thousand reconciles of their instance and their budget.
 */
const MIN_INTERVAL_MS = 1_000;

/** Delays the reconciles of unchanged resources. Its state is in memory, and empty after a restart. */
export class Throttle {
  readonly #monotonic: () => number;
  /** The last reconciled version, and its time. */
  readonly #last = new Map<string, { readonly version: string; readonly at: number }>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** How long the reconcile of an unchanged resource must wait, in milliseconds; 0 if it need not wait. */
  waitMs({ metadata }: { readonly metadata: ObjectMeta }): number {
    const last = this.#last.get(keyText(metadata));
    if (last?.version !== versionOf(metadata)) return 0;
    return Math.max(0, Math.ceil(last.at + MIN_INTERVAL_MS - this.#monotonic()));
  }

  /** Records a complete reconcile. */
  reconciled({ metadata }: { readonly metadata: ObjectMeta }): void {
    this.#last.set(keyText(metadata), { version: versionOf(metadata), at: this.#monotonic() });
  }

  forget(key: ObjectKey): void {
    this.#last.delete(keyText(key));
  }
}

/** Identifies the fields of a resource that users can change. */
function versionOf({ uid, generation, annotations }: ObjectMeta): string {
  return JSON.stringify([uid, generation, annotations]);
}
