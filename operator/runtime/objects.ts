/** What the runtime needs to know of a Kubernetes object: its metadata as JSON carries them, timestamps as strings. */
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
  /** Who set which fields. Only on what a request returned: caches leave it out, since it is often the larger part. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** The fields that one manager has set in one way. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: object;
}

/** One owner of an object, as garbage collection knows it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** An object as the API server returned it. Shared between caches and reconciles: never to be changed in place. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

/** Names one object of a kind. */
export interface ObjectKey {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** How the API server knows a kind, and which of its objects are meant. `T` is the type of these objects. */
export interface ResourceKind<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Restricts caches of this kind to objects with these labels, in the syntax of `kubectl get -l`. */
  readonly labelSelector?: string;
  /** Only for the compiler: the type of the objects. Never set. */
  readonly objectType?: T;
}

/** What {@link resource} takes: the API's own table of names fits, whatever else it holds. */
export interface ResourceKindNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/**
 * Describes a kind to the runtime. Keep the result in a constant: caches are shared by its identity.
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

/** `apiVersion` of a kind's objects: `apps/v1`, `v1`. */
export function apiVersionOf(kind: Pick<ResourceKind, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** The key of an object. */
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
 * An owner reference to an object, for the metadata of its children.
 * @param options `controller` (default true): whether the owner is the one controller of the child
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

/** A type of client-node (`V1Deployment`) as JSON carries it: dates are strings, metadata are as the server sends them. */
export type AsJson<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? AsJson<Item>[]
    : T extends object
      ? { [Field in keyof T]: AsJson<T[Field]> }
      : T;

/** An object of one of client-node's types (`Json<V1Deployment>`), as read through {@link KubeClient} or a cache. */
export type FromServer<T extends { metadata?: unknown }> = Omit<AsJson<T>, 'apiVersion' | 'kind' | 'metadata'> &
  KubeObject;
