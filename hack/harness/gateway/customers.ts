import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import { readBody } from './body.ts';
import { badDuration, LIMIT_FIELDS } from './budgets.ts';
import { afterOnePeriod, parseDuration } from './duration.ts';
import { detailError, GatewayError, proxyError, validationError } from './errors.ts';
import { type Fields, readFields } from './fields.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { BudgetLimits, Customer, Records } from './records.ts';
import { customerWire, pythonList, pythonString } from './wire.ts';

const CUSTOMER_FIELDS = {
  user_id: { kind: 'string', required: true },
  alias: { kind: 'string', nullable: true },
  blocked: { kind: 'boolean' },
  budget_id: { kind: 'string', nullable: true },
  allowed_model_region: { kind: 'region', nullable: true },
  default_model: { kind: 'string', nullable: true },
  models: { kind: 'strings', nullable: true },
  object_permission: { kind: 'object', nullable: true },
} satisfies Fields;

const NEW_FIELDS = { ...CUSTOMER_FIELDS, ...LIMIT_FIELDS, spend: { kind: 'float', nullable: true } } satisfies Fields;

// `/customer/update` silently ignores all other fields: durations, rate limits, spend.
const UPDATE_FIELDS = { ...CUSTOMER_FIELDS, max_budget: { kind: 'float', nullable: true } } satisfies Fields;

const FOREIGN_KEY = 'Foreign key constraint failed on the field: `LiteLLM_EndUserTable_budget_id_fkey (index)`';

/** The message of errors about a value for which the real gateway prints a whole dictionary. */
const wrapped = (status: number, message: string): GatewayError =>
  proxyError(status, 'internal_server_error', null, `{'error': ${pythonString(message)}}`);

const failed = (message: string): GatewayError => proxyError(500, 'internal_server_error', null, message);

function notFound(param: string, message: string): GatewayError {
  return proxyError(404, 'not_found', param, message);
}

function permission(sent: JsonObject, id: string): JsonObject {
  const list = (name: string): Json => sent[name] ?? [];
  return {
    object_permission_id: id,
    mcp_servers: list('mcp_servers'),
    mcp_access_groups: list('mcp_access_groups'),
    mcp_tool_permissions: sent.mcp_tool_permissions ?? null,
    vector_stores: list('vector_stores'),
    agents: list('agents'),
    agent_access_groups: list('agent_access_groups'),
    models: list('models'),
    mcp_toolsets: list('mcp_toolsets'),
    blocked_tools: list('blocked_tools'),
    search_tools: list('search_tools'),
    mcp_tool_search_enabled: sent.mcp_tool_search_enabled ?? null,
    skills: list('skills'),
  };
}

/** @returns the columns of the budget row that `/customer/new` creates; undefined if it creates none */
function inlineLimits(body: JsonObject, now: Date): BudgetLimits | undefined {
  const names = Object.keys(LIMIT_FIELDS).filter((name) => body[name] !== undefined && body[name] !== null);
  if (names.length === 0) return undefined;
  const limits = Object.fromEntries(names.map((name) => [name, body[name]])) as BudgetLimits & JsonObject;
  if (typeof limits.budget_duration === 'string') {
    const duration = parseDuration(limits.budget_duration);
    if (duration === undefined) throw wrapped(400, badDuration(limits.budget_duration));
    limits.budget_reset_at ??= afterOnePeriod(duration, now).toISOString();
  }
  if (limits.model_max_budget !== undefined) {
    // The real gateway's database client fails here.
    throw wrapped(422, 'Syntax Error: Invalid number, expected digit but got: "o".');
  }
  return limits;
}

/**
 * Whether an update writes a field, as in the real gateway: it writes false and lists, but never null, 0 or an empty object.
 */
function isWritten(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === 0) return false;
  return !isObject(value) || Object.keys(value).length > 0;
}

function apply(customer: Customer, body: JsonObject): void {
  const columns = ['alias', 'blocked', 'budget_id', 'allowed_model_region', 'default_model', 'models', 'spend'];
  for (const name of columns) if (isWritten(body[name])) Object.assign(customer, { [name]: body[name] });
  const sent = body.object_permission;
  if (!isObject(sent) || !isWritten(sent)) return;
  const known = Object.entries(sent).filter(([, value]) => value !== null);
  customer.object_permission_id ??= randomUUID();
  const merged = { ...customer.object_permission, ...Object.fromEntries(known) };
  customer.object_permission = permission(merged, customer.object_permission_id);
}

