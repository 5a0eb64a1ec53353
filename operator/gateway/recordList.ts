/**
 * All customer records of a gateway, read at once, for routine lookups of many customers. A list has every
 * record, or a hundred in each page, so ten thousand customers cost one call or a hundred, instead of ten thousand.
 */
import { isGatewayError } from './errors.ts';
import { DeferredError } from './rateLimit.ts';
import type { CustomerRow } from './schemas.ts';

/** Fewer customers are looked up one by one. */
export const minListedCustomers = 100;
/** A gateway that has more than this number of records for each customer is not listed: most records are not used. */
export const maxRecordsPerCustomer = 10;
/** A list that takes long is used longer, so that the gateway lists at most a fifth of the time. */
const minUseFactor = 4;
/** How long no list is read after a failure, or if lists are not worthwhile at this gateway, in milliseconds. */
const pauseMs = { failed: 10 * 60_000, unsuited: 60 * 60_000 } as const;
/** The shortest and the longest wait for a list, in milliseconds. */
const pollMs = [500, 30_000] as const;

/** Why and how a list is used. */
export interface ListUse {
  /** How long a list is used after it was read, in milliseconds. */
  readonly maxAgeMs: number;
  /** The number of customers that are looked up. */
  readonly count: () => number;
  /** Whether a customer is looked up. Other records are not kept. */
  readonly includes: (customerId: string) => boolean;
}

/** What the list says of a customer. */
export type ListedRecord =
  | { readonly kind: 'record'; readonly row: CustomerRow }
  /** The list is being read. */
  | { readonly kind: 'pending'; readonly retryAfterMs: number }
  /** There is no list, it does not have the customer, or a call about this customer was made since the list was requested. */
  | { readonly kind: 'unknown' };

/**
 * Reads all records.
 * @param each called for each record, with undefined for one that cannot be read; returns whether to go on
 */
export type ReadRecords = (each: (row: CustomerRow | undefined) => boolean, signal: AbortSignal) => Promise<void>;

interface Reading {
  readonly began: number;
  readonly rows: Map<string, CustomerRow>;
  /** The customers that a call was about since the list was requested. */
  readonly called: Set<string>;
}

/**
 * The record list of one gateway. It is read when a lookup needs it. A record in it is never older than what another call
 * of this process has returned or written for the customer: see {@link recordCall}.
 */
export class RecordList {
  readonly #read: ReadRecords;
  readonly #now: () => number;
  readonly #closed = new AbortController();
  #reading: Reading | undefined;
  #rows = new Map<string, CustomerRow>();
  #usableUntil = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** @param now a monotonic clock in milliseconds */
  constructor(read: ReadRecords, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** Whether the list is being read. */
  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  /** Looks up a customer. Begins to read the list if it is too old. */
  lookUp(customerId: string, use: ListUse): ListedRecord {
    const now = this.#now();
    if (this.#reading === undefined && now >= this.#usableUntil) {
      this.#rows.clear();
      if (now < this.#pausedUntil || use.count() < minListedCustomers) return { kind: 'unknown' };
      void this.#readList(use);
    }
    if (this.#reading !== undefined) {
      const elapsed = now - this.#reading.began;
      return { kind: 'pending', retryAfterMs: Math.min(Math.max(pollMs[0], elapsed), pollMs[1]) };
    }
    const row = this.#rows.get(customerId);
    return row === undefined ? { kind: 'unknown' } : { kind: 'record', row };
  }

  /** Records that another call about a customer begins or ends: a list that was requested before is not used for it. */
  recordCall(customerId: string): void {
    this.#rows.delete(customerId);
    this.#reading?.rows.delete(customerId);
    this.#reading?.called.add(customerId);
  }

  /** Ends a list that is being read. No list is read afterwards. */
  close(): void {
    this.#pausedUntil = Number.POSITIVE_INFINITY;
    this.#closed.abort();
  }

  /** A failure is not reported: the customers are then looked up one by one, and these calls report what is wrong. */
  async #readList({ maxAgeMs, count, includes }: ListUse): Promise<void> {
    const reading: Reading = { began: this.#now(), rows: new Map(), called: new Set() };
    this.#reading = reading;
    const limit = maxRecordsPerCustomer * count();
    let seen = 0;
    try {
      await this.#read((row) => {
        seen += 1;
        if (row !== undefined && !reading.called.has(row.user_id) && includes(row.user_id)) {
          reading.rows.set(row.user_id, row);
        }
        return seen <= limit;
      }, this.#closed.signal);
      const ended = this.#now();
      this.#rows = reading.rows;
      this.#usableUntil = ended + Math.max(maxAgeMs, minUseFactor * (ended - reading.began));
      if (seen > limit) this.#pause(pauseMs.unsuited);
    } catch (error) {
      this.#pause(pauseAfter(error));
    } finally {
      this.#reading = undefined;
    }
  }

  #pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + ms);
  }
}

/** How long no list is read after a failure, in milliseconds. */
function pauseAfter(error: unknown): number {
  if (error instanceof DeferredError) return error.retryAfterMs;
  // The gateway has no such call, or it does not return a list.
  const unsuited = isGatewayError(error) && [200, 404, 405, 501].includes(error.status ?? 0);
  return unsuited ? pauseMs.unsuited : pauseMs.failed;
}
