import { createHash, randomBytes } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import { readBody } from './body.ts';
import { badDuration } from './budgets.ts';
import { nextAlignedReset, parseDuration } from './duration.ts';
import { proxyError } from './errors.ts';
import { type Fields, readFields } from './fields.ts';
import type { JsonObject } from './json.ts';
import { pythonString } from './wire.ts';

const KEY_FIELDS = {
  key_alias: { kind: 'string', nullable: true },
  user_id: { kind: 'string', nullable: true },
  team_id: { kind: 'string', nullable: true },
  models: { kind: 'strings', nullable: true },
  spend: { kind: 'float', nullable: true },
  max_budget: { kind: 'float', nullable: true },
  budget_duration: { kind: 'string', nullable: true },
  tpm_limit: { kind: 'integer', nullable: true },
  rpm_limit: { kind: 'integer', nullable: true },
  max_parallel_requests: { kind: 'integer', nullable: true },
  metadata: { kind: 'object', nullable: true },
} satisfies Fields;
const KEY = { key: { kind: 'string', required: true } } satisfies Fields;

/** A row of the key table. Its id is the hash of the key. Keys are kept in memory only, and the echo model accepts none of them. */
type KeyRecord = JsonObject & { readonly token: string };

const wrapped = (status: number, message: string): Error =>
  proxyError(status, 'internal_server_error', null, `{'error': ${pythonString(message)}}`);

/** The endpoints `/key/*`, with the answers of the real gateway. */
export function keyRoutes(): Router {
  const endpoints = new KeyEndpoints();
  const router = new Router({ prefix: '/key' });
  router.post('/generate', (ctx) => endpoints.generate(ctx));
  router.post('/update', (ctx) => endpoints.update(ctx));
  router.post('/delete', (ctx) => endpoints.delete(ctx));
  router.get('/list', (ctx) => {
    endpoints.list(ctx);
  });
  return router;
}

class KeyEndpoints {
  readonly #rows = new Map<string, KeyRecord>();
  #last = 0;

  async generate(ctx: Context): Promise<void> {
    const body = readFields(await readBody(ctx), KEY_FIELDS);
    check(body);
    const alias = body.key_alias;
    if (typeof alias === 'string' && [...this.#rows.values()].some((row) => row.key_alias === alias)) {
      const message = `Key with alias ${pythonString(alias)} already exists. Unique key aliases across all keys are required.`;
      throw proxyError(400, 'bad_request_error', 'key_alias', message);
    }
    const key = `sk-${randomBytes(16).toString('base64url')}`;
    const token = createHash('sha256').update(key).digest('hex');
    // Two keys never have the same time at the real gateway, whose database needs some milliseconds for each.
    this.#last = Math.max(Date.now(), this.#last + 1);
    const none = Object.fromEntries(Object.keys(KEY_FIELDS).map((name) => [name, null]));
    const created = { token, created_at: new Date(this.#last).toISOString() };
    this.#rows.set(token, { ...none, models: [], spend: 0, metadata: {}, ...columns(body), ...created });
    ctx.body = { ...this.#rows.get(token), key };
  }

  async update(ctx: Context): Promise<void> {
    const { key, ...body } = readFields(await readBody(ctx), { ...KEY_FIELDS, ...KEY });
    check(body);
    const row = this.#rows.get(key as string);
    if (row === undefined) throw proxyError(404, 'not_found_error', 'key', 'Key not found.');
    this.#rows.set(row.token, { ...row, ...columns(body) });
    ctx.body = { ...this.#rows.get(row.token), key };
  }

  async delete(ctx: Context): Promise<void> {
    const { keys } = readFields(await readBody(ctx), { keys: { kind: 'strings', required: true } });
    const tokens = keys as string[];
    if (!tokens.some((token) => this.#rows.has(token))) throw wrapped(404, 'No keys found');
    for (const token of tokens) this.#rows.delete(token);
    ctx.body = { deleted_keys: tokens };
  }

  list(ctx: Context): void {
    const user = ctx.query.user_id;
    const keys = [...this.#rows.values()].filter((row) => user === undefined || row.user_id === user).reverse();
    ctx.body = { keys, total_count: keys.length, current_page: 1, total_pages: 1 };
  }
}

function check({ max_budget: amount, budget_duration: duration }: JsonObject): void {
  if (typeof amount === 'number' && amount < 0) {
    throw wrapped(400, `max_budget must be a non-negative finite number. Received: ${amount}`);
  }
  if (typeof duration === 'string' && parseDuration(duration) === undefined) throw wrapped(400, badDuration(duration));
}

/** @returns the columns to write: the sent fields, and the next reset if the period changes */
function columns(body: JsonObject): JsonObject {
  const { budget_duration: duration } = body;
  if (duration === undefined) return body;
  const period = typeof duration === 'string' ? parseDuration(duration) : undefined;
  const reset = period === undefined ? null : nextAlignedReset(period, new Date()).toISOString();
  return { ...body, budget_reset_at: reset };
}
