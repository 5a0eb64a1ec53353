/** What the status of a customer says about the rules that every pod of its guardrail enforces. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type {
  CustomerPolicyStatus,
  GatewayCustomer,
  GatewayCustomerStatus,
  GatewayInstance,
  GatewayInstanceStatus,
} from '../api/v1alpha1/v1alpha1.ts';
import { accessProblem, callerProblem } from '../connection/connection.ts';
import { customerPolicyKey } from '../policy/policy.ts';
import { accessDigest } from './accessRules.ts';
import { isOwner } from './listedCustomers.ts';

/** The fields of statuses that only the controller of enforcement writes. */
export const enforcementFields = {
  customer: ['enforcedAt', 'enforcedAccess', 'guardrailPolicy'] as const satisfies (keyof GatewayCustomerStatus)[],
  instance: ['customerList', 'policy'] as const satisfies (keyof GatewayInstanceStatus)[],
} as const;

/** The fields of the status. */
export type EnforcedStatus = Pick<GatewayCustomerStatus, (typeof enforcementFields.customer)[number]>;

/** The policy that the list has for a customer, without the time since when. */
export type ListedPolicy = Omit<CustomerPolicyStatus, 'enforcedAt'>;

/**
 * What remains true before the pods have another list: rules that the customer no longer has, or that its guardrail no
 * longer enforces, are left out. While another policy is on its way, the former one applies.
 */
export function remainingStatus(customer: GatewayCustomer, instance: GatewayInstance): EnforcedStatus {
  const { enforcedAt, enforcedAccess, guardrailPolicy } = customer.status ?? {};
  const hasAccess = accessProblem(instance) === undefined && isOwner(customer);
  const hasPolicy =
    callerProblem(instance) === undefined && isOwner(customer) && customerPolicyKey(customer) !== undefined;
  return {
    ...(hasAccess && enforcedAccess !== undefined && enforcedAccess === accessDigest(customer.spec)
      ? { ...(enforcedAt === undefined ? {} : { enforcedAt }), enforcedAccess }
      : {}),
    ...(hasPolicy && guardrailPolicy !== undefined ? { guardrailPolicy } : {}),
  };
}

/** @param policy what the list has for the customer; undefined: no policy of its own */
export function confirmedStatus(
  customer: GatewayCustomer,
  instance: GatewayInstance,
  policy: ListedPolicy | undefined,
  now: Date,
): EnforcedStatus {
  const { enforcedAt, enforcedAccess, guardrailPolicy } = remainingStatus(customer, instance);
  const digest = accessProblem(instance) === undefined ? accessDigest(customer.spec) : undefined;
  const time = now.toISOString();
  return {
    ...(digest === undefined
      ? {}
      : { enforcedAt: digest === enforcedAccess ? (enforcedAt ?? time) : time, enforcedAccess: digest }),
    ...(policy === undefined || callerProblem(instance) !== undefined
      ? {}
      : { guardrailPolicy: { ...policy, enforcedAt: sinceOf(guardrailPolicy, policy) ?? time } }),
  };
}

/**
 * Whether the status of a customer says that something is enforced, so that {@link remainingStatus} may say less. A quick
 * check: every new customer has all customers of its instance examined.
 */
export function saysEnforced({ status }: GatewayCustomer): boolean {
  return (
    status?.enforcedAt !== undefined || status?.enforcedAccess !== undefined || status?.guardrailPolicy !== undefined
  );
}

/** Whether the status of a customer has other values. */
export function differs({ status = {} }: GatewayCustomer, fields: EnforcedStatus): boolean {
  const { enforcedAt, enforcedAccess, guardrailPolicy } = status;
  const known = Object.entries({ enforcedAt, enforcedAccess, guardrailPolicy }).filter(
    ([, value]) => value !== undefined,
  );
  return !isDeepStrictEqual(Object.fromEntries(known), { ...fields });
}

/** Since when the same policy applies; undefined: another one did. */
function sinceOf(known: CustomerPolicyStatus | undefined, policy: ListedPolicy): string | undefined {
  if (known === undefined) return undefined;
  const { enforcedAt, ...before } = known;
  return isDeepStrictEqual(before, { ...policy }) ? enforcedAt : undefined;
}
