import type { Tenant } from '../ids.ts';

/** A bounded resource that tenants take parts of and give back. */
export interface Shares {
  /** What all tenants hold together; never more than the capacity. */
  readonly held: number;
  canTake(tenant: Tenant, amount: number): boolean;
  /** @returns whether it was taken; otherwise nothing changes. */
  take(tenant: Tenant, amount: number): boolean;
  /** @throws Error where the tenant does not hold that much. */
  give(tenant: Tenant, amount: number): void;
}

export interface SharesOptions {
  readonly capacity: number;
  /** A tenant may take up to this much as long as it is free, whatever its share; default nothing. */
  readonly guaranteed?: number;
}

/**
 * A tenant may take more as long as it holds at most this many times what is free. Alone it gets three quarters of the
 * capacity, beside another one three sevenths, and whoever comes next finds something free.
 */
const TIMES_FREE = 3;

/**
 * Shares by dynamic thresholds (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches",
 * 1998): no list of tenants, no fixed quota, and nothing to take away from a tenant when another one comes.
 */
export function createShares({ capacity, guaranteed = 0 }: SharesOptions): Shares {
  const holdings = new Map<Tenant, number>();
  let held = 0;

  const canTake = (tenant: Tenant, amount: number): boolean => {
    const own = holdings.get(tenant) ?? 0;
    const free = capacity - held;
    return amount <= free && (own + amount <= guaranteed || own <= TIMES_FREE * free);
  };

  return {
    get held() {
      return held;
    },
    canTake,
    take(tenant, amount) {
      if (!canTake(tenant, amount)) return false;
      held += amount;
      holdings.set(tenant, (holdings.get(tenant) ?? 0) + amount);
      return true;
    },
    give(tenant, amount) {
      const left = (holdings.get(tenant) ?? 0) - amount;
      if (left < 0) throw new Error('A tenant gives back more than it holds.');
      held -= amount;
      if (left === 0) holdings.delete(tenant);
      else holdings.set(tenant, left);
    },
  };
}
