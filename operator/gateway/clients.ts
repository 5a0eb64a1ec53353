import { systemClock } from '../runtime/runtime.ts';
import { GatewayClient } from './client.ts';
import { type CallReport, type CallTimeouts, defaultTimeouts, type GatewayTarget } from './gatewayHttp.ts';
import { isGatewayError } from './errors.ts';
import { CustomerPages } from './listRecords.ts';
import { type RateLimit, RateLimiter } from './rateLimit.ts';
import { type ListedRecord, type ListUse, type ReadRecords, RecordList } from './recordList.ts';
import type { BudgetRow } from './schemas.ts';

interface BudgetApi {
  readonly available: Promise<boolean>;
  readonly until: number;
  /** Whether the gateway was known to be LiteLLM at that time. Otherwise, another server may have responded. */
  readonly isLiteLlm: boolean;
}

interface CachedClient {
  target: GatewayTarget;
  client: GatewayClient;
  limiter: RateLimiter;
  list: RecordList;
  budgetApi: BudgetApi | undefined;
  tiers: Map<string, { readonly row: Promise<BudgetRow | undefined>; readonly until: number }>;
}

/** How long the presence or absence of a budget API is cached, in milliseconds. */
const budgetApiCacheMs = { yes: 60 * 60_000, no: 10 * 60_000 };
const tierCacheMs = 60_000;
/** How long a replaced client stays open, in milliseconds: longer than any reconcile. */
const retiredClientMs = 180_000;
/** How much longer a list may take than another call. A gateway with 100,000 records reads them all before it responds. */
const listTimeoutFactor = 16;
/** An unused id: the probe only checks whether the path exists. */
const probeId = 'gcust-probe';

/** Options of {@link GatewayClients}. */
export interface GatewayClientsOptions {
  /** Called after each call. */
  readonly report?: (instance: GatewayTarget['instance'], call: CallReport) => void;
  readonly timeouts?: CallTimeouts;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** One client for each instance. All callers of a gateway share its connections and its rate limit. */
export class GatewayClients {
  readonly #cached = new Map<string, CachedClient>();
  readonly #retired = new Set<GatewayClient>();
  readonly #options: GatewayClientsOptions;
  readonly #now: () => number;

