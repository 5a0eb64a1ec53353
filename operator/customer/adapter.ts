/** Connects customers to their records: see {@link Adapter}. */
import {
  annotations,
  type GatewayCustomer,
  type GatewayCustomerStatus,
  gatewayCustomerNames,
  type GatewayInstance,
  hasInvisibleCharacters,
} from '../api/v1alpha1/v1alpha1.ts';
import { BudgetNotUsableError } from '../budget/budget.ts';
import { ConnectionError, instanceKeyOf, permitsId } from '../connection/connection.ts';
import {
  type Access,
  type Adapter,
  type AdapterWords,
  type AnyRecord,
  type Claim,
  type ConnectionPurpose,
  failed,
  type Outcome,
  type RecordDeletion,
  type Run,
  type StatusGateway,
  type Sync,
} from '../external/external.ts';
import type { Field } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { type EventDetails, keyText, type ObjectKey } from '../runtime/runtime.ts';
import { deleteRecord, ErasureError } from './deleteRecord.ts';
import type { Dependencies } from './dependencies.ts';
import { CustomerRecord } from './record.ts';
import { customerWords, nextStatus, type SyncOutcome } from './status.ts';
import { conflict, handOver, ownerGone, takeOver, withClaimants } from './succession.ts';

const words: AdapterWords<GatewayCustomer> = {
  ...customerWords,
  recordOf: ({ metadata: { namespace, name } }) => `the record of ${namespace}/${name}`,
  idOf: ({ spec }) => `customer ${spec.customerId}`,
  deleted: () => 'The customer was deleted at the gateway.',
  notDeleted: () =>
    'The record at the gateway belongs to another resource or was not created by the operator. It was not deleted.',
  forced: () =>
    `The annotation ${annotations.forceDelete} is set and the deletion failed. The customer may remain at the gateway, and its sessions at the guardrail.`,
};

export class CustomerAdapter implements Adapter<GatewayCustomer, Field> {
  readonly names = gatewayCustomerNames;
  readonly words = words;
  readonly isThrottled = false;
  readonly ownerGone = ownerGone;
  readonly #dependencies: Dependencies;
  readonly #overwrites: Overwrites;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#overwrites = new Overwrites(dependencies.monotonic);
  }

  /** The API server refuses new ids with invisible characters. One that was stored before can still be deleted. */
  checkId({ spec }: GatewayCustomer, purpose: ConnectionPurpose): void {
    if (purpose === 'forDeletion' || !hasInvisibleCharacters(spec.customerId)) return;
    throw new ConnectionError(
      'CustomerIdNotAllowed',
      'spec.customerId contains invisible characters. Create another GatewayCustomer with an id without them, and delete this one.',
    );
  }

  checkInstance(customer: GatewayCustomer, instance: GatewayInstance | undefined, purpose: ConnectionPurpose): void {
    const { metadata, spec } = customer;
    const { namespace, name } = instanceKeyOf(customer);
    if (purpose === 'forCustomer' && this.#dependencies.identity.addressOfInstance(instance) === undefined) {
      // The address of a Service without a port is known after the first reconcile of the instance.
      throw new ConnectionError(
        'InstanceNotReady',
        `The address of GatewayInstance ${namespace}/${name} is not known yet. Its condition Reachable says why.`,
      );
    }
    if (instance === undefined || permitsId(instance, metadata.namespace, spec.customerId)) return;
    throw new ConnectionError(
      'CustomerIdNotAllowed',
      `GatewayInstance ${namespace}/${name} does not allow this customerId in namespace ${metadata.namespace}: its spec.customerIdPrefixes reserves the prefix for another namespace, or lists other prefixes for this one. Create the customer with another customerId, or change spec.customerIdPrefixes.`,
    );
  }

  ownedByAnother(customer: GatewayCustomer, owner: Claim<GatewayCustomer, Field>): Outcome {
    return conflict(customer, owner);
  }

  record(sync: Sync<GatewayCustomer, Field>): AnyRecord {
    return new CustomerRecord(this.#dependencies, sync);
  }

  reported(run: Run<GatewayCustomer, Field>, outcome: SyncOutcome, syncInterval: number): Outcome {
    if (isObserveOnly(run.latest)) return outcome;
    const reported = this.#overwrites.report(run.latest, outcome, syncInterval);
    return withClaimants(this.#dependencies.claims.of(run.latest), reported);
  }

  outcomeOf(error: unknown): Outcome | undefined {
    return error instanceof BudgetNotUsableError ? failed(error.reason, error) : undefined;
  }

  nextStatus(
    customer: GatewayCustomer,
    outcome: SyncOutcome,
    now: Date,
    gateway: StatusGateway,
  ): GatewayCustomerStatus {
    return nextStatus(customer, outcome, now, gateway);
  }

  async takeOver(run: Run<GatewayCustomer, Field>): Promise<void> {
    await takeOver(this.#dependencies, run);
  }

  handOver({ claim }: Run<GatewayCustomer, Field>): EventDetails | 'pending' | undefined {
    return handOver(claim);
  }

  async delete(access: Access<GatewayCustomer, Field>, deletion: RecordDeletion): Promise<boolean> {
    return await deleteRecord(this.#dependencies, access, deletion);
  }

  deletionReason(error: unknown): 'ErasurePending' | undefined {
    return error instanceof ErasureError ? 'ErasurePending' : undefined;
  }

  forget(key: ObjectKey): void {
    this.#overwrites.forget(key);
  }
}

/** The number of corrections in a row that shows a second writer. One or two may be changes by hand. */
const corrections = 3;
/** Two corrections further apart than this, in milliseconds, and than {@link windowIntervals} sync intervals, are not in a row. */
const minWindowMs = 60 * 60_000;
const windowIntervals = 4;

interface Corrected {
  readonly uid: string;
  readonly count: number;
  readonly at: number;
  readonly fields: ReadonlySet<string>;
}

/**
 * Recognizes customers whose record another client changes again and again, such as an operator in another cluster. Kept in
 * memory: after a restart, the count begins again.
 */
export class Overwrites {
  readonly #monotonic: () => number;
  readonly #corrected = new Map<string, Corrected>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * Counts the correction of a sync, if it was one. A correction that did not converge has another cause.
   * @param syncInterval in milliseconds
   * @returns the outcome to report: a record that is overwritten after each correction is not synced
   */
  report({ metadata }: GatewayCustomer, outcome: SyncOutcome, syncInterval: number): SyncOutcome {
    const key = keyText(metadata);
    const now = this.#monotonic();
    const window = Math.max(minWindowMs, windowIntervals * syncInterval);
    let known = this.#corrected.get(key);
    if (known !== undefined && (known.uid !== metadata.uid || now - known.at > window)) {
      this.#corrected.delete(key);
      known = undefined;
    }
    if (!outcome.synced) return outcome;
    if (outcome.corrected !== undefined) {
      const fields = new Set([...(known?.fields ?? []), ...outcome.corrected]);
      known = { uid: metadata.uid, count: (known?.count ?? 0) + 1, at: now, fields };
      this.#corrected.set(key, known);
    }
    if (known === undefined || known.count < corrections) return outcome;
    return { ...outcome, synced: false, reason: 'Overwritten', message: overwritten([...known.fields].sort()) };
  }

  forget(key: ObjectKey): void {
    this.#corrected.delete(keyText(key));
  }
}

function overwritten(fields: readonly string[]): string {
  return `Another client changes this customer at the gateway after each correction: ${fields.join(', ')}. Find the other client, for example an operator in another cluster, and let only one of the two manage the customer: set managementPolicy to Observe in the other.`;
}