/** @throws GatewayError 422 if a new customer has both a link to a budget and a budget of its own */
function checkSingleBudget(sent: unknown): void {
  if (!isObject(sent) || (sent.max_budget ?? null) === null || (sent.budget_id ?? null) === null) return;
  const msg = "Value error, Set either 'max_budget' or 'budget_id', not both.";
  throw validationError([{ type: 'value_error', loc: ['body'], msg }]);
}

/** @throws GatewayError 422 if a default model is not configured */
function checkModel(model: Json | undefined, models: readonly string[]): void {
  if (typeof model !== 'string' || models.includes(model)) return;
  const names = models.map(pythonString).join(', ');
  const message = `Default Model not on proxy. Configure via \`/model/new\` or config.yaml. Default_model=${model}, proxy_model_names={${names}}`;
  throw wrapped(422, message);
}

/** A page of the customers by id. @throws GatewayError 422 if a page has more than 100 rows, or is not counted from 1 */
function pageOf(customers: readonly Customer[], query: URLSearchParams): readonly Customer[] {
  const numberOf = (name: string, fallback: number, most: number): number => {
    const value = Number(query.get(name) ?? fallback);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw validationError([
      { type: 'less_than_equal', loc: ['query', name], msg: `Input should be from 1 to ${most}` },
    ]);
  };
  const size = numberOf('page_size', 50, 100);
  const first = (numberOf('page', 1, Number.MAX_SAFE_INTEGER) - 1) * size;
  return customers.toSorted((one, other) => (one.user_id < other.user_id ? -1 : 1)).slice(first, first + size);
}

/** The dependencies of the customer endpoints. */
export interface CustomerRoutesOptions {
  readonly records: Records;
  readonly proxyName: string;
  /** Names of the configured models. A `default_model` must be one of them. */
  readonly models: readonly string[];
  /** Whether the list has pages. */
  readonly pagedLists: boolean;
}

/** The endpoints `/customer/*`, also as `/end_user/*` (the older name), with the answers of the real gateway. */
export function customerRoutes(prefix: '/customer' | '/end_user', options: CustomerRoutesOptions): Router {
  const endpoints = new CustomerEndpoints(options);
  const router = new Router({ prefix });
  router.post('/new', (ctx) => endpoints.create(ctx));
  router.get('/info', (ctx) => {
    endpoints.read(ctx);
  });
  router.post('/update', (ctx) => endpoints.update(ctx));
  router.post('/delete', (ctx) => endpoints.delete(ctx));
  router.get('/list', (ctx) => {
    endpoints.list(ctx);
  });
  router.post('/block', (ctx) => endpoints.block(ctx));
  router.post('/unblock', (ctx) => endpoints.unblock(ctx));
  return router;
}

class CustomerEndpoints {
  readonly #records: Records;
  readonly #proxyName: string;
  readonly #models: readonly string[];
  readonly #pagedLists: boolean;

  constructor({ records, proxyName, models, pagedLists }: CustomerRoutesOptions) {
    this.#records = records;
    this.#proxyName = proxyName;
    this.#models = models;
    this.#pagedLists = pagedLists;
  }