  constructor(options: GatewayClientsOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The client of an instance. A changed key, address or limit creates a new client; the rate limiter remains. */
  for(target: GatewayTarget): GatewayClient {
    return this.#cachedFor(target).client;
  }

  /**
   * Whether the gateway has a `/budget` API, determined by a call. Call it only after another call has succeeded. The
   * result is cached; a failure is not.
   * @throws GatewayError if the response does not show it
   */
  hasBudgetApi(target: GatewayTarget): Promise<boolean> {
    const cached = this.#cachedFor(target);
    const { isLiteLlm } = cached.client;
    const known = cached.budgetApi;
    if (known !== undefined && this.#now() < known.until && known.isLiteLlm === isLiteLlm) return known.available;
    const available = probeBudgetApi(cached.client);
    const keep = (ms: number): BudgetApi => ({ available, until: this.#now() + ms, isLiteLlm });
    cached.budgetApi = keep(budgetApiCacheMs.no);
    available.then(
      (has) => (cached.budgetApi = keep(has ? budgetApiCacheMs.yes : budgetApiCacheMs.no)),
      () => (cached.budgetApi = undefined),
    );
    return available;
  }

  /**
   * A budget tier, cached for a minute; undefined if it does not exist.
   * @throws GatewayError if the call fails
   */
  tier(target: GatewayTarget, id: string): Promise<BudgetRow | undefined> {
    const cached = this.#cachedFor(target);
    const known = cached.tiers.get(id);
    if (known !== undefined && this.#now() < known.until) return known.row;
    const row = cached.client.budgetInfo([id]).then((rows) => rows[0]);
    // An instance refers to one tier at a time, so the previous one is dropped.
    cached.tiers = new Map([[id, { row, until: this.#now() + tierCacheMs }]]);
    row.catch(() => cached.tiers.delete(id));
    return row;
  }

  /** Looks up a customer in the gateway's record list. */
  listed(target: GatewayTarget, customerId: string, use: ListUse): ListedRecord {
    return this.#cachedFor(target).list.lookUp(customerId, use);
  }

  /** Whether the record list of a gateway is being read. No reconcile waits for it. */
  get isListing(): boolean {
    return this.#cached.values().some(({ list }) => list.isReading);
  }

  /**
   * Removes the clients of deleted instances, with their master keys. A client that a running reconcile may use stays open for
   * some minutes.
   * @param exceptUid the uid of the instance with this name that exists, if any
   */
  forget({ namespace, name }: Pick<GatewayTarget['instance'], 'namespace' | 'name'>, exceptUid?: string): void {
    for (const [uid, cached] of this.#cached) {
      const { instance } = cached.target;
      if (instance.namespace !== namespace || instance.name !== name || uid === exceptUid) continue;
      this.#cached.delete(uid);
      this.#retire(cached);
    }
  }

  /** Closes all connections after the calls in progress have ended. */
  async close(): Promise<void> {
    for (const { list } of this.#cached.values()) list.close();
    const clients = [...this.#retired, ...[...this.#cached.values()].map(({ client }) => client)];
    this.#cached.clear();
    this.#retired.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  /** Keeps a replaced client open until the reconciles that use it have ended. */
  #retire({ client, list }: CachedClient): void {
    list.close();
    this.#retired.add(client);
    setTimeout(() => {
      if (this.#retired.delete(client)) void client.close();
    }, retiredClientMs).unref();
  }

  #cachedFor(target: GatewayTarget): CachedClient {
    const { uid } = target.instance;
    const cached = this.#cached.get(uid);
    if (cached !== undefined && sameTarget(cached.target, target)) return cached;
    if (cached === undefined) this.forget(target.instance, uid);
    const limiter = cached?.limiter ?? new RateLimiter(target.rateLimit, { ...systemClock, monotonic: this.#now });
    // The limiter remains: a new one would not know of a pause that the gateway requested, nor of the calls in flight.
    if (cached !== undefined && !sameLimit(cached.target.rateLimit, target.rateLimit))
      limiter.changeLimit(target.rateLimit);
    const { timeouts } = this.#options;
    const report = (call: CallReport): void => this.#options.report?.(target.instance, call);
    const onCustomerCall = (customerId: string): void => {
      list.recordCall(customerId);
    };
    const client = new GatewayClient(target, limiter, { timeouts, report, onCustomerCall });
    const list = new RecordList(readRecords({ target, client, limiter, report, timeouts }), this.#now);
    if (cached !== undefined) this.#retire(cached);
    const budgetApi = cached?.target.endpoint === target.endpoint ? cached.budgetApi : undefined;
    const fresh: CachedClient = { target, client, limiter, list, budgetApi, tiers: new Map() };
    this.#cached.set(uid, fresh);
    return fresh;
  }
}

/** Reads the record list of a gateway within its rate limit: each page is a call. */
function readRecords({
  target,
  client,
  limiter,
  report,
  timeouts = defaultTimeouts,
}: Pick<CachedClient, 'target' | 'client' | 'limiter'> & {
  readonly report: (call: CallReport) => void;
  readonly timeouts: CallTimeouts | undefined;
}): ReadRecords {
  return async (each, signal) => {
    const pages = new CustomerPages(target);
    const readPage = async (): Promise<boolean> => {
      const began = performance.now();
      const deadline = AbortSignal.timeout(listTimeoutFactor * timeouts.total);
      let code = 'error';
      try {
        for await (const row of pages.next(AbortSignal.any([signal, deadline]))) {
          if (row !== undefined) client.recordListed(row);
          if (each(row)) continue;
          code = '200';
          return false;
        }
        code = '200';
        return pages.hasNext;
      } catch (error) {
        if (isGatewayError(error) && error.status !== undefined) code = String(error.status);
        throw error;
      } finally {
        report({ operation: 'GET /customer/list', code, seconds: (performance.now() - began) / 1000 });
      }
    };
    while (await limiter.run(readPage, 'routine', signal));
  };
}

async function probeBudgetApi(client: GatewayClient): Promise<boolean> {
  try {
    await client.budgetInfo([probeId]);
    return true;
  } catch (error) {
    // The path or the method does not exist, or the response is an HTML page.
    const noSuchPath = isGatewayError(error) && [200, 404, 405, 501].includes(error.status ?? 0);
    if (noSuchPath) return false;
    throw error;
  }
}

function sameTarget(one: GatewayTarget, other: GatewayTarget): boolean {
  return (
    one === other ||
    (one.endpoint === other.endpoint &&
      one.masterKey === other.masterKey &&
      one.ca === other.ca &&
      sameLimit(one.rateLimit, other.rateLimit))
  );
}

function sameLimit(one: RateLimit, other: RateLimit): boolean {
  return one.qps === other.qps && one.burst === other.burst && one.maxConcurrent === other.maxConcurrent;
}
