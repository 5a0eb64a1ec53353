/** Reads a customer list: as a whole, or not at all. Pure. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { HASH_LENGTH, LineTable } from './lineTable.ts';
import type { ListHash } from './listHash.ts';
import {
  checksumOf,
  customerListRevision,
  MAX_SHARDS,
  POLICY,
  shardOf,
  shardOfPolicy,
  VERSION,
  type ShardHeader,
  type UnknownCustomers,
} from './writeList.ts';

/** What the list says about a customer. */
export interface CustomerRules {
  readonly blocked: boolean;
  /** undefined: every caller may call for the customer. */
  readonly callers: { readonly teams: ReadonlySet<ListHash>; readonly keys: ReadonlySet<ListHash> } | undefined;
  /** The revision of the customer's own policy; undefined: it has none; null: it is not available. */
  readonly policy: string | null | undefined;
}

export interface CustomerList {
  /** Identifies the content. */
  readonly revision: string;
  readonly unknownCustomers: UnknownCustomers;
  /** Whether policies of customers may hide less than the policy of the service. */
  readonly allowLooserPolicies: boolean;
  /** The documents of policies as JSON, by their revisions. Each policy that a customer has is among them. */
  readonly policies: ReadonlyMap<string, string>;
  /** The number of customers. */
  readonly size: number;
  /** @returns undefined if the customer is not in the list */
  find(customer: ListHash): CustomerRules | undefined;
}

/** A list is incomplete or corrupt. The message completes the sentence "The list of customers …". */
export class CustomerListError extends Error {
  override readonly name = 'CustomerListError';
}

const HASH = /^[\w-]{22}$/;
const REVISION = /^[0-9a-f]{32}$/;
const POLICY_LINE = new RegExp(`^${POLICY}([0-9a-f]{32}) (\\{.*\\})$`);
const header = z.strictObject({
  version: z.literal(VERSION),
  shard: z.int().min(0),
  shards: z.literal([1, 2, 4, 8, MAX_SHARDS]),
  unknownCustomers: z.enum(['Allow', 'Block']),
  allowLooserPolicies: z.boolean(),
}) satisfies z.ZodType<ShardHeader>;
const hashes = z.array(z.string().regex(HASH)) as z.ZodType as z.ZodType<ListHash[]>;
const rules = z.strictObject({
  blocked: z.literal(true).optional(),
  callers: z.strictObject({ teams: hashes, keys: hashes }).optional(),
  policy: z.string().regex(REVISION).nullable().optional(),
});
const LAST_LINE = /^end (\d+) ([0-9a-f]{32})\n$/;
const FREE: CustomerRules = { blocked: false, callers: undefined, policy: undefined };

/**
 * Reads the shards of a list.
 * @param shards their texts by their number
 * @throws CustomerListError
 */
export function readCustomerList(shards: ReadonlyMap<number, string>): CustomerList {
  const first = shards.get(0);
  if (first === undefined) throw new CustomerListError('has no first part.');
  const { shards: count, unknownCustomers, allowLooserPolicies } = headerOf(first);
  const texts = Array.from({ length: count }, (_, shard) => {
    const text = shards.get(shard);
    if (text === undefined) throw new CustomerListError(`lacks part ${shard + 1} of ${count}.`);
    const expected: ShardHeader = { version: VERSION, shard, shards: count, unknownCustomers, allowLooserPolicies };
    if (!isDeepStrictEqual(headerOf(text), expected)) {
      throw new CustomerListError(`has a part ${shard + 1} that belongs to another version of the list.`);
    }
    return text;
  });
  const parts = texts.map((text, shard) => readShard(text, shard, count));
  const policies = new Map(parts.flatMap((part) => part.policies));
  if (parts.some(({ uses }) => uses.some((revision) => !policies.has(revision)))) {
    throw new CustomerListError('lacks the policy of a customer.');
  }
  const tables = parts.map(({ customers }) => customers);
  return {
    revision: customerListRevision(texts),
    unknownCustomers,
    allowLooserPolicies,
    policies,
    size: tables.reduce((sum, { size }) => sum + size, 0),
    find(customer) {
      const found = tables[shardOf(customer, count)]?.find(customer);
      return found === undefined ? undefined : rulesOf(found);
    },
  };
}

function headerOf(text: string): z.output<typeof header> {
  const parsed = header.safeParse(jsonOf(text.slice(0, Math.max(0, text.indexOf('\n')))));
  if (!parsed.success) throw new CustomerListError('has an unknown format, or is not complete.');
  return parsed.data;
}

/** The content of a shard. */
interface Shard {
  readonly policies: readonly (readonly [revision: string, document: string])[];
  readonly customers: LineTable;
  /** The revisions that its customers name. */
  readonly uses: readonly string[];
}

function readShard(text: string, shard: number, shards: number): Shard {
  const corrupt = new CustomerListError(`has a part ${shard + 1} that is damaged or incomplete.`);
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const [, count, checksum] = LAST_LINE.exec(text.slice(end)) ?? [];
  if (checksum === undefined || checksumOf(text.slice(0, end)) !== checksum) throw corrupt;
  const lines = text.slice(0, end).split('\n').slice(1, -1);
  if (lines.length !== Number(count)) throw corrupt;
  const first = lines.findIndex((line) => !line.startsWith(POLICY));
  const customers = first === -1 ? [] : lines.slice(first);
  const policies = lines.slice(0, lines.length - customers.length).map((line) => {
    const [, revision, document] = POLICY_LINE.exec(line) ?? [];
    if (revision === undefined || document === undefined || shardOfPolicy(line, shards) !== shard) throw corrupt;
    return [revision, document] as const;
  });
  /** Rules repeat: most customers have one of few. */
  const valid = new Set(['']);
  const uses = new Set<string>();
  let last = '';
  for (const line of customers) {
    const customer = line.slice(0, HASH_LENGTH);
    // Sorted, and each customer once.
    if (!HASH.test(customer) || shardOf(customer, shards) !== shard || customer <= last) throw corrupt;
    last = customer;
    const own = line.slice(HASH_LENGTH);
    if (!valid.has(own)) {
      const { success, data } = rules.safeParse(jsonOf(own));
      if (!own.startsWith(' ') || !success) throw corrupt;
      valid.add(own);
      if (data.policy) uses.add(data.policy);
    }
  }
  return {
    policies,
    customers: new LineTable(customers),
    uses: [...uses],
  };
}

/** @param text the rules of a line, which were valid when the list was read */
function rulesOf(text: string): CustomerRules {
  if (text === '') return FREE;
  const { blocked = false, callers, policy } = rules.parse(jsonOf(text));
  return { blocked, callers: callers && { teams: new Set(callers.teams), keys: new Set(callers.keys) }, policy };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
