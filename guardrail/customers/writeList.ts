/**
 * The customer list as text, in shards that each fit into a ConfigMap:
 *
 *     {"version":1,"shard":0,"shards":2,"unknownCustomers":"Block","allowLooserPolicies":false}
 *     policy <revision> <policy document as JSON>
 *     <hash of a customer>
 *     <hash of a customer> {"blocked":true}
 *     <hash of a customer> {"callers":{"teams":["<hash>"],"keys":["<hash>"]},"policy":"<revision>"}
 *     end 4 <SHA-256 of all lines above>
 *
 * Customers are sorted by their hash, and policies by their revision. Its first bits select the shard. Pure.
 */
import { hash } from 'node:crypto';
import { HASH_LENGTH } from './lineTable.ts';
import type { ListHash } from './listHash.ts';

export const VERSION = 1;
export const MAX_SHARDS = 16;
/** The beginning of a line with a policy. No hash of a customer contains a space. */
export const POLICY = 'policy ';
/** A ConfigMap can have 1 MiB. */
const MAX_SHARD_BYTES = 700_000;
/** The first character of a hash has six bits, of which MAX_SHARDS needs four. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** What happens to calls for customers that are not in the list. */
export type UnknownCustomers = 'Allow' | 'Block';

/** A customer. Without other members, every caller may call for it. */
export interface CustomerEntry {
  readonly customer: ListHash;
  readonly blocked?: boolean;
  /** Who may call for the customer: callers with one of these teams or API keys. */
  readonly callers?: { readonly teams: readonly ListHash[]; readonly keys: readonly ListHash[] };
  /** The revision of the customer's own policy; null: it has one that is not available, so its calls are refused. */
  readonly policy?: string | null;
}

/** The first line of a shard. */
export interface ShardHeader {
  readonly version: number;
  readonly shard: number;
  readonly shards: number;
  readonly unknownCustomers: UnknownCustomers;
  /** Whether policies of customers may hide less than the policy of the service. */
  readonly allowLooserPolicies: boolean;
}

/** How a list is written. */
export interface WriteOptions
  extends Pick<ShardHeader, 'unknownCustomers'>, Partial<Pick<ShardHeader, 'allowLooserPolicies'>> {
  /** The documents of all policies that customers have, by their revisions. */
  readonly policies?: ReadonlyMap<string, string>;
  readonly maxShardBytes?: number;
}

/** The list does not fit into {@link MAX_SHARDS}. */
export class CustomerListTooLargeError extends Error {
  override readonly name = 'CustomerListTooLargeError';
  constructor() {
    super(`The list of customers is larger than ${MAX_SHARDS} ConfigMaps of ${MAX_SHARD_BYTES / 1000} kB.`);
  }
}

/** The name of the file, and of the key in the ConfigMap, of a shard. */
export function shardName(shard: number): string {
  return `customers-${shard}`;
}

/**
 * Writes the list. The same entries give the same bytes, in whatever order they are.
 * @param entries at most one for each customer
 * @returns the text of each shard: 1, 2, 4, 8 or 16, as few as hold the list
 * @throws CustomerListTooLargeError, and RangeError for a customer that is there twice
 */
export function writeCustomerList(entries: Iterable<CustomerEntry>, options: WriteOptions): string[] {
  const {
    unknownCustomers,
    allowLooserPolicies = false,
    policies = new Map(),
    maxShardBytes = MAX_SHARD_BYTES,
  } = options;
  const lines = Array.from(entries, lineOf).sort();
  const policyLines = Array.from(policies, policyLine).sort();
  if (lines.some((line, at) => line.slice(0, HASH_LENGTH) === lines[at + 1]?.slice(0, HASH_LENGTH))) {
    // A reader would refuse the list, and enforce an old one.
    throw new RangeError('The list of customers contains a customer twice.');
  }
  for (let shards = 1; shards <= MAX_SHARDS; shards *= 2) {
    const own = shardsOf(lines, shards, shardOf);
    const written = shardsOf(policyLines, shards, shardOfPolicy).map((first, shard) =>
      shardText({ version: VERSION, shard, shards, unknownCustomers, allowLooserPolicies }, [
        ...first,
        ...(own[shard] ?? []),
      ]),
    );
    // All characters are ASCII.
    if (written.every(({ length }) => length <= maxShardBytes)) return written;
  }
  throw new CustomerListTooLargeError();
}

/** Identifies the content of a list. */
export function customerListRevision(shards: readonly string[]): string {
  return hash('sha256', shards.map(checksumIn).join('\n')).slice(0, 32);
}

/** The shard of a customer. */
export function shardOf(customer: string, shards: number): number {
  return Math.floor((ALPHABET.indexOf(customer.charAt(0)) * shards) / ALPHABET.length);
}

/** The shard of a line with a policy. */
export function shardOfPolicy(line: string, shards: number): number {
  return Math.floor((Number.parseInt(line.charAt(POLICY.length), 16) * shards) / 16);
}

/** The checksum of the lines of a shard above its last one. */
export function checksumOf(text: string): string {
  return hash('sha256', text).slice(0, 32);
}

function checksumIn(shard: string): string {
  return shard.slice(shard.lastIndexOf(' ') + 1).trimEnd();
}

function lineOf({ customer, blocked, callers, policy }: CustomerEntry): string {
  const more = {
    ...(blocked === true ? { blocked } : {}),
    ...(callers === undefined ? {} : { callers: { teams: sorted(callers.teams), keys: sorted(callers.keys) } }),
    ...(policy === undefined ? {} : { policy }),
  };
  return Object.keys(more).length === 0 ? customer : `${customer} ${JSON.stringify(more)}`;
}

function policyLine([revision, document]: readonly [string, string]): string {
  // One line, in ASCII.
  const text = JSON.stringify(JSON.parse(document)).replace(/[^\x20-\x7e]/g, (character) => escapeOf(character));
  return `${POLICY}${revision} ${text}`;
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function sorted(hashes: readonly ListHash[]): ListHash[] {
  return [...new Set(hashes)].sort();
}

function shardsOf(lines: readonly string[], shards: number, shardOfLine: typeof shardOf): string[][] {
  const result = Array.from({ length: shards }, (): string[] => []);
  for (const line of lines) result[shardOfLine(line, shards)]?.push(line);
  return result;
}

function shardText(header: ShardHeader, lines: readonly string[]): string {
  const text = [JSON.stringify(header), ...lines, ''].join('\n');
  return `${text}end ${lines.length} ${checksumOf(text)}\n`;
}
