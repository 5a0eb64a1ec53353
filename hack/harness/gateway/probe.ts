import { isObject, type Json, type JsonObject } from './json.ts';

/** One call of the admin API: method, path and body. With `key` null, no key is sent. */
type Step = readonly [method: 'GET' | 'POST', path: string, body?: JsonObject | undefined, key?: string | null];

const G = 'GET';
const P = 'POST';

/**
 * Every call of the admin API that matters to a client. The order provides each call with the records that it needs. The steps
 * run against any gateway, so that two gateways can be compared.
 */
export const STEPS: readonly Step[] = [
  [G, '/customer/list', undefined, null],
  [G, '/customer/list', undefined, 'sk-wrong'],
  [P, '/customer/new', { user_id: 'x' }, 'sk-wrong'],
  [P, '/customer/new', { user_id: 'x' }, 'not-a-key'],

  [P, '/customer/new', { user_id: 'a' }],
  [P, '/customer/new', { user_id: 'a' }],
  [P, '/customer/new', {}],
  [P, '/customer/new', { user_id: 5 }],
  [P, '/customer/new', { user_id: '' }],
  [
    P,
    '/customer/new',
    {
      user_id: 'b',
      alias: 'Bee',
      blocked: true,
      max_budget: 10.5,
      budget_duration: '30d',
      tpm_limit: 1000,
      rpm_limit: 60,
      max_parallel_requests: 3,
      soft_budget: 5,
      allowed_model_region: 'eu',
      default_model: 'gpt-4o-mini',
      models: ['gpt-4o-mini'],
      spend: 1.25,
    },
  ],
  [P, '/customer/new', { user_id: 'c', default_model: 'no-such-model' }],
  [P, '/customer/new', { user_id: 'c', models: ['no-such-model'] }],
  [P, '/customer/new', { user_id: 'c2', budget_id: 'nope' }],
  [P, '/customer/new', { user_id: 'c3', max_budget: 1, budget_id: 'nope' }],
  [P, '/customer/new', { user_id: 'c4', allowed_model_region: 'mars' }],
  [P, '/customer/new', { user_id: 'c5', budget_duration: 'soon' }],
  [P, '/customer/new', { user_id: 'c6', max_budget: -1 }],
  [P, '/customer/new', { user_id: 'c7', max_budget: 0 }],
  [P, '/customer/new', { user_id: 'c8', max_budget: null, alias: null, budget_duration: '1d' }],
  [P, '/customer/new', { user_id: 'c9', metadata: { a: 1 } }],
  [P, '/customer/new', { user_id: 'c10', unknown_field: 1 }],
  [P, '/customer/new', { user_id: 'c11', model_max_budget: { 'gpt-4o-mini': { budget_limit: 1, time_period: '1d' } } }],
  [P, '/customer/new', { user_id: 'c12', object_permission: { vector_stores: ['v1'] } }],
  [
    P,
    '/customer/new',
    {
      user_id: 'c13',
      tpd_limit: 7,
      allowed_models: ['fast'],
      budget_reset_at: '2030-01-01T00:00:00Z',
      max_budget: 3,
    },
  ],
  [P, '/end_user/new', { user_id: 'eu' }],

  [G, '/customer/info?end_user_id=b'],
  [G, '/customer/info?end_user_id=nobody'],
  [G, '/customer/info'],
  [G, '/customer/info?end_user_id=b', undefined, 'sk-wrong'],

  [P, '/customer/update', { user_id: 'nobody', alias: 'x' }],
  [P, '/customer/update', { alias: 'x' }],
  [P, '/customer/update', { user_id: 'a', alias: 'Aye' }],
  [P, '/customer/update', { user_id: 'a', alias: null }],
  [P, '/customer/update', { user_id: 'a', alias: '' }],
  [P, '/customer/update', { user_id: 'a', blocked: true }],
  [P, '/customer/update', { user_id: 'a', alias: 'Aye2' }],
  [P, '/customer/update', { user_id: 'a', blocked: false }],
  [P, '/customer/update', { user_id: 'a', max_budget: 7 }],
  [P, '/customer/update', { user_id: 'a', max_budget: 8, tpm_limit: 5 }],
  [P, '/customer/update', { user_id: 'a', budget_duration: '7d' }],
  [P, '/customer/update', { user_id: 'a', max_budget: 0 }],
  [P, '/customer/update', { user_id: 'a', max_budget: null }],
  [P, '/customer/update', { user_id: 'a', default_model: 'no-such-model' }],
  [P, '/customer/update', { user_id: 'a', default_model: 'fast' }],
  [P, '/customer/update', { user_id: 'a', default_model: '' }],
  [P, '/customer/update', { user_id: 'a', allowed_model_region: 'us' }],
  [P, '/customer/update', { user_id: 'a', models: ['fast'] }],
  [P, '/customer/update', { user_id: 'a', models: [] }],
  [P, '/customer/update', { user_id: 'a', models: null }],
  [P, '/customer/update', { user_id: 'a', spend: 3.5 }],
  [P, '/customer/update', { user_id: 'a', budget_duration: 'soon' }],
  [P, '/customer/update', { user_id: 'a', unknown_field: 3 }],
  [P, '/customer/update', { user_id: 'a' }],
  [P, '/customer/update', { user_id: 'a', budget_reset_at: '2031-01-01T00:00:00Z' }],
  [P, '/customer/update', { user_id: 'a', model_max_budget: { fast: { budget_limit: 2, time_period: '1d' } } }],

  [P, '/budget/new', { budget_id: 'free', max_budget: 1, budget_duration: '1d', tpm_limit: 10 }],
  [P, '/budget/new', { budget_id: 'free', max_budget: 2 }],
  [P, '/budget/new', { max_budget: 3 }],
  [P, '/budget/new', {}],
  [P, '/budget/new', { budget_id: 'bad', budget_duration: 'soon' }],
  [P, '/budget/new', { budget_id: 'neg', max_budget: -4 }],
  [P, '/budget/new', { budget_id: 'zero', max_budget: 0 }],
  [
    P,
    '/budget/new',
    {
      budget_id: 'all',
      max_budget: 1,
      soft_budget: 1,
      max_parallel_requests: 2,
      rpm_limit: 3,
      model_max_budget: { fast: { budget_limit: 1, time_period: '1d' } },
      budget_reset_at: '2030-01-01T00:00:00Z',
    },
  ],
  [P, '/budget/info', { budgets: ['free'] }],
  [P, '/budget/info', { budgets: ['nope'] }],
  [P, '/budget/info', { budgets: [] }],
  [P, '/budget/info', {}],
  [P, '/budget/info', { budgets: ['free', 'nope', 'zero'] }],
  [P, '/budget/update', { budget_id: 'free', max_budget: 9 }],
  [P, '/budget/update', { budget_id: 'free', max_budget: null, tpm_limit: null }],
  [P, '/budget/update', { budget_id: 'free', budget_duration: '2d' }],
  [P, '/budget/update', { budget_id: 'nope', max_budget: 9 }],
  [P, '/budget/update', { max_budget: 9 }],
  [G, '/budget/list'],
  [G, '/budget/settings?budget_id=free'],
  [G, '/budget/list', undefined, 'sk-wrong'],

  [P, '/customer/new', { user_id: 's1', budget_id: 'free' }],
  [P, '/customer/new', { user_id: 's2', budget_id: 'free', budget_duration: '1d' }],
  [P, '/customer/update', { user_id: 's1', max_budget: 77 }],
  [P, '/budget/info', { budgets: ['free'] }],
  [P, '/customer/update', { user_id: 's1', budget_id: 'zero' }],
  [P, '/customer/update', { user_id: 's1', budget_id: null }],
  [P, '/customer/update', { user_id: 's1', budget_id: '' }],
  [P, '/customer/update', { user_id: 's1', budget_id: 'nope' }],
  [P, '/customer/update', { user_id: 's1', budget_id: 'free', max_budget: 6 }],
  [P, '/budget/info', { budgets: ['free', 'zero'] }],
  [P, '/budget/delete', { id: 'zero' }],
  [P, '/budget/delete', { id: 'nope' }],
  [P, '/budget/delete', {}],
  [P, '/budget/delete', { id: 'free' }],
  [G, '/customer/info?end_user_id=s1'],

  [P, '/customer/block', { user_ids: ['a', 'newbie'] }],
  [P, '/customer/unblock', { user_ids: ['a'] }],
  [G, '/customer/info?end_user_id=newbie'],
  [G, '/customer/list?page=1&page_size=2'],

  [P, '/customer/delete', { user_ids: ['a', 'nobody'] }],
  [G, '/customer/info?end_user_id=a'],
  [P, '/customer/delete', { user_ids: ['a', 'b'] }],
  [P, '/customer/delete', { user_ids: [] }],
  [P, '/customer/delete', {}],
  [P, '/customer/delete', { user_ids: ['a'] }],
  [P, '/customer/new', { user_id: 'a' }],
  [G, '/budget/list'],
];

