/** What a customer's spec says about who may call. Pure. */
import { createHash } from 'node:crypto';
import type { CustomerEntry, ListHash } from '../../guardrail/guardrail.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import type { GatewayCustomer, GatewayCustomerSpec, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { accessProblem } from '../connection/connection.ts';

/** Hashes an id of a kind, as the guardrail does. */
export type HashOf = (kind: 'customer' | 'team' | 'key', id: string) => ListHash;

type AccessSpec = Pick<GatewayCustomerSpec, 'blocked' | 'allowedCallers'>;

/** Whether a spec restricts who may call. */
export function restrictsAccess({ blocked, allowedCallers }: AccessSpec): boolean {
  return blocked === true || allowedCallers !== undefined;
}

/** Identifies what a spec says about who may call; undefined: it restricts nothing. */
export function accessDigest(spec: AccessSpec): string | undefined {
  if (!restrictsAccess(spec)) return undefined;
  const { teamIds = [], keyHashes = [] } = spec.allowedCallers ?? {};
  const callers = spec.allowedCallers && [[...teamIds].sort(), [...keyHashes].sort()];
  return createHash('sha256')
    .update(JSON.stringify([spec.blocked === true, callers ?? null]))
    .digest('hex')
    .slice(0, 16);
}

/** Whether every pod of the guardrail of an instance enforces what a customer's spec says now about who may call. */
export function enforcesAccess({ spec, status }: GatewayCustomer, instance: GatewayInstance): boolean {
  const digest = accessDigest(spec);
  return digest !== undefined && status?.enforcedAccess === digest && accessProblem(instance) === undefined;
}

/**
 * The entry of a customer in the list.
 * @param policy the revision of its own policy; null: it is not available; undefined: it has none
 */
export function entryOf(customer: GatewayCustomer, hashOf: HashOf, policy?: string | null): CustomerEntry {
  const { spec } = customer;
  const { blocked, allowedCallers }: AccessSpec = isObserveOnly(customer) ? {} : spec;
  return {
    customer: hashOf('customer', spec.customerId),
    ...(blocked === true ? { blocked } : {}),
    ...(policy === undefined ? {} : { policy }),
    ...(allowedCallers === undefined
      ? {}
      : {
          callers: {
            teams: (allowedCallers.teamIds ?? []).map((id) => hashOf('team', id)),
            keys: (allowedCallers.keyHashes ?? []).map((id) => hashOf('key', id)),
          },
        }),
  };
}
