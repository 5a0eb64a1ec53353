/**
 * The quirks of LiteLLM's admin API (observed on 1.106.2 with its database). Status codes and fields identify them; the
 * text of a message only selects a better explanation. There is one exception: a 404 means a missing customer only if
 * its message names the requested customer.
 *
 * The order and the shape of the operator's calls avoid further quirks:
 * - `/customer/update` ignores limits other than max_budget, and ignores null and 0: limits are in a budget row of
 *   their own.
 * - `/customer/update {max_budget}` writes into the linked budget row even if it is a shared tier: never sent there.
 * - `/customer/new` with limits creates a budget row before it detects a duplicate: never sent with limits if rows
 *   exist.
 * - An unknown budget_id results in a 500 ("foreign key"): the operator looks up the tier before it links to it.
 * - Some fields are recorded and not enforced: see {@link unenforced}.
 * - A customer's budget link cannot be cleared: the operator links it to a new row and deletes that row.
 */
import type { GatewayOperation } from './errors.ts';
import { type Field, type Fields, fieldsOf, isEmpty } from './fields.ts';
import type { BudgetRow, CustomerRow, ErrorBody } from './schemas.ts';

/**
 * The lists of `object_permission`. `/customer/update` accepts a change only if it names every list: it reads an absent
 * list as null, which its database rejects (500). `/customer/new` fills in absent lists.
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

/** Whether a record comes from LiteLLM, with any proxy name. Only LiteLLM reports a field `*_budget_table`. */
export function isLiteLlm(row: CustomerRow): boolean {
  return Object.keys(row).some((field) => field.endsWith('_budget_table'));
}

/** The linked budget row. Its field has the proxy's name: `litellm_budget_table`, `gateway_budget_table`. */
export function linkedBudget(row: CustomerRow): unknown {
  for (const [field, value] of Object.entries(row)) {
    if (field.endsWith('_budget_table') && value !== null) return value;
  }
  return undefined;
}

/** Whether a rejected `/customer/new` means that the customer exists: 409, or LiteLLM's 400 about the field user_id. */
export function reportsDuplicate(operation: GatewayOperation, status: number, body: ErrorBody | undefined): boolean {
  if (operation !== 'POST /customer/new') return false;
  const error = body?.error;
  return (
    status === 409 ||
    (status === 400 && typeof error === 'object' && error?.param === 'user_id' && error.type === 'bad_request')
  );
}

/**
 * Whether a 404 is LiteLLM's own response that this id does not exist. Other 404s are not trusted: API gateways, wrong
 * paths and clusters return 404 too, mostly in JSON.
 */
export function reportsMissingCustomer(customerId: string, body: ErrorBody | undefined): boolean {
  const error = body?.error;
  if (typeof error !== 'object' || error?.type !== 'not_found') return false;
  const names = ['end_user_id', 'user_id', 'user_ids'].includes(error.param ?? '');
  return names && error.message?.includes(`=${customerId} do`) === true;
}

/** Whether a 404 comes from a web framework or is an HTML page. Such a 404 refers to the path, never to a customer. */
export function reportsMissingPath(text: string, body: ErrorBody | undefined): boolean {
  if (body !== undefined) return body.detail === 'Not Found';
  return text.trim() !== '';
}

/** Whether `/customer/delete` confirms the deletion of one customer. Only LiteLLM returns this count. */
export function confirmsDeletion(response: Readonly<Record<string, unknown>>): boolean {
  return response.deleted_customers === 1;
}

/** Reads `null` as a missing row: `/budget/update` and `/budget/delete` return 200 with `null` for it. */
export function rowOrNone(row: BudgetRow | null): BudgetRow | undefined {
  return row ?? undefined;
}

/** The message for a budget tier that the gateway does not know. */
export const missingBudget =
  'The gateway has no budget with the id in spec.budgetId: create the budget at the gateway, or correct the id. With spec.budgetRef, the operator creates the budget again.';

