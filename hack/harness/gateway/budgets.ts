import Router from '@koa/router';
import type { Context } from 'koa';
import { readBody } from './body.ts';
import { nextAlignedReset, parseDuration } from './duration.ts';
import { detailError, GatewayError } from './errors.ts';
import { type Fields, readFields } from './fields.ts';
import { float, type JsonObject } from './json.ts';
import type { BudgetLimits, Records } from './records.ts';
import { budgetWire } from './wire.ts';

/** The limits of a budget, as parameters of `/budget/new`, `/budget/update` and `/customer/new`. */
export const LIMIT_FIELDS = {
  max_budget: { kind: 'float', nullable: true },
  soft_budget: { kind: 'float', nullable: true },
  max_parallel_requests: { kind: 'integer', nullable: true },
  tpm_limit: { kind: 'integer', nullable: true },
  rpm_limit: { kind: 'integer', nullable: true },
  tpd_limit: { kind: 'integer', nullable: true },
  budget_duration: { kind: 'string', nullable: true },
  model_max_budget: { kind: 'object', nullable: true },
  budget_reset_at: { kind: 'time', nullable: true },
} satisfies Fields;

const BUDGET_FIELDS = { budget_id: { kind: 'string', nullable: true }, ...LIMIT_FIELDS } satisfies Fields;

/** @returns the real gateway's message about an invalid duration */
export function badDuration(text: string): string {
  return `Invalid budget_duration '${text}'. Use a format like '1h', '24h', '7d', or '30d'.`;
}

const NO_LICENCE =
  'Invalid model_max_budget: You must have an enterprise license to set model_max_budget. You must be a LiteLLM Enterprise user to use this feature. If you have a license please set `LITELLM_LICENSE` in your env. Get a 7 day trial key here: https://www.litellm.ai/enterprise#trial. \nPricing: https://www.litellm.ai/#pricing. Example of valid model_max_budget: https://docs.litellm.ai/docs/proxy/users';

/** @throws GatewayError 400 for values that the budget endpoints reject */
function checkLimits(body: JsonObject): void {
  for (const name of ['max_budget', 'soft_budget']) {
    const amount = body[name];
    if (typeof amount !== 'number' || (Number.isFinite(amount) && amount >= 0)) continue;
    const received = JSON.stringify(float(amount));
    throw detailError(400, `${name} must be a non-negative finite number. Received: ${received}`);
  }
  const duration = body.budget_duration;
  if (typeof duration === 'string' && parseDuration(duration) === undefined)
    throw detailError(400, badDuration(duration));
  const perModel = body.model_max_budget;
  if (perModel !== undefined && perModel !== null && Object.keys(perModel).length > 0)
    throw detailError(400, NO_LICENCE);
}

/** @returns the columns to write: the sent fields, and the next reset if the period changes */
function columns(body: JsonObject, now: Date): BudgetLimits {
  const { budget_id: _id, model_max_budget: _perModel, ...limits } = body;
  const duration = limits.budget_duration;
  if (duration === undefined || limits.budget_reset_at !== undefined) return limits;
  const period = typeof duration === 'string' ? parseDuration(duration) : undefined;
  return { ...limits, budget_reset_at: period === undefined ? null : nextAlignedReset(period, now).toISOString() };
}

/** The endpoints `/budget/*`, with the answers of the real gateway. */
export function budgetRoutes(records: Records): Router {
  const endpoints = new BudgetEndpoints(records);
  const router = new Router({ prefix: '/budget' });
  router.post('/new', (ctx) => endpoints.create(ctx));
  router.post('/update', (ctx) => endpoints.update(ctx));
  router.post('/info', (ctx) => endpoints.read(ctx));
  router.post('/delete', (ctx) => endpoints.delete(ctx));
  router.get('/list', (ctx) => {
    endpoints.list(ctx);
  });
  return router;
}

class BudgetEndpoints {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async create(ctx: Context): Promise<void> {
    const body = readFields(await readBody(ctx), BUDGET_FIELDS);
    checkLimits(body);
    const id = typeof body.budget_id === 'string' ? body.budget_id : undefined;
    if (id !== undefined && this.#records.budgets.has(id))
      throw detailError(400, `Budget with id '${id}' already exists.`);
    const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    const budget = this.#records.addBudget(columns(sent, new Date()), new Date(), id);
    await this.#records.save();
    ctx.body = budgetWire(budget);
  }

  async update(ctx: Context): Promise<void> {
    const body = readFields(await readBody(ctx), BUDGET_FIELDS);
    const id = body.budget_id;
    if (typeof id !== 'string') throw detailError(400, 'budget_id is required');
    checkLimits(body);
    const budget = this.#records.budgets.get(id);
    // The real gateway answers null for an unknown id, without an error.
    if (budget === undefined) throw new GatewayError(200, null);
    Object.assign(budget, columns(body, new Date()), { updated_at: new Date().toISOString() });
    await this.#records.save();
    ctx.body = budgetWire(budget);
  }

  async read(ctx: Context): Promise<void> {
    const { budgets } = readFields(await readBody(ctx), { budgets: { kind: 'strings', required: true } });
    const ids = budgets as string[];
    if (ids.length === 0) throw detailError(400, "Specify list of budget id's to query. Passed in=[]");
    ctx.body = [...this.#records.budgets.values()].filter((budget) => ids.includes(budget.budget_id)).map(budgetWire);
  }

  async delete(ctx: Context): Promise<void> {
    const { id } = readFields(await readBody(ctx), { id: { kind: 'string', required: true } });
    const budget = this.#records.budgets.get(id as string);
    if (budget === undefined) throw new GatewayError(200, null);
    this.#records.deleteBudget(budget.budget_id);
    await this.#records.save();
    ctx.body = budgetWire(budget);
  }

  list(ctx: Context): void {
    ctx.body = [...this.#records.budgets.values()].map(budgetWire);
  }
}
