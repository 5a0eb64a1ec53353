import type { Permission, ReconcileContext, Reconciler, Result } from '../contract.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { apiVersionOf } from '../objects.ts';

/** A kind that, when one of its objects changes, makes other objects be reconciled. */
export interface Watch {
  readonly kind: ResourceKind;
  /** Which objects of the controller's own kind to reconcile. Called with the state before and after a change. */
  readonly map: (object: KubeObject) => readonly ObjectKey[];
  /** Whether a change matters. */
  readonly changed: (before: KubeObject, after: KubeObject) => boolean;
}

/** Everything there is to know about a controller before it runs. */
export interface ControllerSpec {
  /** Lower case, as in metrics: the kind. */
  readonly name: string;
  readonly kind: ResourceKind;
  readonly changed: (before: KubeObject, after: KubeObject) => boolean;
  /** Whether a reconcile's own writes to its object start the next one. */
  readonly reactsToItself: boolean;
  readonly watches: readonly Watch[];
  readonly permissions: readonly Permission[];
  /** How many reconciles run at once; undefined: the operator's default. */
  readonly workers: number | undefined;
  /** How long one reconcile may take before its signal is aborted, in milliseconds; undefined: the operator's default. */
  readonly timeoutMs: number | undefined;
  /** Whose work the reconcile of an object is: groups share the workers. undefined: all are of one group. */
  readonly groupOf: ((key: ObjectKey) => string) | undefined;
  readonly reconciler: Reconciler;
}

/**
 * Whether anything but the status changed: the spec (by generation) or metadata that people set. What the operator
 * itself writes into the status must never start the next reconcile.
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
 * The permission to set owner references that block the deletion of a kind's objects. Clusters that enforce it (OpenShift)
 * check it on the owner.
 */
export function ownerReferencePermission({ group, plural }: Pick<ResourceKind, 'group' | 'plural'>): Permission {
  return { group, resource: `${plural}/finalizers`, verbs: ['update'], scope: 'watched' };
}

/** Begins the sentence that wires a controller: `when(customers).watches(instances, …).reconcile(reconciler)`. */
export function when<T extends KubeObject>(kind: ResourceKind<T>): ControllerBuilder<T> {
  return new ControllerBuilder<T>({
    name: kind.kind.toLowerCase(),
    kind,
    changed: changedBesidesStatus,
    reactsToItself: false,
    watches: [],
    permissions: [],
    workers: undefined,
    timeoutMs: undefined,
    groupOf: undefined,
  });
}

type Draft = Omit<ControllerSpec, 'reconciler'>;

/** See {@link when}. Each step returns a new builder. */
export class ControllerBuilder<T extends KubeObject> {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /**
   * Reconciles objects when those of another kind change.
   * @param kind the other kind
   * @param map which of ours to reconcile for one of theirs; asked about its state before and after
   * @param options `changed`: whether a change matters (default: every change does)
   */
  watches<Other extends KubeObject>(
    kind: ResourceKind<Other>,
    map: (object: Other) => readonly ObjectKey[],
    options: { readonly changed?: (before: Other, after: Other) => boolean } = {},
  ): ControllerBuilder<T> {
    const watch = { kind, map, changed: options.changed ?? (() => true) };
    // The runtime hands each watch only objects of the watch's own kind.
    return this.#with({ watches: [...this.#draft.watches, watch as unknown as Watch] });
  }

  /** Reconciles the owner when an object that it controls, by owner reference, changes in anything. */
  owns<Child extends KubeObject>(kind: ResourceKind<Child>): ControllerBuilder<T> {
    const owner = this.#draft.kind;
    return this.needs(ownerReferencePermission(owner)).watches(kind, (child) =>
      (child.metadata.ownerReferences ?? [])
        .filter((ref) => ref.controller === true && ref.kind === owner.kind && ref.apiVersion === apiVersionOf(owner))
        .map((ref) => ({ namespace: child.metadata.namespace ?? '', name: ref.name })),
    );
  }

  /** Says which rights the reconcile needs besides watching: they end up in the operator's roles. */
  needs(...permissions: readonly Permission[]): ControllerBuilder<T> {
    return this.#with({ permissions: [...this.#draft.permissions, ...permissions] });
  }

  /** How many reconciles run at once, instead of the operator's default. */
  withWorkers(workers: number): ControllerBuilder<T> {
    return this.#with({ workers });
  }

  /** How long one reconcile may take before its signal is aborted, in milliseconds, instead of the operator's default. */
  withTimeout(timeoutMs: number): ControllerBuilder<T> {
    return this.#with({ timeoutMs });
  }

  /** Lets groups of objects take turns, and share the workers: a slow one does not hold up the others. */
  sharedBy(groupOf: (key: ObjectKey) => string): ControllerBuilder<T> {
    return this.#with({ groupOf });
  }

  /** Ends the sentence. */
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
