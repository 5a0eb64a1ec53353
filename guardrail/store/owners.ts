import type { Tenant } from '../ids.ts';
import { LinkedList, type Link } from '../linkedList.ts';

/** Owners whose sizes differ by less than a fifth have the same rank: ranks are powers of the fourth root of two. */
const RANKS_OF_TWICE = 4;

/** A tenant that has sessions in the memory store. */
export class Owner<Session> {
  readonly tenant: Tenant;
  /** Least recently used first. */
  readonly sessions = new LinkedList<Session>();
  /** What its sessions take. */
  bytes = 0;
  rank = 0;
  link: Link<Owner<Session>> | undefined;

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }
}

/** The tenants that have sessions, by the memory that these take. Each method takes the same time for any number of them. */
export class Owners<Session> {
  readonly #byTenant = new Map<Tenant, Owner<Session>>();
  /** The owners of each rank, the one that lost a session last at the end. */
  readonly #ranks: LinkedList<Owner<Session>>[] = [];

  of(tenant: Tenant): Owner<Session> {
    const known = this.#byTenant.get(tenant);
    if (known) return known;
    const owner = new Owner<Session>(tenant);
    this.#byTenant.set(tenant, owner);
    return owner;
  }

  /** Records that the sessions of an owner take more or less. One that has none left is forgotten. */
  add(owner: Owner<Session>, bytes: number): void {
    owner.bytes += bytes;
    if (owner.bytes === 0) {
      this.#unrank(owner);
      this.#byTenant.delete(owner.tenant);
      return;
    }
    const rank = Math.floor(RANKS_OF_TWICE * Math.log2(owner.bytes));
    if (owner.link && rank === owner.rank) return;
    this.#unrank(owner);
    owner.rank = rank;
    this.#ranks[rank] ??= new LinkedList();
    owner.link = this.#ranks[rank].add(owner);
  }

  /** The next one of the owners with the highest rank. They lose their sessions in turn. */
  largest(): Owner<Session> | undefined {
    for (let rank = this.#ranks.length - 1; rank >= 0; rank -= 1) {
      const owners = this.#ranks[rank];
      const first = owners?.first;
      if (!owners || !first) continue;
      owners.moveToEnd(first);
      return first.value;
    }
    return undefined;
  }

  clear(): void {
    this.#byTenant.clear();
    this.#ranks.length = 0;
  }

  #unrank(owner: Owner<Session>): void {
    if (owner.link) this.#ranks[owner.rank]?.remove(owner.link);
    owner.link = undefined;
  }
}
