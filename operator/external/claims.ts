/**
 * Which resource owns a record at a gateway. Several can name the same one: each of them is a claimant, and one of them has
 * precedence. Reads only the resources and the instances.
 */
import { annotations, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import {
  addressOfGateway,
  type GatewayIdentity,
  instanceKeyOf,
  instancesOfGateway,
  isKeyRefused,
  type KnownInstances,
  type MarkSubject,
  mayAdopt,
  type OwnershipMark,
} from '../connection/connection.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { type Index, keyText, type ObjectKey } from '../runtime/runtime.ts';
import { type External, type ExternalStatus, isForeign, type RecordOwnership } from './resource.ts';

/**
 * - `owned`: the status records that the record belongs to this resource.
 * - `pending`: the status or a mark proves that the operator began to create or to adopt the record for this resource, or
 *   for the resource that this one was restored from, and the status does not record the result.
 * - `none`: the operator started no write at this gateway. A deletion must do nothing there.
 */
export type OwnershipState = 'owned' | 'pending' | 'none';

/** How the resources of a kind claim records. */
export interface ClaimRules<T extends External, Field extends string> {
  readonly markKind: MarkSubject['kind'];
  /** The id of the record at the gateway. */
  readonly idOf: (resource: T) => string;
  /** Whether an instance admits a resource. */
  readonly isAdmitted: (instance: GatewayInstance, resource: T) => boolean;
  /** Whether only resources in the namespace of the instance may adopt a record. */
  readonly adoptsOnlyAtInstance: boolean;
  /** @param recorded what the status says of this gateway @param marked whether a valid mark announces the record */
  readonly stateOf: (recorded: ExternalStatus, marked: boolean) => OwnershipState;
  /** All fields of a record. */
  readonly fields: readonly Field[];
}

/** What a resource owns at the gateway of its instance. */
export interface Ownership<Field extends string = string> {
  readonly state: OwnershipState;
  /** The ownership that the status records for this gateway; undefined before the first status. */
  readonly status: RecordOwnership | undefined;
  /** The fields that the operator has set at the gateway, or may have set. */
  readonly fields: ReadonlySet<Field>;
  /** The owner mark, if it is valid at this gateway, or if the address of the gateway is unknown. */
  readonly mark: OwnershipMark | undefined;
  /** The uid that the resource had before it was restored from a backup, if its mark proves it. */
  readonly restoredFrom: string | undefined;
  /** Whether the operator may have written for this resource before, at this gateway or at an earlier one. */
  readonly mayHaveWritten: boolean;
  /** Whether the status, and not the mark, announces the fields of a creation. The mark may be older than the status. */
  readonly announcedInStatus: boolean;
  /** Whether the record of the status is proved to be at this gateway. */
  readonly isHere: boolean;
  /** Whether the status describes a record at another gateway: spec.endpoint of the instance was changed. */
  readonly isElsewhere: boolean;
}

/** A resource that names a record. */
export interface Claimant<T extends External, Field extends string = string> {
  readonly resource: T;
  /** What it owns at this gateway. */
  readonly ownership: Ownership<Field>;
  /** Whether it refers to the same instance. */
  readonly sameInstance: boolean;
  /** Whether the gateway refused the key of its instance. */
  readonly keyRefused: boolean;
}

/** What the mark of a resource is about. */
export function markSubject<T extends External>(
  { markKind, idOf }: Pick<ClaimRules<T, string>, 'markKind' | 'idOf'>,
  resource: T,
): MarkSubject {
  const { namespace, name } = resource.metadata;
  return { kind: markKind, namespace, name, id: idOf(resource) };
}

/**
 * Computes what a resource owns at an address. The status decides; the mark decides where there is no status for this gateway.
 * @param address the canonical address of the gateway; undefined if it is unknown
 */
export function ownershipAt<T extends External, Field extends string>(
  rules: Pick<ClaimRules<T, Field>, 'markKind' | 'idOf' | 'stateOf' | 'fields'>,
  identity: GatewayIdentity,
  resource: T,
  address: string | undefined,
): Ownership<Field> {
  const { metadata } = resource;
  const text = metadata.annotations?.[annotations.ownerMark];
  const mark = text === undefined ? undefined : identity.verify(markSubject(rules, resource), address, text);
  const digest = resource.status?.gateway;
  const isElsewhere = identity.isElsewhere(digest, address);
  const recorded = isElsewhere ? {} : (resource.status ?? {});
  const announcedInStatus = isForeign(recorded.ownership);
  const known = recorded.appliedFields ?? mark?.fields ?? [];
  return {
    state: rules.stateOf(recorded, mark !== undefined),
    status: recorded.ownership,
    fields: new Set(rules.fields.filter((field) => known.includes(field))),
    mark,
    restoredFrom: mark === undefined || mark.uid === metadata.uid || announcedInStatus ? undefined : mark.uid,
    mayHaveWritten: text !== undefined || isElsewhere,
    announcedInStatus,
    isHere: digest !== undefined && address !== undefined && digest === identity.digest(address),
    isElsewhere,
  };
}

/**
 * Whether an existing record of unknown origin is adopted or refused. The resource can only be stricter than its instance.
 * @param instance undefined: it was deleted
 */
export function adoptionPolicyOf<T extends External>(
  { adoptsOnlyAtInstance }: Pick<ClaimRules<T, string>, 'adoptsOnlyAtInstance'>,
  { spec, metadata }: T,
  instance: GatewayInstance | undefined,
): 'Adopt' | 'Refuse' {
  const key = instanceKeyOf({ spec, metadata });
  const isNear = !adoptsOnlyAtInstance || key.namespace === metadata.namespace;
  return isNear && mayAdopt(instance, key, metadata.namespace) ? (spec.adoptionPolicy ?? 'Adopt') : 'Refuse';
}

/** Where the claimants of records are found. */
export interface ClaimSources<T extends External> extends KnownInstances {
  /** The resources by {@link claimKey}. */
  readonly byClaim: Index<T>;
}

/** The index key of all resources of an instance that name the same record. */
export function claimKey(instance: ObjectKey, id: string): string {
  return `${keyText(instance)}/${id}`;
}

/** The claims of the resources of one kind. */
export class Claims<T extends External, Field extends string> {
  readonly #sources: ClaimSources<T>;
  readonly #rules: ClaimRules<T, Field>;

  constructor(sources: ClaimSources<T>, rules: ClaimRules<T, Field>) {
    this.#sources = sources;
    this.#rules = rules;
  }

  /** The claim of a resource at an address. @param address default: that of the gateway that its instance names now */
  of(resource: T, address = addressOfGateway(this.#sources, instanceKeyOf(resource))): Claim<T, Field> {
    return new Claim(this.#sources, this.#rules, resource, address);
  }

  /** The keys of all other resources that name the same record of the same gateway, allowed or not. */
  otherKeys(resource: T): readonly ObjectKey[] {
    const self = keyText(resource.metadata);
    return instancesOfGateway(this.#sources, instanceKeyOf(resource))
      .flatMap((key) => this.#sources.byClaim.keys(claimKey(key, this.#rules.idOf(resource))))
      .filter((key) => keyText(key) !== self);
  }

  /** Whether a resource can claim a record: its instance admits it, and it manages its record. */
  isClaimant(resource: T): boolean {
    const instance = this.#sources.instances.get(instanceKeyOf(resource));
    return !isObserveOnly(resource) && (instance === undefined || this.#rules.isAdmitted(instance, resource));
  }

  /** See {@link markSubject}. */
  markSubject(resource: T): MarkSubject {
    return markSubject(this.#rules, resource);
  }

  /** See {@link adoptionPolicyOf}. */
  adoptionPolicy(resource: T): 'Adopt' | 'Refuse' {
    return adoptionPolicyOf(this.#rules, resource, this.#sources.instances.get(instanceKeyOf(resource)));
  }
}

/** What one resource claims at its gateway, and who else does. Each answer is computed at most once. */
export class Claim<T extends External, Field extends string = string> {
  readonly resource: T;
  /** The canonical address of the gateway; undefined if it is unknown. */
  readonly address: string | undefined;
  readonly ownership: Ownership<Field>;
  readonly #sources: ClaimSources<T>;
  readonly #rules: ClaimRules<T, Field>;
  #claimants: readonly Claimant<T, Field>[] | undefined;

  constructor(sources: ClaimSources<T>, rules: ClaimRules<T, Field>, resource: T, address: string | undefined) {
    this.#sources = sources;
    this.#rules = rules;
    this.address = address;
    this.resource = resource;
    this.ownership = ownershipAt(rules, sources.identity, resource, address);
  }

  /**
   * All allowed resources that name the same record of the same gateway, with this one unless it only observes. Instances with
   * the same address belong to the same gateway. A resource that only observes claims nothing.
   */
  get claimants(): readonly Claimant<T, Field>[] {
    this.#claimants ??= this.#findClaimants();
    return this.#claimants;
  }

  #findClaimants(): readonly Claimant<T, Field>[] {
    const { identity, instances, byClaim } = this.#sources;
    const own = instanceKeyOf(this.resource);
    return instancesOfGateway(this.#sources, own).flatMap((key) => {
      const instance = instances.get(key);
      const sameInstance = keyText(key) === keyText(own);
      return byClaim
        .get(claimKey(key, this.#rules.idOf(this.resource)))
        .filter((other) => !isObserveOnly(other) && (instance === undefined || this.#rules.isAdmitted(instance, other)))
        .map((other) => ({
          resource: other,
          ownership: ownershipAt(this.#rules, identity, other, this.address),
          sameInstance,
          keyRefused: instance !== undefined && isKeyRefused(instance),
        }));
    });
  }

  /** The resource that owns the record instead of this one, if any. */
  get owner(): T | undefined {
    const { resource, ownership } = this;
    return ownerBefore({ resource, ownership, sameInstance: true, keyRefused: false }, this.claimants);
  }

  /** Whether another resource claims the record with less precedence. */
  outranks(other: T): boolean {
    return this.claimants.some((claimant) => claimant.resource.metadata.uid === other.metadata.uid && counts(claimant));
  }

  /** The resources that wait for the record of this one, oldest first. */
  get waiting(): readonly T[] {
    return this.claimants
      .map((claimant) => claimant.resource)
      .filter(({ metadata }) => metadata.uid !== this.resource.metadata.uid && metadata.deletionTimestamp === undefined)
      .sort((one, other) => (age(one) < age(other) ? -1 : 1));
  }
}

/**
 * The resource that owns the record instead of this one. Precedence, in this order: a resource that was applied again, over the
 * one that took over in between; a resource whose record the gateway has, or is about to have; a resource that was restored with
 * its mark, the latest mark first; a resource that does not wait; the oldest; the one with the smaller uid.
 */
export function ownerBefore<T extends External>(own: Claimant<T>, claimants: readonly Claimant<T>[]): T | undefined {
  return claimants
    .filter(counts)
    .filter((other) => other.resource.metadata.uid !== own.resource.metadata.uid && precedes(other, own))
    .sort((one, other) => (precedes(one, other) ? -1 : 1))[0]?.resource;
}

/**
 * Whether a claimant counts among those that may own the record. A claimant of another instance counts only if it is proved that
 * its record is at this gateway, and while the gateway does not refuse the key of its instance: an instance without the key of
 * the gateway must not keep others from their records.
 */
function counts({ sameInstance, keyRefused, ownership }: Claimant<External>): boolean {
  if (sameInstance) return true;
  return !keyRefused && ((holdsRecord(ownership) && ownership.isHere) || ownership.restoredFrom !== undefined);
}

function precedes(one: Claimant<External>, other: Claimant<External>): boolean {
  if (yieldsTo(other.resource, one.resource)) return true;
  if (yieldsTo(one.resource, other.resource)) return false;
  const [before, after] = [rank(one), rank(other)];
  if (before !== after) return before < after;
  const [signed, signedAfter] = [one, other].map(({ ownership }) => ownership.mark?.signedAt ?? '');
  if (before === RESTORED && signed !== signedAfter) return (signed ?? '') > (signedAfter ?? '');
  return age(one.resource) < age(other.resource);
}

/** The rank of resources that were restored with a valid mark. */
const RESTORED = 1;

function rank({ ownership }: Claimant<External>): number {
  if (holdsRecord(ownership)) return 0;
  if (ownership.state === 'pending' && ownership.restoredFrom !== undefined) return RESTORED;
  return isForeign(ownership.status) && ownership.state !== 'pending' ? 3 : 2;
}

/** Whether the status records that the gateway has the record of this resource, or that it is being created. */
function holdsRecord({ state, status }: Ownership): boolean {
  return status === 'Creating' || (state === 'owned' && !isForeign(status) && status !== 'NotAllowed');
}

/**
 * How long a deleted resource keeps its precedence over the claimants that waited for it, in milliseconds. `kubectl
 * replace --force` and GitOps tools delete and apply again within seconds. A minute allows for finalizers and a slow
 * API server, and delays the next claimant only briefly.
 */
export const reapplyGraceMs = 60_000;
/** Kubernetes counts creation times in whole seconds. */
const precisionMs = 1_000;

/** Whether a resource took over from one that was applied again soon enough to get its record back. */
export function yieldsTo({ metadata, status }: External, returned: External): boolean {
  const from = status?.tookOver;
  if (from === undefined || returned.metadata.namespace !== metadata.namespace) return false;
  if (from.name !== returned.metadata.name || metadata.name === from.name) return false;
  const after = Date.parse(returned.metadata.creationTimestamp) - Date.parse(from.time);
  return after >= -precisionMs && after <= reapplyGraceMs;
}

/** A sort key: the older resource is less. */
function age({ metadata }: External): string {
  return `${metadata.creationTimestamp} ${metadata.uid}`;
}

/** Waiting claimants of a record without an owner: the previous owner may be applied again. */
export class ReapplyGrace {
  readonly #monotonic: () => number;
  /** When the record lost its owner, by the resource's key. */
  readonly #free = new Map<string, number>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The remaining time in which the record is reserved for its previous owner, in milliseconds. */
  left({ metadata, status }: External): number {
    if (status?.ownership !== 'Waiting') return 0;
    const now = this.#monotonic();
    const since = this.#free.get(keyText(metadata)) ?? now;
    this.#free.set(keyText(metadata), since);
    return Math.max(0, since + reapplyGraceMs - now);
  }

  /** Ends the delay after the gateway reported a conflict: the record has no previous owner in this cluster. */
  skip({ metadata }: External): void {
    this.#free.set(keyText(metadata), Number.NEGATIVE_INFINITY);
  }

  forget(key: ObjectKey): void {
    this.#free.delete(keyText(key));
  }
}
