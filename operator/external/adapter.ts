/** What one reconcile knows of its resource, and what it asks of a kind: the part that differs between customers and budgets. */
import type { Counter } from 'prom-client';
import { annotations, type ResourceNames } from '../api/v1alpha1/v1alpha1.ts';
import type { Connections, GatewayConnection, GatewayIdentity } from '../connection/connection.ts';
import type { GatewayOperation } from '../gateway/gateway.ts';
import { CurrentResource } from '../lifecycle/lifecycle.ts';
import type { EventDetails, EventRecorder, Finalizer, KubeClient, Lister, StatusWriter } from '../runtime/runtime.ts';
import type { Claim, Claims } from './claims.ts';
import {
  type External,
  isDecided,
  leftGateway,
  type OrphanReason,
  type Outcome,
  type StatusGateway,
  type SyncAction,
  transitions,
} from './resource.ts';

/** `forDeletion` uses the last known connection if the deletion of the namespace has removed the instance or its key. */
export type ConnectionPurpose = 'forCustomer' | 'forDeletion';

/** What the reconciler of every kind needs. */
export interface ExternalDependencies<T extends External, Field extends string> {
  readonly identity: GatewayIdentity;
  readonly connections: Connections;
  readonly claims: Claims<T, Field>;
  readonly client: Pick<KubeClient, 'get'>;
  readonly events: EventRecorder;
  readonly status: StatusWriter<T>;
  readonly finalizer: Finalizer<T>;
  readonly cache: Pick<Lister<T>, 'get'>;
  readonly metrics: { readonly orphaned: Counter<'reason'>; readonly drift: Counter };
  /** The time of day, for timestamps. */
  readonly now: () => Date;
  /** A monotonic clock in milliseconds, for intervals. */
  readonly monotonic: () => number;
}

/** The words of a kind in conditions and events. */
export interface AdapterWords<T extends External> {
  /** What a resource stands for: "customer". */
  readonly noun: string;
  /** What the gateway has of it: "record". */
  readonly record: string;
  /** The record of a resource, within a sentence. */
  readonly recordOf: (resource: T) => string;
  /** The resource's part of the event after a change of the gateway's address. */
  readonly idOf: (resource: T) => string;
  readonly deleted: (resource: T) => string;
  readonly notDeleted: (resource: T) => string;
  /** The deletion failed, and the annotation force-delete ends it. */
  readonly forced: (resource: T) => string;
}

/** Connects one kind of resource to its records. */
export interface Adapter<T extends External, Field extends string> {
  readonly names: ResourceNames;
  /** The condition that reports a sync. */
  readonly condition: 'Synced' | 'Ready';
  readonly words: AdapterWords<T>;
  /** Whether reconciles of unchanged resources are delayed: many other resources trigger them. */
  readonly isThrottled: boolean;
  /** The outcome while a record without an owner is reserved for its previous owner; undefined: it is not reserved. */
  readonly ownerGone: Outcome | undefined;

  /** Why a resource can never be synced; undefined if it can. */
  refusal?(resource: T): Outcome | undefined;
  /** @throws ConnectionError if there is no connection or the instance does not allow the resource */
  connect(resource: T, purpose: ConnectionPurpose): Promise<GatewayConnection>;
  /** Another resource owns the record. */
  ownedByAnother(resource: T, owner: Claim<T, Field>): Outcome;
  /** The record of a resource. @throws an error with an {@link outcomeOf} */
  record(run: Run<T, Field>, connection: GatewayConnection, signal: AbortSignal): AnyRecord;
  /** What a sync reports, for example about resources that wait for the record. @param syncInterval in milliseconds */
  reported?(run: Run<T, Field>, outcome: Outcome, syncInterval: number): Outcome;
  /** The outcome of an error of a sync that the gateway did not cause; undefined if it is unexpected. */
  outcomeOf?(error: unknown): Outcome | undefined;
  /** The status after an outcome; the status before if nothing changed. */
  nextStatus(resource: T, outcome: Outcome, gateway: StatusGateway): NonNullable<T['status']>;