  async create(ctx: Context): Promise<void> {
    const sent = await readBody(ctx);
    checkSingleBudget(sent);
    const body = readFields(sent, NEW_FIELDS);
    const id = body.user_id as string;
    checkModel(body.default_model, this.#models);
    const now = new Date();
    const limits = inlineLimits(body, now);
    // Creates the budget row first, as the real gateway does: it remains if the customer is rejected.
    if (limits !== undefined) body.budget_id = this.#records.addBudget(limits, now).budget_id;
    if (this.#records.customers.has(id)) {
      await this.#records.save();
      const message = `Customer already exists, passed user_id=${id}. Please pass a new user_id.`;
      throw proxyError(400, 'bad_request', 'user_id', message);
    }
    const budgetId = body.budget_id;
    if (typeof budgetId === 'string' && !this.#records.budgets.has(budgetId)) throw failed(FOREIGN_KEY);
    const customer = this.#records.addCustomer(id);
    apply(customer, body);
    await this.#records.save();
    ctx.body = this.#wire(customer);
  }

  read(ctx: Context): void {
    const id = ctx.URL.searchParams.get('end_user_id');
    if (id === null) throw validationError([{ type: 'missing', loc: ['query', 'end_user_id'], msg: 'Field required' }]);
    const customer = this.#records.customers.get(id);
    if (customer === undefined) throw notFound('end_user_id', `End User Id=${id} does not exist in db`);
    ctx.body = this.#wire(customer);
  }

  async update(ctx: Context): Promise<void> {
    const body = readFields(await readBody(ctx), UPDATE_FIELDS);
    const id = body.user_id as string;
    const customer = this.#records.customers.get(id);
    if (customer === undefined) throw notFound('user_id', `End User Id=${id} does not exist in db`);
    if (id === '') throw failed('user_id is required, passed user_id = ');
    this.#applyMaxBudget(customer, body);
    const budgetId = body.budget_id;
    if (typeof budgetId === 'string' && !this.#records.budgets.has(budgetId)) {
      await this.#records.save();
      throw failed(FOREIGN_KEY);
    }
    apply(customer, body);
    await this.#records.save();
    ctx.body = this.#wire(customer);
  }

  async delete(ctx: Context): Promise<void> {
    const { user_ids } = readFields(await readBody(ctx), { user_ids: { kind: 'strings', required: true } });
    const ids = user_ids as string[];
    if (ids.length === 0) throw failed('user_id is required, passed user_id = []');
    const unknown = ids.filter((id) => !this.#records.customers.has(id));
    if (unknown.length > 0) throw notFound('user_ids', `End User Id(s)=${unknown.join(', ')} do not exist in db`);
    const deleted = ids.filter((id) => this.#records.customers.delete(id)).length;
    await this.#records.save();
    ctx.body = {
      deleted_customers: deleted,
      message: `Successfully deleted customers with ids: ${pythonList(ids)}`,
    };
  }

  list(ctx: Context): void {
    const all = [...this.#records.customers.values()];
    const listed = this.#pagedLists ? pageOf(all, ctx.URL.searchParams) : all;
    ctx.body = listed.map((customer) => this.#wire(customer));
  }

  /** Blocks customers, then fails as the real gateway does. */
  async block(ctx: Context): Promise<void> {
    const { user_ids } = readFields(await readBody(ctx), { user_ids: { kind: 'strings', required: true } });
    for (const id of user_ids as string[]) {
      const customer = this.#records.customers.get(id) ?? this.#records.addCustomer(id);
      customer.blocked = true;
    }
    await this.#records.save();
    // The real gateway writes the rows, then fails to answer, and closes the connection.
    ctx.set('connection', 'close');
    throw new GatewayError(500, { error: { message: 'Internal server error', type: 'internal_server_error' } });
  }

  /** Rejects the call, as the real gateway does without its enterprise part. */
  async unblock(ctx: Context): Promise<void> {
    readFields(await readBody(ctx), { user_ids: { kind: 'strings', required: true } });
    const message =
      'Blocked user check was never set. This call has no effect.This uses the enterprise folder - only available on the Docker image.';
    throw detailError(400, message);
  }

  /** Writes the maximum to the linked budget row, even if other customers share it; links a new row if there is none. */
  #applyMaxBudget(customer: Customer, body: JsonObject): void {
    if (!isWritten(body.max_budget)) return;
    const maxBudget = body.max_budget as number;
    const now = new Date();
    const linked = customer.budget_id === null ? undefined : this.#records.budgets.get(customer.budget_id);
    // The update precedes a new link.
    if (linked !== undefined) Object.assign(linked, { max_budget: maxBudget, updated_at: now.toISOString() });
    else body.budget_id = this.#records.addBudget({ max_budget: maxBudget }, now).budget_id;
  }

  #wire(customer: Customer): unknown {
    return customerWire(customer, this.#records, this.#proxyName);
  }
}
