/** What one reconcile knows of its resource, and what it asks of a kind: the part that differs between customers, budgets and keys. */
import type { Counter, Histogram } from 'prom-client';
import { annotations, type GatewayInstance, type ResourceNames } from '../api/v1alpha1/v1alpha1.ts';
import {
  type Connections,
  type GatewayConnection,
  type GatewayIdentity,
  retryWithFreshKey,
} from '../connection/connection.ts';
import type { GatewayClient, GatewayClients, GatewayOperation } from '../gateway/gateway.ts';
import { CurrentResource, pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import type {
  Cache,
  EventDetails,
  EventRecorder,
  Finalizer,
  Index,
  KubeClient,
  Lister,
  StatusWriter,
} from '../runtime/runtime.ts';
import type { Claim, Claims } from './claims.ts';
import { leftGateway, type Origin, type Routine, transitions } from './outcomes.ts';
import {
  type External,
  type ExternalStatus,
  isDecided,
  type OrphanReason,
  type Outcome,
  type StatusGateway,
  type StatusOf,
  type Words,
} from './resource.ts';

/** `forDeletion` uses the last known connection if the deletion of the namespace has removed the instance or its key. */
export type ConnectionPurpose = 'forCustomer' | 'forDeletion';

/** What the reconciler of every kind needs. */
export interface ExternalDependencies<T extends External, Field extends string> {
  readonly identity: GatewayIdentity;
  readonly connections: Connections;
  readonly clients: GatewayClients;
  readonly instances: Lister<GatewayInstance>;
  readonly claims: Claims<T, Field>;
  readonly client: Pick<KubeClient, 'get'>;
  readonly events: EventRecorder;
  readonly status: StatusWriter<T>;
  readonly finalizer: Finalizer<T>;
  readonly cache: Cache<T>;
  /** The resources by the keys of their claims. */
  readonly byClaim: Index<T>;
  /** The resources by the instance that they refer to, as `namespace/name`. */
  readonly byInstance: Index<T>;
  /** The instances by the address of their gateway. */
  readonly byGateway: Index<GatewayInstance>;
  readonly metrics: {
    readonly orphaned: Counter<'reason'>;
    readonly drift: Counter;
    /** Seconds from the creation of a resource to its first successful sync. */
    readonly firstSync?: Histogram;
  };
  /** The time of day, for timestamps. */
  readonly now: () => Date;
  /** A monotonic clock in milliseconds, for intervals. */
  readonly monotonic: () => number;
}

/** The words of a kind in conditions and events. */
export interface AdapterWords<T extends External> extends Words {
  /** The record of a resource, within a sentence. */
  readonly recordOf: (resource: T) => string;
  /** The resource's part of the event after a change of the gateway's address. */
  readonly idOf: (resource: T) => string;
  readonly deleted: (resource: T) => string;
  readonly notDeleted: (resource: T) => string;
  /** The deletion failed, and the annotation force-delete ends it. */
  readonly forced: (resource: T) => string;
}

/** What a deletion removes: the resource's own record, only one that is linked to the resource, or none. */
export type RecordDeletion = 'own' | 'ifLinked' | 'none';

/** Connects one kind of resource to its records. */
export interface Adapter<T extends External, Field extends string> {
  readonly names: ResourceNames;
  readonly words: AdapterWords<T>;
  /** Whether reconciles of unchanged resources are delayed: many other resources trigger them. */
  readonly isThrottled: boolean;
  /** The outcome while a record without an owner is reserved for its previous owner; undefined: it is not reserved. */
  readonly ownerGone: Outcome | undefined;

  /** Why a resource can never be synced; undefined if it can. */
  refusal?(resource: T): Outcome | undefined;
  /** @throws ConnectionError if the id of the resource must not be used */
  checkId?(resource: T, purpose: ConnectionPurpose): void;
  /** @throws ConnectionError if an instance cannot be used, or does not allow the resource. @param instance undefined: deleted */
  checkInstance?(resource: T, instance: GatewayInstance | undefined, purpose: ConnectionPurpose): void;
  /** Another resource owns the record. */
  ownedByAnother(resource: T, owner: Claim<T, Field>): Outcome;
  /** The record of a resource. @throws an error with an {@link outcomeOf} */
  record(sync: Sync<T, Field>): AnyRecord;
  /** What a sync reports, for example about resources that wait for the record. @param syncInterval in milliseconds */
  reported?(run: Run<T, Field>, outcome: Outcome, syncInterval: number): Outcome;
  /** The outcome of an error of a sync that the gateway did not cause; undefined if it is unexpected. */
  outcomeOf?(error: unknown): Outcome | undefined;
  /** The status after an outcome; the status before if nothing changed. */
  nextStatus(resource: T, outcome: Outcome, now: Date, gateway: StatusGateway): StatusOf<T>;

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
   * @throws GatewayError, or an error with a {@link deletionReason}
   */
  delete(access: Access<T, Field>, deletion: RecordDeletion): Promise<boolean>;
  /** The reason of a deletion that waits after an error of the kind's own; undefined: it is none. */
  deletionReason?(error: unknown): Outcome['reason'] | undefined;
  /** Forgets a resource that does not exist, or is being deleted. */
  forget?(resource: { readonly namespace: string; readonly name: string }): void;
}

/**
 * The connection of a resource.
 * @throws ConnectionError if there is no connection or the instance does not allow the resource
 */
export async function connect<T extends External, Field extends string>(
  { connections, instances }: Pick<ExternalDependencies<T, Field>, 'connections' | 'instances'>,
  adapter: Pick<Adapter<T, Field>, 'checkId' | 'checkInstance'>,
  resource: T,
  purpose: ConnectionPurpose,
): Promise<GatewayConnection> {
  adapter.checkId?.(resource, purpose);
  const connection = await connections[purpose](resource.spec.instanceRef, resource.metadata.namespace);
  adapter.checkInstance?.(resource, instances.get(connection.instance), purpose);
  return connection;
}

/** A resource at the gateway of a connection. */
export interface Access<T extends External, Field extends string> {
  /** The resource when the work at the gateway began. */
  readonly resource: T;
  readonly connection: GatewayConnection;
  readonly client: GatewayClient;
  readonly signal: AbortSignal;
  /** The canonical address of the gateway. */
  readonly address: string;
  /** What the resource claims at this gateway. */
  readonly claim: Claim<T, Field>;
  /** What becomes of an existing record of unknown origin. */
  readonly policy: 'Adopt' | 'Refuse';
}

/** See {@link Access}. @param known the claim of the resource, which is computed anew for another gateway */
export function accessOf<T extends External, Field extends string>(
  { identity, claims, clients }: Pick<ExternalDependencies<T, Field>, 'identity' | 'claims' | 'clients'>,
  resource: T,
  connection: GatewayConnection,
  signal: AbortSignal,
  known?: Claim<T, Field>,
): Access<T, Field> {
  const address = identity.addressOfConnection(connection);
  const claim = known?.address === address ? known : claims.of(resource, address);
  const policy = claims.adoptionPolicy(resource);
  return { resource, connection, client: clients.for(connection), signal, address, claim, policy };
}

/** One sync of a record. */
export interface Sync<T extends External, Field extends string> extends Access<T, Field> {
  readonly run: Run<T, Field>;
  /** The sync request that this sync handles. A later one is left to the next sync. */
  readonly syncRequest: string | undefined;
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

  /**
   * Does work at the gateway, once more with a fresh key after a 401. An address that was unknown, or that has changed, is another
   * gateway: the claim is then another one.
   */
  async sync<R>(
    connection: GatewayConnection,
    signal: AbortSignal,
    work: (sync: Sync<T, Field>) => Promise<R>,
  ): Promise<R> {
    return await retryWithFreshKey(this.#dependencies, connection, async (fresh) => {
      const access = accessOf(this.#dependencies, this.latest, fresh, signal, this.claim);
      this.#claim = access.claim;
      return await work({ ...access, run: this, syncRequest: pendingSyncRequest(access.resource) });
    });
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

  /** Records what is about to be written. */
  async announce({ mark, outcome, status = {} }: Announcement): Promise<void> {
    if (mark === undefined) await this.ensureFinalizer();
    else await this.ensureMarked(mark as readonly Field[]);
    if (outcome !== undefined) await this.report(outcome);
    await this.updateStatus(status);
  }

  /** Changes fields of the status. */
  async updateStatus(change: Partial<StatusOf<T>>): Promise<void> {
    await this.writeStatus(this.latest, { ...this.latest.status, ...change });
  }

  /** The status after an outcome. */
  nextStatus(outcome: Outcome): StatusOf<T> {
    return this.#adapter.nextStatus(this.latest, outcome, this.#dependencies.now(), this.#gatewayOf(outcome));
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
    for (const event of transitions(this.#adapter.words.condition, before, after, outcome.action)) {
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
  /** The fields of the spec that have another value at the gateway. */
  readonly differs: readonly string[];
  /** The fields that an update is about. */
  readonly changes: readonly string[];
  /** What the update does, if it neither follows the spec nor corrects the record. */
  readonly routine?: Routine | undefined;
}

/** What is recorded before a write, so that a crash leaves nothing behind, and fields can still be cleared. */
export interface Announcement {
  /** The fields that the owner mark announces until the status does; undefined: the finalizer is enough. */
  readonly mark?: readonly string[];
  /** What the status reports meanwhile, if anything. */
  readonly outcome?: Outcome;
  /** What changes in the status. */
  readonly status?: object;
}

/** What an observation says of a record. */
export interface Report {
  /** The fields of the spec that have another value at the gateway. */
  readonly differs: readonly string[];
  /** What the status says of the record. */
  readonly found: Partial<Outcome>;
}

/**
 * The record of one resource during one sync. A kind implements it. `R` is a record as the gateway reports it, `C` a comparison.
 * Every method that calls the gateway throws GatewayError.
 */
export interface ExternalRecord<R, C extends Comparison> {
  /** The call that reads the record, for messages. */
  readonly lookup: GatewayOperation;
  /** Whether the record is created without a look: the gateway reports a duplicate. */
  readonly createsFirst: boolean;

  /** Why the gateway cannot store the record; undefined if it can. */
  unsupported?(): Promise<Outcome | undefined>;
  /** The record of a resource in sync as a list of many records has it, which may be outdated. undefined: look it up. */
  listed?(): Promise<R | undefined>;
  /** Whether a status that follows from a list may be written; otherwise the record is looked up. */
  confirms?(after: ExternalStatus): boolean;
  /** The record; undefined if the gateway has none. */
  observe(first?: 'first'): Promise<R | undefined>;
  /** What a resource reports that only observes. */
  observed(record: R): Report;
  /** Prepares the steps that follow the first observation. */
  begin?(): Promise<void>;

  /** Why an existing record is not this resource's; undefined if it is. */
  refusal?(record: R): Outcome | undefined;
  /** Deletes what remains of a creation that was announced, in place of which there is a record of others. */
  withdraw?(): Promise<void>;
  compare(record: R): C;
  /** How the resource becomes the owner of an existing record; undefined: it was the owner already. */
  originOf(record: R): Origin | undefined;
  /** @param comparison undefined: the record is about to be created */
  announcement(comparison: C | undefined): Announcement;
  create(): Promise<void>;
  /** Whether an error of {@link create} may result from a record that another client created. Without it, none may. */
  mayExist?(error: unknown): boolean;
  /** The record exists, although this sync was creating it. */
  loseCreation?(): void;
  update(comparison: C): Promise<void>;
  /** What a sync reports, by its last observation. @param comparison undefined: the record was created */
  report(record: R, comparison: C | undefined): Report;
}

/** A record of any kind: a sync does not look into it. */
export type AnyRecord = ExternalRecord<unknown, Comparison>;
