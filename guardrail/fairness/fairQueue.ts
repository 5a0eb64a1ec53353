import type { Tenant } from '../ids.ts';

/** Something that waits for its turn. */
export interface Queued {
  readonly tenant: Tenant;
  /** What its turn costs, in any unit that all of the queue have in common. */
  readonly weight: number;
}

/** A queue in which each tenant has a line of its own. */
export interface FairQueue<T extends Queued> {
  readonly size: number;
  add(item: T): void;
  /** @returns whether it was in the queue. */
  remove(item: T): boolean;
  /** The item whose turn it is, of the tenants that may go. It stays in the queue. */
  peek(mayGo?: (tenant: Tenant) => boolean): T | undefined;
  /** Removes the item whose turn it is, and counts its weight as served. */
  next(mayGo?: (tenant: Tenant) => boolean): T | undefined;
  /** Counts what a turn has cost beyond its weight. */
  charge(tenant: Tenant, weight: number): void;
  /** All items in the order of their turns, if nobody else comes. An item that is removed while it is looked at costs nothing. */
  inOrder(): Iterable<T>;
  /** The weight that goes before an item of this tenant that comes now. */
  weightBefore(tenant: Tenant): number;
}

interface Line<T> {
  readonly tenant: Tenant;
  /** The longest wait first; a Set since an item may leave from the middle. */
  readonly items: Set<T>;
  weight: number;
  /** The virtual time at which its first item may start: what the tenant was served, counted since it was last idle. */
  start: number;
}

/**
 * Start-time fair queueing (Goyal, Vin and Cheng 1996): the turn goes to the tenant that was served least, by weight. So a
 * tenant with few or small items does not wait behind the many or large ones of another. A tenant that comes back starts
 * with those in service: it saves nothing up, and a debt stays.
 */
export function createFairQueue<T extends Queued>(): FairQueue<T> {
  const lines = new Map<Tenant, Line<T>>();
  let size = 0;
  /** The start of the last turn. */
  let virtualTime = 0;

  const lineOf = (tenant: Tenant): Line<T> => {
    const known = lines.get(tenant);
    if (known) return known;
    const line: Line<T> = { tenant, items: new Set(), weight: 0, start: virtualTime };
    lines.set(tenant, line);
    return line;
  };

  const firstLine = (mayGo: (tenant: Tenant) => boolean): Line<T> | undefined => {
    let first: Line<T> | undefined;
    for (const line of lines.values()) {
      if (line.items.size > 0 && (!first || line.start < first.start) && mayGo(line.tenant)) first = line;
    }
    return first;
  };

  const remove = (item: T): boolean => {
    const line = lines.get(item.tenant);
    if (!line?.items.delete(item)) return false;
    line.weight -= item.weight;
    size -= 1;
    return true;
  };

  /** A tenant that waits for nothing, and owes nothing, is as one that never came. */
  const forgetIdle = (): void => {
    for (const [tenant, line] of lines) {
      if (line.items.size === 0 && line.start <= virtualTime) lines.delete(tenant);
    }
  };

  const anyone = (): boolean => true;

  return {
    get size() {
      return size;
    },
    add(item) {
      const line = lineOf(item.tenant);
      if (line.items.size === 0) line.start = Math.max(line.start, virtualTime);
      line.items.add(item);
      line.weight += item.weight;
      size += 1;
    },
    remove,
    peek(mayGo = anyone) {
      const [item] = firstLine(mayGo)?.items ?? [];
      return item;
    },
    next(mayGo = anyone) {
      const line = firstLine(mayGo);
      const [item] = line?.items ?? [];
      if (!line || !item) return undefined;
      remove(item);
      virtualTime = Math.max(virtualTime, line.start);
      line.start += item.weight;
      forgetIdle();
      return item;
    },
    charge(tenant, weight) {
      const line = lineOf(tenant);
      line.start = Math.max(line.start, virtualTime) + weight;
    },
    *inOrder() {
      const cursors = [...lines.values()].map(cursorOf);
      for (;;) {
        let first: Cursor<T> | undefined;
        for (const one of cursors) if (one.head && (!first || one.start < first.start)) first = one;
        if (!first?.head) return;
        const { head, line } = first;
        yield head;
        if (line.items.has(head)) first.start += head.weight;
        first.head = headOf(first.rest);
      }
    },
    weightBefore(tenant) {
      const own = lines.get(tenant);
      const start = Math.max(own?.start ?? 0, virtualTime) + (own?.weight ?? 0);
      let before = own?.weight ?? 0;
      for (const other of lines.values()) {
        if (other !== own) before += Math.min(other.weight, Math.max(0, start - other.start));
      }
      return before;
    },
  };
}

/** A place in a line, while all of them are looked through. */
interface Cursor<T> {
  readonly line: Line<T>;
  readonly rest: Iterator<T, undefined>;
  head: T | undefined;
  start: number;
}

function cursorOf<T>(line: Line<T>): Cursor<T> {
  const rest = line.items.values();
  return { line, rest, head: headOf(rest), start: line.start };
}

function headOf<T>(rest: Iterator<T, undefined>): T | undefined {
  return rest.next().value;
}
