import type { CallReport, CallTimeouts, GatewayTarget } from './client.ts';
import { GatewayClient } from './client.ts';
import { isGatewayError } from './errors.ts';
import type { RateLimit } from './rateLimit.ts';
import { RateLimiter } from './rateLimit.ts';
import type { BudgetRow } from './schemas.ts';

interface BudgetApi {
  readonly answer: Promise<boolean>;
  readonly until: number;
  /** Whether the gateway was known to be LiteLLM when it was asked. Before that, something else may have answered. */
  readonly askedLiteLlm: boolean;
}

interface Kept {
  target: GatewayTarget;
  client: GatewayClient;
  limiter: RateLimiter;
  budgetApi: BudgetApi | undefined;
  tiers: Map<string, { readonly row: Promise<BudgetRow | undefined>; readonly until: number }>;
}

/** What is asked again after that time: whether a gateway has a budget API, in milliseconds. */
const budgetApiKeptMs = { yes: 60 * 60_000, no: 10 * 60_000 };
const tierKeptMs = 60_000;
/** Longer than any reconcile lasts. */
const retiredKeptMs = 180_000;
/** An id that no budget has: the probe only asks whether the question is understood. */
const probeId = 'gcust-probe';

/** Options of {@link GatewayClients}. */
export interface GatewayClientsOptions {
  /** Told of each call. */
  readonly report?: (instance: GatewayTarget['instance'], call: CallReport) => void;
  readonly timeouts?: CallTimeouts;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

/** One client an instance, for all who call its gateway: they share its connections and its limits. */
export class GatewayClients {
  readonly #kept = new Map<string, Kept>();
  readonly #retired = new Set<GatewayClient>();
  readonly #options: GatewayClientsOptions;
  readonly #now: () => number;

  constructor(options: GatewayClientsOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The client of an instance. A changed key or address makes a new one; the limits go on counting. */
  for(target: GatewayTarget): GatewayClient {
    return this.#keptFor(target).client;
  }

  /**
   * Whether the gateway has a `/budget` API, found out by asking it. To be called after another call has shown that the
   * gateway answers as it should. The answer is kept; a question that failed is not.
   * @throws GatewayError where the gateway gave no answer that tells.
   */
  hasBudgetApi(target: GatewayTarget): Promise<boolean> {
    const kept = this.#keptFor(target);
    const { isLiteLlm } = kept.client;
    const known = kept.budgetApi;
    if (known !== undefined && this.#now() < known.until && known.askedLiteLlm === isLiteLlm) return known.answer;
    const answer = askForBudgetApi(kept.client);
    const keep = (ms: number): BudgetApi => ({ answer, until: this.#now() + ms, askedLiteLlm: isLiteLlm });
    kept.budgetApi = keep(budgetApiKeptMs.no);
    answer.then(
      (has) => (kept.budgetApi = keep(has ? budgetApiKeptMs.yes : budgetApiKeptMs.no)),
      () => (kept.budgetApi = undefined),
    );
    return answer;
  }

  /**
   * A budget tier as it was at most a minute ago; undefined: there is none.
   * @throws GatewayError where the gateway gave no answer.
   */
  tier(target: GatewayTarget, id: string): Promise<BudgetRow | undefined> {
    const kept = this.#keptFor(target);
    const known = kept.tiers.get(id);
    if (known !== undefined && this.#now() < known.until) return known.row;
    const row = kept.client.budgetInfo([id]).then((rows) => rows[0]);
    // One id an instance is ever asked for: what was asked for before is let go.
    kept.tiers = new Map([[id, { row, until: this.#now() + tierKeptMs }]]);
    row.catch(() => kept.tiers.delete(id));
    return row;
  }

  /** Lets go of an instance that is no more. */
  forget(instanceUid: string): void {
    const kept = this.#kept.get(instanceUid);
    this.#kept.delete(instanceUid);
    if (kept !== undefined) this.#retire(kept.client);
  }

  /** Ends all connections once the calls under way are answered. */
  async close(): Promise<void> {
    const clients = [...this.#retired, ...[...this.#kept.values()].map(({ client }) => client)];
    this.#kept.clear();
    this.#retired.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  /** Whoever works with the old client may end what was begun: it is closed when nobody can be left. */
  #retire(client: GatewayClient): void {
    this.#retired.add(client);
    setTimeout(() => {
      if (this.#retired.delete(client)) void client.close();
    }, retiredKeptMs).unref();
  }

  #keptFor(target: GatewayTarget): Kept {
    const { uid } = target.instance;
    const kept = this.#kept.get(uid);
    if (kept !== undefined && sameTarget(kept.target, target)) return kept;
    const limiter =
      kept !== undefined && sameLimit(kept.target.rateLimit, target.rateLimit)
        ? kept.limiter
        : new RateLimiter(target.rateLimit, this.#now);
    const { report, timeouts } = this.#options;
    const client = new GatewayClient(target, limiter, {
      ...(timeouts === undefined ? {} : { timeouts }),
      ...(report === undefined
        ? {}
        : {
            report: (call: CallReport) => {
              report(target.instance, call);
            },
          }),
    });
    if (kept !== undefined) this.#retire(kept.client);
    const budgetApi = kept?.target.endpoint === target.endpoint ? kept.budgetApi : undefined;
    const fresh: Kept = { target, client, limiter, budgetApi, tiers: new Map() };
    this.#kept.set(uid, fresh);
    return fresh;
  }
}

async function askForBudgetApi(client: GatewayClient): Promise<boolean> {
  try {
    await client.budgetInfo([probeId]);
    return true;
  } catch (error) {
    // No such path, no such method, or a page for people.
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
