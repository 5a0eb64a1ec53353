/**
 * What LiteLLM does that an admin API should not, in one place (observed on 1.106.2 with its database). It is told by
 * status codes and fields; the text of a message chooses a better explanation. One text decides what happens next: a 404
 * counts as a missing customer where it names the customer that was asked for.
 *
 * Oddities that have no line here, because the order and the shape of our calls avoid them:
 * - `/customer/update` ignores limits other than max_budget, null and 0: limits live in a budget row of their own.
 * - `/customer/update {max_budget}` writes into the linked budget row even when it is a shared tier: never sent there.
 * - `/customer/new` with limits makes a budget row before it finds a duplicate: never sent with limits where rows exist.
 * - An unknown budget_id is a 500 ("foreign key"): we ask for the tier before we link to it.
 * - Some fields are recorded and not acted on: enforcement.ts says which.
 * - A customer's budget link cannot be cleared: we link to a row of our own and delete that.
 */
import type { GatewayOperation } from './errors.ts';
import type { BudgetRow, CustomerRow, ErrorBody } from './schemas.ts';

/** What to send in `/customer/update` so that a field is empty afterwards, where null is ignored. */
export const clearedBy = {
  alias: '',
  default_model: '',
  // Stays as it was: only eu and us are taken, null is ignored. Gateways that do clear it do so by null.
  allowed_model_region: null,
  blocked: false,
  models: [],
  metadata: {},
} as const;

/**
 * The lists of `object_permission`. `/customer/update` takes a change of them only when it names every one: those left out
 * are taken for null, which its database refuses (500). `/customer/new` fills them in.
 */
export const permissionLists = [
  'mcp_servers',
  'mcp_access_groups',
  'vector_stores',
  'agents',
  'agent_access_groups',
  'models',
  'mcp_toolsets',
  'blocked_tools',
  'search_tools',
  'skills',
] as const;

/** An empty string stands for "none": it is how a text is cleared. */
export function textOrNone(value: string | null | undefined): string | undefined {
  return value === null || value === '' ? undefined : value;
}

/**
 * Whether a record is one of LiteLLM, under whatever name the proxy goes: no other gateway tells its budget table by name.
 */
export function isLiteLlm(row: CustomerRow): boolean {
  return Object.keys(row).some((field) => field.endsWith('_budget_table'));
}

/** The budget row that a customer is linked to, under the proxy's own name: `litellm_budget_table`, `gateway_budget_table`. */
export function linkedBudget(row: CustomerRow): unknown {
  for (const [field, value] of Object.entries(row)) {
    if (field.endsWith('_budget_table') && value !== null) return value;
  }
  return undefined;
}

/** Whether a refused `/customer/new` says that the customer exists: 409, or LiteLLM's 400 about the field user_id. */
export function saysAlreadyExists(operation: GatewayOperation, status: number, body: ErrorBody | undefined): boolean {
  if (operation !== 'POST /customer/new') return false;
  const error = body?.error;
  return (
    status === 409 ||
    (status === 400 && typeof error === 'object' && error?.param === 'user_id' && error.type === 'bad_request')
  );
}

/**
 * Whether a 404 is LiteLLM's own answer that it has no customer of this very id. Only that is taken at its word: an API
 * gateway, a wrong path and a cluster answer 404 too, mostly in JSON.
 */
export function saysNoSuchCustomer(customerId: string, body: ErrorBody | undefined): boolean {
  const error = body?.error;
  if (typeof error !== 'object' || error?.type !== 'not_found') return false;
  const names = ['end_user_id', 'user_id', 'user_ids'].includes(error.param ?? '');
  return names && error.message?.includes(`=${customerId} do`) === true;
}

/**
 * Whether a 404 comes from a web framework or a page for people, and so tells of the path: it is never about a customer.
 */
export function saysNoSuchPath(text: string, body: ErrorBody | undefined): boolean {
  if (body !== undefined) return body.detail === 'Not Found';
  return text.trim() !== '';
}

/** Whether `/customer/delete` says how many customers it has deleted, as LiteLLM does, and it is one. */
export function saysDeleted(answer: Readonly<Record<string, unknown>>): boolean {
  return answer.deleted_customers === 1;
}

/** `/budget/update` and `/budget/delete` answer 200 with `null` where there is no such row. */
export function rowOrNone(row: BudgetRow | null): BudgetRow | undefined {
  return row ?? undefined;
}

const explanations: readonly { readonly text: RegExp; readonly sentence: string }[] = [
  {
    text: /Default Model not on proxy/,
    sentence: 'spec.defaultModel is not a model of the gateway: name one that it serves, or add the model there first.',
  },
  {
    text: /Foreign key constraint failed|budget_id_fkey/,
    sentence: 'spec.budgetId names no budget of the gateway: create that budget there first, or correct the id.',
  },
  {
    text: /Invalid budget_duration/,
    sentence: 'The gateway does not take spec.budgetDuration: write it like 1d, 7d or 30d.',
  },
  {
    text: /Set either 'max_budget' or 'budget_id'/,
    sentence: 'The gateway takes either a budget of its own or a tier: set maxBudget or budgetId, not both.',
  },
  {
    text: /DB not connected|Not connected to DB/,
    sentence: 'The gateway has no database, without which it keeps no customers: connect it to one.',
  },
  {
    text: /enterprise|Enterprise/,
    sentence: 'The gateway asks for its enterprise licence to do this.',
  },
];

/** A sentence of ours for a failure that we know, or undefined. */
export function explain(text: string): string | undefined {
  return explanations.find((known) => known.text.test(text))?.sentence;
}
