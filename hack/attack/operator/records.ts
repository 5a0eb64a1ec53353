/** The records that a gateway has, and those that it should have. */
import { request } from 'undici';

/** The fields of a customer record that attacks compare. */
export interface GatewayRecord {
  readonly alias: string | null;
  readonly blocked: boolean;
  readonly maxBudget: number | null;
}

/** All customers of a gateway by their ids. */
export type RecordsById = Readonly<Record<string, GatewayRecord>>;

interface WireCustomer {
  readonly user_id: string;
  readonly alias?: string | null;
  readonly blocked?: boolean;
  readonly litellm_budget_table?: { readonly max_budget?: number | null } | null;
}

/** The gateway's admin API, called directly and not through the operator. */
export class Admin {
  readonly #url: () => string;
  readonly #masterKey: string;

  constructor(url: () => string, masterKey: string) {
    this.#url = url;
    this.#masterKey = masterKey;
  }

  /** @throws Error if the status is not 200 */
  async call(path: string, body?: object): Promise<unknown> {
    const answer = await request(`${this.#url()}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.#masterKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path} returned status ${answer.statusCode}: ${text}`);
    return JSON.parse(text) as unknown;
  }

  /** @returns all customer records. */
  async records(): Promise<RecordsById> {
    const all = (await this.call('/customer/list')) as WireCustomer[];
    return Object.fromEntries(
      all.map(({ user_id, alias, blocked, litellm_budget_table: budget }) => [
        user_id,
        { alias: alias ?? null, blocked: blocked ?? false, maxBudget: budget?.max_budget ?? null },
      ]),
    );
  }

  /** @returns the ids of all budget rows. */
  async budgets(): Promise<string[]> {
    return ((await this.call('/budget/list')) as { budget_id: string }[]).map(({ budget_id }) => budget_id);
  }
}

/** @returns the differences between the actual and the expected records. Pure. */
export function differences(expected: RecordsById, found: RecordsById): string[] {
  const ids = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
  return ids.flatMap((id) => {
    const [desired, actual] = [expected[id], found[id]];
    if (desired === undefined) return [`the gateway still has customer ${id}`];
    if (actual === undefined) return [`the gateway has no customer ${id}`];
    const fields = (['alias', 'blocked', 'maxBudget'] as const).filter((field) => desired[field] !== actual[field]);
    return fields.map(
      (field) => `${field} of customer ${id} is ${String(actual[field])}, expected ${String(desired[field])}`,
    );
  });
}
