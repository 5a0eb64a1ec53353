/** The metadata of a Kubernetes object as JSON: timestamps are strings. */
export interface Metadata {
  readonly name: string;
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  /** The field managers. Only in responses to requests: caches drop it, because it is often larger than the rest. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** The fields that one manager sets with one operation. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: object;
}

/** An owner reference, as garbage collection reads it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** An object as the API server returned it. Caches and reconciles share it: never change it in place. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

/** The namespace and name of one object. */
export interface ObjectKey {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** A kind of Kubernetes object, and optionally a selection of its objects. `T` is their type. */
export interface ResourceKind<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Restricts caches of this kind to objects with these labels. Same syntax as `kubectl get -l`. */
  readonly labelSelector?: string;
  /** Carries the type of the objects for the compiler. Never set. */
  readonly objectType?: T;
}

/** The input of {@link resource}. The API's tables of names match it. */
export interface ResourceKindNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/**
 * Describes a kind to the runtime. Keep the result in a constant: callers that pass the same constant share a cache.
 * @param names group (empty for core), version, kind and plural
 * @param options `namespaced` (default true) and a label selector for caches
 */
export function resource<T extends KubeObject>(
  names: ResourceKindNames,
  options: { readonly namespaced?: boolean; readonly labelSelector?: string } = {},
): ResourceKind<T> {
  const { group, version, kind, plural } = names;
  return {
    group,
    version,
    kind,
    plural,
    namespaced: options.namespaced ?? true,
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
  };
}

/** The `apiVersion` of a kind's objects: `apps/v1`, `v1`. */
export function apiVersionOf(kind: Pick<ResourceKind, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

export function keyOf(object: {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}): ObjectKey {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** A key as text: `namespace/name`, or `name` for a cluster-scoped object. */
export function keyText(key: ObjectKey): string {
  return key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}

/** The inverse of {@link keyText}. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { namespace: '', name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/**
 * Creates an owner reference for the metadata of an owner's children.
 * @param options `controller` (default true): whether the owner is the managing controller of the child
 */
export function ownerReference(owner: KubeObject, options: { readonly controller?: boolean } = {}): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: options.controller ?? true,
    blockOwnerDeletion: true,
  };
}

/** A type of client-node (`V1Deployment`) as JSON: dates are strings. */
export type AsJson<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? AsJson<Item>[]
    : T extends object
      ? { [Field in keyof T]: AsJson<T[Field]> }
      : T;

/** A type of client-node (`FromServer<V1Deployment>`) as {@link KubeClient} and the caches return it. */
export type FromServer<T extends { metadata?: unknown }> = Omit<AsJson<T>, 'apiVersion' | 'kind' | 'metadata'> &
  KubeObject;
