import type { Tenant } from '../ids.ts';

/** A bounded resource that tenants share. */
export interface Shares {
  /** The amount that all tenants use, at most the capacity. */
  readonly used: number;
  canTake(tenant: Tenant, amount: number): boolean;
  /** @returns whether the amount was available and is now in use. */
  take(tenant: Tenant, amount: number): boolean;
  /** Releases an amount. @throws Error if the tenant uses less. */
  release(tenant: Tenant, amount: number): void;
}

export interface SharesOptions {
  readonly capacity: number;
  /** The amount that a tenant can always take while it is free, whatever its share; default 0. */
  readonly guaranteed?: number;
}

/**
 * A tenant can take more while it uses at most this multiple of the free capacity. A single tenant gets three quarters of
 * the capacity, two tenants get three sevenths each, and a part always remains free for the next tenant.
 */
const TIMES_FREE = 3;

/** Tenants without anything in use that are kept: most come again soon, and a Map that shrinks and grows takes time. */
const MAX_IDLE = 100;

/**
 * Creates shares with dynamic thresholds (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet
 * switches", 1998). They need no list of tenants and no fixed quotas, and a new tenant preempts no other.
 */
export function createShares({ capacity, guaranteed = 0 }: SharesOptions): Shares {
  const usedBy = new Map<Tenant, number>();
  let used = 0;

  const canTake = (tenant: Tenant, amount: number): boolean => {
    const own = usedBy.get(tenant) ?? 0;
    const free = capacity - used;
    return amount <= free && (own + amount <= guaranteed || own <= TIMES_FREE * free);
  };

  return {
    get used() {
      return used;
    },
    canTake,
    take(tenant, amount) {
      if (!canTake(tenant, amount)) return false;
      used += amount;
      usedBy.set(tenant, (usedBy.get(tenant) ?? 0) + amount);
      return true;
    },
    release(tenant, amount) {
      const left = (usedBy.get(tenant) ?? 0) - amount;
      if (left < 0) throw new Error('A tenant releases more than it uses.');
      used -= amount;
      if (left === 0 && usedBy.size > MAX_IDLE) usedBy.delete(tenant);
      else usedBy.set(tenant, left);
    },
  };
}