/** The answer of a gateway to a step, without the values that differ between runs. */
export interface Exchange {
  /** `POST /customer/new {"user_id": "a"}` */
  readonly request: string;
  readonly status: number;
  /** The body, with random ids numbered in order of appearance, and times as `<timeZ>`. */
  readonly text: string;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /20\d\d-\d\d-\d\dT[\d:.]+(Z|\+00:00)?/g;

/** @returns JSON with a space after each comma and colon, as Python prints it */
export function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${spaced(field)}`);
  return `{${fields.join(', ')}}`;
}

/**
 * Runs every step.
 * @param url the gateway's base URL. The gateway must have no customers and no budgets.
 * @param masterKey the key for steps that name none
 */
export async function probe(url: string, masterKey: string): Promise<Exchange[]> {
  const ids = new Map<string, string>();
  const exchanges: Exchange[] = [];
  for (const [method, path, body, key = masterKey] of STEPS) {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const raw = await response.text();
    const numbered = raw.replace(UUID, (id) => {
      const name = ids.get(id) ?? `<uuid${ids.size + 1}>`;
      ids.set(id, name);
      return name;
    });
    const text = numbered.replace(TIME, (_, zone: string | undefined) => `<time${zone ?? '-naive'}>`);
    exchanges.push({
      request: `${method} ${path} ${body === undefined ? '' : spaced(body)}`,
      status: response.status,
      text,
    });
  }
  return exchanges;
}