  /** Who uses the record and holds its deletion, as the first sentences of a condition; undefined: nobody. */
  inUse?(resource: T): string | undefined;
  /** Takes over the record of a resource that is being deleted, if it goes to this one. Does not write the other one. */
  takeOver?(run: Run<T, Field>): Promise<void>;
  /**
   * Whether the record of a deleted resource goes to another one, which takes it over by itself.
   * @returns the event if the other one has it; 'pending' if it does not have it yet; undefined if there is no other
   */
  handOver?(run: Run<T, Field>): EventDetails | 'pending' | undefined;
  /**
   * Deletes the record of a resource, and what belongs to it.
   * @returns whether the gateway no longer has a record of this resource
   * @throws ConnectionError, GatewayError, or an error with a {@link deletionReason}
   */
  delete(resource: T, signal: AbortSignal): Promise<boolean>;
  /**
   * Deletes what remains of a resource that was deleted despite its finalizer.
   * @param isTaken whether another resource claims the record
   * @returns whether it was deleted; not if it belongs to others
   */
  deleteLost(resource: T, isTaken: boolean, signal: AbortSignal): Promise<boolean>;
  /** The reason of a deletion that waits after an error of the kind's own; undefined: it is none. */
  deletionReason?(error: unknown): Outcome['reason'] | undefined;
  /** Forgets a resource that does not exist, or is being deleted. */
  forget?(resource: { readonly namespace: string; readonly name: string }): void;
}

/** The record is being read with many others. The resource is in sync, so it waits without a worker. */
export class PendingError extends Error {
  override readonly name = 'PendingError';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('The record list of the gateway is being read.');
    this.retryAfterMs = retryAfterMs;
  }
}

/** The resource of one reconcile. Every step reads and writes it through this object. */
export class Run<T extends External, Field extends string> extends CurrentResource<T> {
  readonly #dependencies: ExternalDependencies<T, Field>;
  readonly #adapter: Adapter<T, Field>;
  readonly #resource: T;
  #claim: Claim<T, Field> | undefined;

  constructor(dependencies: ExternalDependencies<T, Field>, adapter: Adapter<T, Field>, resource: T) {
    super(dependencies, resource);
    this.#dependencies = dependencies;
    this.#adapter = adapter;
    this.#resource = resource;
  }

  /** What the resource claimed at its gateway when the run began. */
  get claim(): Claim<T, Field> {
    this.#claim ??= this.#dependencies.claims.of(this.#resource);
    return this.#claim;
  }

  /** The claim at the gateway of a connection: an address that was unknown, or that has changed, is another gateway. */
  claimAt(connection: GatewayConnection): Claim<T, Field> {
    const address = this.#dependencies.identity.addressOfConnection(connection);
    if (this.claim.address !== address) this.#claim = this.#dependencies.claims.of(this.#resource, address);
    return this.claim;
  }

  /**
   * Sets the finalizer and a valid owner mark, in at most one patch.
   * @param fields those that are about to be set; a mark announces them until the status does
   */
  async ensureMarked(fields: readonly Field[]): Promise<void> {
    const mark = this.missingMark(fields);
    await this.ensureFinalizer(mark === undefined ? {} : { [annotations.ownerMark]: mark });
  }

  /** Whether the mark announces the fields of a record, not the status. */
  get announcesByMark(): boolean {
    const { state, announcedInStatus } = this.claim.ownership;
    return state !== 'owned' && !announcedInStatus;
  }

  /** The mark that the resource needs; undefined if it has it. */
  missingMark(fields: readonly Field[]): string | undefined {
    const { identity, claims, now } = this.#dependencies;
    const { address, ownership } = this.claim;
    const { uid, annotations: marks } = this.latest.metadata;
    const subject = claims.markSubject(this.latest);
    const text = marks?.[annotations.ownerMark];
    const mark = text === undefined ? undefined : identity.verify(subject, address, text);
    const all = [...new Set([...ownership.fields, ...fields])];
    const isAnnounced = !this.announcesByMark || all.every((field) => mark?.fields.includes(field) === true);
    if (address === undefined || (mark?.uid === uid && isAnnounced)) return undefined;
    return identity.sign(subject, address, { uid, fields: all, signedAt: now().toISOString() });
  }

