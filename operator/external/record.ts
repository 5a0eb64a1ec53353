/** What a sync asks of a kind. */
import type { GatewayOperation } from '../gateway/gateway.ts';
import type { Outcome, SyncAction } from './resource.ts';

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