const explanations: readonly { readonly text: RegExp; readonly sentence: string }[] = [
  {
    text: /Default Model not on proxy/,
    sentence:
      'The gateway does not serve the model in spec.defaultModel: add the model to the gateway, or set another model.',
  },
  {
    text: /Foreign key constraint failed|budget_id_fkey/,
    sentence: missingBudget,
  },
  {
    text: /Invalid budget_duration/,
    sentence: 'The gateway does not accept spec.budgetDuration: set a value such as 1d, 7d or 30d.',
  },
  {
    text: /Set either 'max_budget' or 'budget_id'/,
    sentence: 'The gateway accepts either maxBudget or budgetId: set only one of the two.',
  },
  {
    text: /DB not connected|Not connected to DB/,
    sentence: 'The gateway has no database connection and cannot store customers: connect it to a database.',
  },
  {
    text: /IP address \S+ not allowed/,
    sentence:
      "The gateway does not accept the operator's IP address: add it to general_settings.allowed_ips of the gateway.",
  },
  {
    text: /Invalid model_max_budget/,
    sentence:
      'The gateway accepts spec.modelMaxBudget only with an enterprise licence: remove the field, or add a licence to the gateway.',
  },
  {
    text: /enterprise|Enterprise/,
    sentence: 'The gateway requires an enterprise licence for this call.',
  },
];

/** The explanation of a known failure; undefined if the failure is unknown. */
export function explain(text: string): string | undefined {
  return explanations.find((known) => known.text.test(text))?.sentence;
}

/** The settings of a proxy configuration that make LiteLLM enforce more fields. */
export interface EnforcementSettings {
  /** The callback `blocked_user_check`. LiteLLM does not start with it unless it has an enterprise licence. */
  readonly blockedUserCheck: boolean;
  /** The router's `enable_pre_call_checks`. With it, the router selects a model of the customer's region. */
  readonly preCallChecks: boolean;
  /** Whether the guardrail of the instance enforces who may call. */
  readonly guardrail?: boolean;
}

/** A field that the gateway records and does not enforce. */
export interface Unenforced {
  readonly field: Field;
  /** The remedy. It follows "for <field>,". */
  readonly remedy: string;
}

interface RecordedOnly {
  readonly remedy: string;
  readonly enforced?: (settings: EnforcementSettings, desired: Fields) => boolean;
}

/**
 * The fields that LiteLLM records and does not enforce (agents from its source), and the settings that enforce them. LiteLLM
 * enforces all other recorded fields.
 */
const recordedOnly: Readonly<Partial<Record<Field, RecordedOnly>>> = {
  defaultModel: { remedy: 'name the model in each call' },
  allowedModelRegion: {
    remedy:
      'set router_settings.enable_pre_call_checks to true and region_name on each model in the proxy configuration',
    enforced: ({ preCallChecks }) => preCallChecks,
  },
  blocked: {
    remedy:
      'set rpmLimit to 0, let the guardrail of the instance enforce it, or load the enterprise callback blocked_user_check in the proxy configuration',
    // LiteLLM enforces a limit of zero requests, which has the same effect.
    enforced: ({ blockedUserCheck, guardrail = false }, { rpmLimit }) =>
      guardrail || blockedUserCheck || rpmLimit === 0,
  },
  'objectPermission.vectorStores': { remedy: 'restrict the virtual key or team that calls for the customer' },
  'objectPermission.agents': { remedy: 'restrict the virtual key or team that calls for the customer' },
};

/** The desired fields that a gateway records and does not enforce. Fields without a value are omitted. */
export function unenforced(
  desired: Fields,
  { isLiteLlm }: { readonly isLiteLlm: boolean },
  settings: EnforcementSettings,
): readonly Unenforced[] {
  if (!isLiteLlm) return [];
  return fieldsOf(desired).flatMap((field) => {
    const known = recordedOnly[field];
    if (known === undefined || isEmpty(desired[field]) || known.enforced?.(settings, desired) === true) return [];
    return [{ field, remedy: known.remedy }];
  });
}
