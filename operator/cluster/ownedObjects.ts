/** Applies and deletes the objects of an instance. Objects of other owners are never changed. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type {
  Cache,
  KubeClient,
  KubeObject,
  Metadata,
  OwnerReference,
  ResourceKind,
  Runtime,
} from '../runtime/runtime.ts';
import { ApiError, isNotFound, keyOf, ownerReference, RetryAfterError } from '../runtime/runtime.ts';
import {
  configMaps,
  horizontalPodAutoscalers,
  networkPolicies,
  guardrailDeployments,
  podDisruptionBudgets,
  secrets,
  serviceAccounts,
  serviceMonitors,
  services,
} from './kinds.ts';
import { isLabelledFor } from './names.ts';

/** The kinds of owned objects that are watched. Secrets and ServiceMonitors are owned too, and not watched. */
export const ownedKinds: readonly ResourceKind[] = [
  serviceAccounts,
  configMaps,
  services,
  guardrailDeployments,
  podDisruptionBudgets,
  horizontalPodAutoscalers,
  networkPolicies,
];

/** The metadata of an applied object. */
export interface OwnedObjectMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly OwnerReference[];
}

/** An object to apply, and its kind. */
export interface OwnedObject {
  readonly kind: ResourceKind;
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata: OwnedObjectMetadata };
}

/** How long the garbage collector may take to delete the objects of a previous instance of the same name. */
const COLLECTED_MS = 3_000;

/** An object with the name exists and belongs to another owner. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError';
  /** The first sentence of the message, without the remedy. */
  readonly state: string;

  constructor(kind: string, name: string) {
    const state = `${kind} ${name} exists and does not belong to this instance.`;
    super(`${state} Rename or delete it, or rename the instance.`);
    this.state = state;
  }
}

/** Whether an object belongs to this instance, not to a previous instance of the same name. */
export function isOwnedBy(object: { readonly metadata: Metadata }, instance: GatewayInstance): boolean {
  return (object.metadata.ownerReferences ?? []).some(({ uid }) => uid === instance.metadata.uid);
}

/** The objects of all instances. */
export class OwnedObjects {
  readonly #client: KubeClient;
  readonly #caches: readonly { readonly kind: ResourceKind; readonly cache: Cache<KubeObject> }[];

  /** Called while the controller is set up. */
  constructor(runtime: Runtime) {
    this.#client = runtime.client;
    this.#caches = ownedKinds.map((kind) => ({ kind, cache: runtime.cache<KubeObject>(kind) }));
  }

  /**
   * Applies objects sequentially.
   * @returns the objects as stored by the API server
   * @throws NameTakenError before the first write if one of the objects belongs to another owner; ApiError
   */
  async apply(instance: GatewayInstance, children: readonly OwnedObject[]): Promise<KubeObject[]> {
    for (const child of children) await this.#claim(instance, child);
    const applied: KubeObject[] = [];
    for (const { kind, object } of children) {
      try {
        applied.push(await this.#client.apply(kind, object));
      } catch (error) {
        // The kind does not exist if the Prometheus operator is not installed.
        if (!(kind === serviceMonitors && isNotFound(error))) throw error;
      }
    }
    return applied;
  }

  /** Whether an object of a watched kind exists and belongs to the instance. */
  has(instance: GatewayInstance, { kind, object }: OwnedObject): boolean {
    const { namespace, name } = object.metadata;
    const found = this.#caches.find((each) => each.kind === kind)?.cache.get({ namespace, name });
    return found !== undefined && isOwnedBy(found, instance);
  }

  /** Deletes the watched objects of the instance that are not in the list. */
  async prune(instance: GatewayInstance, keep: readonly OwnedObject[]): Promise<void> {
    const kept = new Set(keep.map(({ kind, object }) => `${kind.kind} ${object.metadata.name}`));
    const surplus = this.#caches.flatMap(({ kind, cache }) =>
      cache
        .list(instance.metadata.namespace)
        .filter((object) => isOwnedBy(object, instance) && !kept.has(`${kind.kind} ${object.metadata.name}`))
        .map((object) => ({ kind, object })),
    );
    for (const { kind, object } of surplus) {
      await this.#client.delete(kind, keyOf(object), { uid: object.metadata.uid });
    }
  }

  /**
   * Deletes one object, if it belongs to the instance. Reads it first only if its kind is not watched. A Secret is emptied,
   * and left to the garbage collector: see {@link retired}.
   */
  async remove(instance: GatewayInstance, kind: ResourceKind, name: string): Promise<void> {
    const key = { namespace: instance.metadata.namespace, name };
    const watched = this.#caches.find((each) => each.kind === kind);
    const object =
      watched === undefined ? await this.#client.get(kind, key).catch(ignoreNotFound) : watched.cache.get(key);
    if (object === undefined || !isOwnedBy(object, instance)) return;
    if (kind === secrets) await this.#client.patch(secrets, key, retired(object, instance));
    else await this.#client.delete(kind, key, { uid: object.metadata.uid });
  }

  /** Checks that an object may be applied: it does not exist, or belongs to the instance. */
  async #claim(instance: GatewayInstance, { kind, object }: OwnedObject): Promise<void> {
    const { name, namespace } = object.metadata;
    const existing = await this.#client.get(kind, { namespace, name }).catch(ignoreNotFound);
    if (existing === undefined || isOwnedBy(existing, instance) || isOrphaned(existing, instance)) return;
    const previousOwner = (existing.metadata.ownerReferences ?? []).find(
      (owner) => owner.kind === instance.kind && owner.name === instance.metadata.name,
    );
    if (previousOwner === undefined) throw new NameTakenError(kind.kind, name);
    // The garbage collector would delete the new contents because of the reference to the previous owner.
    throw new RetryAfterError(
      `${kind.kind} ${name} of a previous instance with this name is not deleted yet.`,
      COLLECTED_MS,
    );
  }
}

/** The uid of no object. */
const NO_UID = '00000000-0000-0000-0000-000000000000';

/**
 * The patch of a Secret that its instance no longer needs: no values, and an owner that does not exist, so that the garbage
 * collector deletes it. The operator has no right to delete Secrets, because RBAC cannot limit it to those that it made.
 */
function retired(
  { metadata: { uid, resourceVersion }, ...secret }: KubeObject,
  instance: GatewayInstance,
): Record<string, unknown> {
  const { apiVersion, kind, name } = ownerReference(instance);
  const { data = {} } = secret as { readonly data?: Readonly<Record<string, string>> };
  return {
    metadata: { uid, resourceVersion, ownerReferences: [{ apiVersion, kind, name, uid: NO_UID }] },
    data: Object.fromEntries(Object.keys(data).map((key) => [key, null])),
  };
}

/** Whether an object of an instance of this name has no owner: it was orphaned, or restored from a backup. */
function isOrphaned(object: { readonly metadata: Metadata }, instance: GatewayInstance): boolean {
  const { ownerReferences = [] } = object.metadata;
  return ownerReferences.length === 0 && isLabelledFor(object.metadata, instance);
}

/** Makes a read return undefined if the object does not exist. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** Whether the API server rejected an object because of its contents, so that a retry does not help. */
export function isRejection(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 403, 413, 422].includes(error.status);
}