  /** Changes fields of the status. */
  async updateStatus(change: Partial<NonNullable<T['status']>>): Promise<void> {
    await this.writeStatus(this.latest, { ...this.latest.status, ...change });
  }

  /** The status after an outcome. */
  nextStatus(outcome: Outcome): NonNullable<T['status']> {
    return this.#adapter.nextStatus(this.latest, outcome, this.#gatewayOf(outcome));
  }

  /** Writes the status that follows from an outcome, and records the events of the transition. */
  async report(outcome: Outcome): Promise<void> {
    const { events, metrics } = this.#dependencies;
    const before = this.latest;
    const leaves = isDecided(outcome) && this.#gatewayOf(outcome).isElsewhere && before.status?.specHash !== undefined;
    const after = this.nextStatus(outcome);
    await this.writeStatus(before, after);
    if (leaves) {
      metrics.orphaned.inc({ reason: 'gateway_changed' satisfies OrphanReason });
      events.record(before, leftGateway(before, this.#adapter.words.idOf(before)));
    }
    for (const event of transitions(this.#adapter.condition, before, after, outcome.action)) {
      events.record(before, event);
    }
  }

  #gatewayOf({ address }: Outcome): StatusGateway {
    const { identity } = this.#dependencies;
    return {
      digest: address === undefined ? undefined : identity.digest(address),
      isElsewhere: identity.isElsewhere(this.latest.status?.gateway, address),
    };
  }
}

/** How a record differs from the spec. */
export interface Comparison {
  readonly isUpToDate: boolean;
  /** Whether the spec has changed since the record was written. */
  readonly specChanged: boolean;
}

/** A change that was written. */
export interface Change<C extends Comparison> {
  /** undefined: the record was created. */
  readonly comparison: C | undefined;
  readonly action: SyncAction;
  /** Whether the sync corrected what another client had changed. */
  readonly isCorrection: boolean;
}

/**
 * The record of one resource during one sync. A kind implements it. `R` is a record as the gateway reports it, `C` a comparison.
 * Every method that calls the gateway throws GatewayError.
 */
export interface ExternalRecord<R, C extends Comparison> {
  /** The call that reads the record, for messages. */
  readonly lookup: GatewayOperation;
  /** What the record is, for messages. */
  readonly noun: string;
  /** Whether the record is created without a look: the gateway reports a duplicate. */
  readonly createsFirst: boolean;

  /**
   * The outcome of a sync that need not look the record up: a list of many records confirms that there is nothing to do, or the
   * gateway cannot store the record. undefined: look it up.
   */
  withoutLookup(): Promise<Outcome | undefined>;
  /** The record; undefined if the gateway has none. */
  observe(first?: 'first'): Promise<R | undefined>;
  /** The outcome for a resource that only observes. */
  observed(record: R | undefined): Outcome;
  /** Prepares the steps that follow the first observation. */
  begin(): Promise<void>;

  /** Records that the creation begins, so that a crash leaves nothing behind. */
  announceCreation(): Promise<void>;
  create(): Promise<void>;
  /** Whether an error of {@link create} may result from a record that another client created. */
  mayExist(error: unknown): boolean;
  /** The record exists, although this sync was creating it. */
  loseCreation(): void;
  createdAction(): SyncAction;

  /** Why an existing record is not this resource's; undefined if it is. Cleans up after a creation that was announced. */
  refuse(record: R): Promise<Outcome | undefined>;
  compare(record: R): C;
  /** The action of becoming the owner of an existing record; undefined: the resource owned it already. */
  adoptedAction(record: R): SyncAction | undefined;
  /** Records the fields before they are set, so that they can still be cleared after a crash. */
  announce(comparison: C): Promise<void>;
  update(comparison: C): Promise<void>;
  updatedAction(comparison: C): SyncAction;

  /** The outcome if nothing had to be written. */
  upToDate(comparison: C, action: SyncAction | undefined): Outcome;
  /** The outcome of a write, by a new observation: a 200 alone does not prove success. */
  written(record: R, change: Change<C>): Outcome;
}

/** A record of any kind: a sync does not look into it. */
export type AnyRecord = ExternalRecord<unknown, Comparison>;
