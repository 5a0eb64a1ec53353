import { proxyError } from './errors.ts';
import type { Budget, Customer, Records } from './records.ts';

const MINUTE = 60_000;

interface Window {
  readonly until: number;
  requests: number;
  tokens: number;
}

/** The limits that the gateway enforces for the calls of an end user, and its counters. */
export class Limits {
  readonly #records: Records;
  readonly #defaultBudgetId: string | undefined;
  // Remains after a row is deleted, like the counters of the real gateway: deleting and recreating a customer does not reset
  // it.
  readonly #spend = new Map<string, number>();
  readonly #windows = new Map<string, Window>();

  /** @param defaultBudgetId the budget row, if it exists, of customers that have none of their own */
  constructor(records: Records, defaultBudgetId: string | undefined) {
    this.#records = records;
    this.#defaultBudgetId = defaultBudgetId;
  }

  /**
   * Admits or refuses a call. `blocked` is not enforced, because the real gateway needs an enterprise callback for it.
   * @throws GatewayError 422 over budget, 403 model not allowed, 429 too many requests or tokens
   */
  admit(endUser: string, model: string, now: number): void {
    this.#reset(now);
    const customer = this.#records.customers.get(endUser);
    const budget = this.#budgetOf(customer);
    const spent = this.#spend.get(endUser) ?? customer?.spend ?? 0;
    const maxBudget = budget?.max_budget ?? null;
    if (maxBudget !== null && spent > maxBudget) {
      const message = `ExceededBudget: End User=${endUser} over budget. Spend=${spent}, Budget=${maxBudget}`;
      throw proxyError(422, 'budget_exceeded', null, message);
    }
    if (customer !== undefined && customer.models.length > 0 && !customer.models.includes(model)) {
      const message = `The requested model '${model}' is not in the allowed models for this customer. Check the models this customer can use and try again.`;
      throw proxyError(403, 'customer_model_access_denied', 'model', message);
    }
    if (budget !== undefined) this.#count(endUser, budget, now);
  }

  /** Adds the cost of a finished call. A customer that does not exist is created, as at the real gateway. */
  async charge(endUser: string, cost: number, tokens: number): Promise<void> {
    const window = this.#windows.get(endUser);
    if (window !== undefined) window.tokens += tokens;
    if (cost <= 0) return;
    const customer = this.#records.customers.get(endUser) ?? this.#records.addCustomer(endUser);
    this.#spend.set(endUser, (this.#spend.get(endUser) ?? customer.spend) + cost);
    customer.spend += cost;
    await this.#records.save();
  }

  #budgetOf(customer: Customer | undefined): Budget | undefined {
    const id = customer?.budget_id ?? this.#defaultBudgetId;
    return id === undefined ? undefined : this.#records.budgets.get(id);
  }

  #reset(now: number): void {
    const reset = this.#records.resetDue(new Date(now), this.#defaultBudgetId);
    for (const endUser of reset) this.#spend.delete(endUser);
  }

  #count(endUser: string, budget: Budget, now: number): void {
    let window = this.#windows.get(endUser);
    if (window === undefined || window.until <= now) {
      window = { until: now + MINUTE, requests: 0, tokens: 0 };
      this.#windows.set(endUser, window);
    }
    const over =
      budget.rpm_limit !== null && window.requests >= budget.rpm_limit
        ? { type: 'requests', limit: budget.rpm_limit }
        : budget.tpm_limit !== null && window.tokens >= budget.tpm_limit
          ? { type: 'tokens', limit: budget.tpm_limit }
          : undefined;
    if (over !== undefined) {
      const until = new Date(window.until).toISOString().slice(0, 19).replace('T', ' ');
      const message = `Rate limit exceeded for end_user: ${endUser}. Limit type: ${over.type}. Current limit: ${over.limit}, Remaining: 0. Limit resets at: ${until} UTC`;
      throw proxyError(429, 'throttling_error', null, message);
    }
    window.requests += 1;
  }
}
