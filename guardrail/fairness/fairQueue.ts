import type { Tenant } from '../ids.ts';

export interface Queued {
  readonly tenant: Tenant;
  /** The cost of serving the item, in the unit of its queue. */
  readonly weight: number;
}

/** A queue that serves tenants in turn. */
export interface FairQueue<T extends Queued> {
  readonly size: number;
  add(item: T): void;
  /** @returns whether the item was in the queue. */
  remove(item: T): boolean;
  /** Returns the next item of the allowed tenants without removing it. */
  peek(isAllowed?: (tenant: Tenant) => boolean): T | undefined;
  /** Removes the next item of the allowed tenants and charges its weight. */
  next(isAllowed?: (tenant: Tenant) => boolean): T | undefined;
  /** Charges a cost beyond the weight of an item. */
  charge(tenant: Tenant, weight: number): void;
  /** All items in the order in which they are served if no other item arrives. A caller may remove the current item. */
  inOrder(): Iterable<T>;
  /** The weight that is served before an item of this tenant that arrives now. */
  weightBefore(tenant: Tenant): number;
}

interface TenantQueue<T> {
  readonly tenant: Tenant;
  /** Oldest first. A Set, since items are also removed from the middle. */
  readonly items: Set<T>;
  weight: number;
  /** The virtual start time of the first item: the weight served to the tenant since it was idle. */
  start: number;
}

/**
 * Creates a queue with start-time fair queueing (Goyal, Vin and Cheng 1996): it serves the tenant with the least served
 * weight. So the few or small items of a tenant do not wait behind the many or large items of another one. A returning
 * tenant starts level with the tenants in service: it accumulates no credit, and its debt remains.
 */
export function createFairQueue<T extends Queued>(): FairQueue<T> {
  return new StartTimeFairQueue<T>();
}

const anyTenant = (): boolean => true;

class StartTimeFairQueue<T extends Queued> implements FairQueue<T> {
  readonly #queues = new Map<Tenant, TenantQueue<T>>();
  /** The virtual start time of the item that was served last. */
  #virtualTime = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    const queue = this.#queueOf(item.tenant);
    if (queue.items.size === 0) queue.start = Math.max(queue.start, this.#virtualTime);
    queue.items.add(item);
    queue.weight += item.weight;
    this.#size += 1;
  }

  remove(item: T): boolean {
    const queue = this.#queues.get(item.tenant);
    if (!queue?.items.delete(item)) return false;
    queue.weight -= item.weight;
    this.#size -= 1;
    return true;
  }

  peek(isAllowed: (tenant: Tenant) => boolean = anyTenant): T | undefined {
    const [item] = this.#firstQueue(isAllowed)?.items ?? [];
    return item;
  }

  next(isAllowed: (tenant: Tenant) => boolean = anyTenant): T | undefined {
    const queue = this.#firstQueue(isAllowed);
    const [item] = queue?.items ?? [];
    if (!queue || !item) return undefined;
    this.remove(item);
    this.#virtualTime = Math.max(this.#virtualTime, queue.start);
    queue.start += item.weight;
    this.#removeIdleTenants();
    return item;
  }

  charge(tenant: Tenant, weight: number): void {
    const queue = this.#queueOf(tenant);
    queue.start = Math.max(queue.start, this.#virtualTime) + weight;
  }

  *inOrder(): Generator<T> {
    const cursors = [...this.#queues.values()].map(cursorOf);
    for (;;) {
      let first: Cursor<T> | undefined;
      for (const one of cursors) if (one.head && (!first || one.start < first.start)) first = one;
      if (!first?.head) return;
      const { head, queue } = first;
      yield head;
      // An item that the caller removed is not charged.
      if (queue.items.has(head)) first.start += head.weight;
      first.head = headOf(first.rest);
    }
  }

  weightBefore(tenant: Tenant): number {
    const own = this.#queues.get(tenant);
    const start = Math.max(own?.start ?? 0, this.#virtualTime) + (own?.weight ?? 0);
    let before = own?.weight ?? 0;
    for (const other of this.#queues.values()) {
      if (other !== own) before += Math.min(other.weight, Math.max(0, start - other.start));
    }
    return before;
  }

  #queueOf(tenant: Tenant): TenantQueue<T> {
    const known = this.#queues.get(tenant);
    if (known) return known;
    const queue: TenantQueue<T> = { tenant, items: new Set(), weight: 0, start: this.#virtualTime };
    this.#queues.set(tenant, queue);
    return queue;
  }

  #firstQueue(isAllowed: (tenant: Tenant) => boolean): TenantQueue<T> | undefined {
    let first: TenantQueue<T> | undefined;
    for (const queue of this.#queues.values()) {
      if (queue.items.size > 0 && (!first || queue.start < first.start) && isAllowed(queue.tenant)) first = queue;
    }
    return first;
  }

  /** Removes tenants that have no items and no debt. */
  #removeIdleTenants(): void {
    for (const [tenant, queue] of this.#queues) {
      if (queue.items.size === 0 && queue.start <= this.#virtualTime) this.#queues.delete(tenant);
    }
  }
}

/** A position in the queue of a tenant during an iteration over all of them. */
interface Cursor<T> {
  readonly queue: TenantQueue<T>;
  readonly rest: Iterator<T, undefined>;
  head: T | undefined;
  start: number;
}

function cursorOf<T>(queue: TenantQueue<T>): Cursor<T> {
  const rest = queue.items.values();
  return { queue, rest, head: headOf(rest), start: queue.start };
}

function headOf<T>(rest: Iterator<T, undefined>): T | undefined {
  return rest.next().value;
}
