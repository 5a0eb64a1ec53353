/** Connects customers to their records: see {@link Adapter}. */
import {
  annotations,
  type GatewayCustomer,
  gatewayCustomerNames,
  hasInvisibleCharacters,
} from '../api/v1alpha1/v1alpha1.ts';
import { BudgetNotUsableError } from '../budget/budget.ts';
import { ConnectionError, type GatewayConnection, permitsId } from '../connection/connection.ts';
import {
  type Adapter,
  type AdapterWords,
  type AnyRecord,
  type Claim,
  type ConnectionPurpose,
  failed,
  type Outcome,
  type Run,
  type StatusGateway,
} from '../external/external.ts';
import type { Field } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { type EventDetails, keyText, type ObjectKey } from '../runtime/runtime.ts';
import { deleteRecord, ErasureError, type RecordDeletion } from './deleteRecord.ts';
import type { Dependencies } from './dependencies.ts';
import { CustomerRecord } from './record.ts';
import { nextStatus, type SyncOutcome } from './status.ts';
import { handOver, ownedByAnother, ownerGone, takeOver, withClaimants } from './succession.ts';

const words: AdapterWords<GatewayCustomer> = {
  noun: 'customer',
  record: 'record',
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
  readonly condition = 'Synced';
  readonly words = words;
  readonly isThrottled = false;
  readonly ownerGone = ownerGone;
  readonly #dependencies: Dependencies;
  readonly #overwrites: Overwrites;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#overwrites = new Overwrites(dependencies.monotonic);
  }

  async connect(customer: GatewayCustomer, purpose: ConnectionPurpose): Promise<GatewayConnection> {
    return await connect(this.#dependencies, customer, purpose);
  }

  ownedByAnother(customer: GatewayCustomer, owner: Claim<GatewayCustomer, Field>): Outcome {
    return ownedByAnother(customer, owner);
  }

  record(run: Run<GatewayCustomer, Field>, connection: GatewayConnection, signal: AbortSignal): AnyRecord {
    return new CustomerRecord(this.#dependencies, run, connection, signal);
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
    gateway: StatusGateway,
  ): NonNullable<GatewayCustomer['status']> {
    return nextStatus(customer, outcome, this.#dependencies.now(), gateway);
  }

  async takeOver(run: Run<GatewayCustomer, Field>): Promise<void> {
    await takeOver(this.#dependencies, run);
  }

  handOver({ claim }: Run<GatewayCustomer, Field>): EventDetails | 'pending' | undefined {
    return handOver(claim);
  }

  async delete(customer: GatewayCustomer, signal: AbortSignal): Promise<boolean> {
    return await this.#delete(customer, 'own', signal);
  }

  async deleteLost(customer: GatewayCustomer, isTaken: boolean, signal: AbortSignal): Promise<boolean> {
    const mustRefuse = this.#dependencies.claims.adoptionPolicy(customer) === 'Refuse';
    await this.#delete(customer, isTaken ? 'none' : mustRefuse ? 'ifLinked' : 'own', signal);
    return true;
  }

  async #delete(customer: GatewayCustomer, deletion: RecordDeletion, signal: AbortSignal): Promise<boolean> {
    const connection = await this.connect(customer, 'forDeletion');
    return await deleteRecord(this.#dependencies, customer, connection, { deletion, signal });
  }

  deletionReason(error: unknown): 'ErasurePending' | undefined {
    return error instanceof ErasureError ? 'ErasurePending' : undefined;
  }

  forget(key: ObjectKey): void {
    this.#overwrites.forget(key);
  }
}

/**
 * The connection for a customer.
 * @param purpose `forDeletion` uses the last known connection if the deletion of the namespace has removed the instance or
 *   its key
 * @throws ConnectionError if there is no connection or the instance does not allow the customer
 */
export async function connect(
  { connections, instances, identity }: Pick<Dependencies, 'connections' | 'instances' | 'identity'>,
  { metadata: { namespace }, spec: { instanceRef, customerId } }: GatewayCustomer,
  purpose: 'forCustomer' | 'forDeletion' = 'forCustomer',
): Promise<GatewayConnection> {
  // The API server refuses new ones. One that was stored before can still be deleted.
  if (purpose === 'forCustomer' && hasInvisibleCharacters(customerId)) {
    throw new ConnectionError(
      'CustomerIdNotAllowed',
      'spec.customerId contains invisible characters. Create another GatewayCustomer with an id without them, and delete this one.',
    );
  }
  const connection = await connections[purpose](instanceRef, namespace);
  const instance = instances.get(connection.instance);
  if (purpose === 'forCustomer' && identity.addressOfInstance(instance) === undefined) {
    // The address of a Service without a port is known after the first reconcile of the instance.
    throw new ConnectionError(
      'InstanceNotReady',
      `The address of GatewayInstance ${connection.instance.namespace}/${connection.instance.name} is not known yet. Its condition Reachable says why.`,
    );
  }
  if (instance === undefined || permitsId(instance, namespace, customerId)) return connection;
  throw new ConnectionError(
    'CustomerIdNotAllowed',
    `GatewayInstance ${connection.instance.namespace}/${connection.instance.name} does not allow this customerId in namespace ${namespace}: its spec.customerIdPrefixes reserves the prefix for another namespace, or lists other prefixes for this one. Create the customer with another customerId, or change spec.customerIdPrefixes.`,
  );
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
