import type { Permission, ReconcileContext, Reconciler, Result } from '../contract.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { apiVersionOf } from '../objects.ts';

/** A kind whose changes cause reconciles of other objects. */
export interface Watch {
  readonly kind: ResourceKind;
  /** Maps a changed object to objects of the controller's own kind. Called with the state before and after a change. */
  readonly map: (object: KubeObject) => readonly ObjectKey[];
  /** Whether a change matters. */
  readonly changed: (before: KubeObject, after: KubeObject) => boolean;
}

/** The specification of a controller. */
export interface ControllerSpec {
  /** The kind in lower case, or the concern of a second controller of a kind; as in metrics. */
  readonly name: string;
  readonly kind: ResourceKind;
  readonly changed: (before: KubeObject, after: KubeObject) => boolean;
  /** Whether a reconcile's own writes to its object cause the next reconcile. */
  readonly reactsToItself: boolean;
  readonly watches: readonly Watch[];
  readonly permissions: readonly Permission[];
  /** The timeout of one reconcile, in milliseconds; undefined: the operator's default. */
  readonly timeoutMs: number | undefined;
  /** The groups of an object, the outermost first. Groups share the workers. */
  readonly groupsOf: (key: ObjectKey) => readonly string[];
  readonly reconciler: Reconciler;
}

/**
 * Whether anything but the status changed: the spec (by generation) or the metadata. The operator's status writes must not
 * cause the next reconcile.
 */
export function changedBesidesStatus(before: KubeObject, after: KubeObject): boolean {
  const a = before.metadata;
  const b = after.metadata;
  return (
    a.uid !== b.uid ||
    a.generation !== b.generation ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    JSON.stringify([a.labels, a.annotations, a.finalizers, a.ownerReferences]) !==
      JSON.stringify([b.labels, b.annotations, b.finalizers, b.ownerReferences])
  );
}

/**
 * The permission to set owner references that block the deletion of the owner. Clusters that enforce it (OpenShift) check it on
 * the owner's kind.
 */
export function ownerReferencePermission({ group, plural }: Pick<ResourceKind, 'group' | 'plural'>): Permission {
  return { group, resource: `${plural}/finalizers`, verbs: ['update'], scope: 'watched' };
}

/** Starts the specification of a controller: `when(customers).watches(instances, …).reconcile(reconciler)`. */
export function when<T extends KubeObject>(kind: ResourceKind<T>): ControllerBuilder<T> {
  return new ControllerBuilder<T>({
    name: kind.kind.toLowerCase(),
    kind,
    changed: changedBesidesStatus,
    reactsToItself: false,
    watches: [],
    permissions: [],
    timeoutMs: undefined,
    groupsOf: ({ namespace }) => [namespace],
  });
}

type Draft = Omit<ControllerSpec, 'reconciler'>;

/** Builds a {@link ControllerSpec}. Each step returns a new builder. */
export class ControllerBuilder<T extends KubeObject> {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /**
   * Reconciles objects when objects of another kind change.
   * @param kind the other kind
   * @param map maps an object of the other kind to objects of this one; called with the state before and after a change
   * @param options `changed`: whether a change matters (default: every change does)
   */
  watches<Other extends KubeObject>(
    kind: ResourceKind<Other>,
    map: (object: Other) => readonly ObjectKey[],
    options: { readonly changed?: (before: Other, after: Other) => boolean } = {},
  ): ControllerBuilder<T> {
    const watch = { kind, map, changed: options.changed ?? (() => true) };
    // The runtime calls each watch only with objects of the watch's own kind.
    return this.#with({ watches: [...this.#draft.watches, watch as unknown as Watch] });
  }

  /** Reconciles the controlling owner when an owned object changes. */
  owns<Child extends KubeObject>(kind: ResourceKind<Child>): ControllerBuilder<T> {
    const owner = this.#draft.kind;
    return this.needs(ownerReferencePermission(owner)).watches(kind, (child) =>
      (child.metadata.ownerReferences ?? [])
        .filter((ref) => ref.controller === true && ref.kind === owner.kind && ref.apiVersion === apiVersionOf(owner))
        .map((ref) => ({ namespace: child.metadata.namespace ?? '', name: ref.name })),
    );
  }

  /** Adds permissions that the reconcile needs in addition to watches. They become part of the operator's roles. */
  needs(...permissions: readonly Permission[]): ControllerBuilder<T> {
    return this.#with({ permissions: [...this.#draft.permissions, ...permissions] });
  }

  /** Sets the name of a controller, for a kind that has another controller too. Default: the kind in lower case. */
  named(name: string): ControllerBuilder<T> {
    return this.#with({ name });
  }

  /** Sets the timeout of one reconcile, in milliseconds. */
  withTimeout(timeoutMs: number): ControllerBuilder<T> {
    return this.#with({ timeoutMs });
  }

  /**
   * Shares the workers between groups of objects, so that a slow group does not delay the others. Default: by namespace.
   * @param groupsOf the groups of an object, the outermost first
   */
  sharedBy(groupsOf: (key: ObjectKey) => readonly string[]): ControllerBuilder<T> {
    return this.#with({ groupsOf });
  }

  /** Sets the reconciler and returns the specification. */
  reconcile(reconciler: Reconciler | ((key: ObjectKey, context: ReconcileContext) => Promise<Result>)): ControllerSpec {
    return {
      ...this.#draft,
      reconciler: typeof reconciler === 'function' ? { reconcile: reconciler } : reconciler,
    };
  }

  #with(change: Partial<Draft>): ControllerBuilder<T> {
    return new ControllerBuilder<T>({ ...this.#draft, ...change });
  }
}
