/** The condition FullyApplied: whether the gateway stores and enforces every field of the spec. Pure. */
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { CustomerConditionReason } from '../conditions/conditions.ts';
import { accessProblem, callerProblem } from '../connection/connection.ts';
import { enforcesAccess } from '../enforcement/enforcement.ts';
import type { Field, Unenforced } from '../gateway/gateway.ts';
import { customerPolicyKey, type CustomerPolicyProblem } from '../policy/policy.ts';
import { keyText } from '../runtime/runtime.ts';
import type { Drift } from './desired.ts';

/** The state of the spec's fields at the gateway after a sync. */
export interface AppliedState {
  /** Digest of the gateway's address. */
  readonly gateway?: string | undefined;
  readonly specHash: string;
  /** The id of the tier that the customer is linked to, if any. */
  readonly budgetId?: string | undefined;
  readonly fields: readonly Field[];
  readonly drift: Drift;
  /** The budget from which limits were copied when the record was adopted, while one of these limits remains. */
  readonly copiedBudget?: string | undefined;
  /** Fields that the gateway cannot combine with other fields of the spec. */
  readonly unsupported: readonly Field[];
  /** Fields that the gateway records and does not enforce. */
  readonly unenforced: readonly Unenforced[];
  /** Who enforces what the spec says about who may call. undefined: it says nothing, or only the gateway must enforce it. */
  readonly access?: AccessState | undefined;
  /** Who applies the customer's own policy; undefined: it has none. */
  readonly policy?: PolicyState | undefined;
}

/** How the customer's own policy is applied. */
export type PolicyState =
  /** By the guardrail of this instance. */
  | { readonly instance: string }
  /** By nobody. The remedy follows "Remedy:". */
  | { readonly remedy: string }
  | CustomerPolicyProblem;

/** How the fields about who may call are enforced. */
export type AccessState =
  /** By the guardrail of this instance. */
  | { readonly fields: readonly string[]; readonly instance: string }
  /** allowedCallers by nobody. The remedy follows "Remedy:". */
  | { readonly remedy: string };

/** @param instance undefined if it is not known */
export function accessState(customer: GatewayCustomer, instance: GatewayInstance | undefined): AccessState | undefined {
  const { blocked, allowedCallers } = customer.spec;
  const fields = [
    ...(blocked === true ? ['blocked'] : []),
    ...(allowedCallers === undefined ? [] : ['allowedCallers']),
  ];
  if (fields.length === 0 || instance === undefined) return undefined;
  if (enforcesAccess(customer, instance)) return { fields, instance: instance.metadata.name };
  if (allowedCallers === undefined) return undefined;
  return { remedy: accessProblem(instance) ?? waitFor(instance) };
}

/**
 * @param instance undefined if it is not known
 * @param problem why the policy cannot be used; undefined: it can
 */
export function policyState(
  customer: GatewayCustomer,
  instance: GatewayInstance | undefined,
  problem: CustomerPolicyProblem | undefined,
): PolicyState | undefined {
  const key = customerPolicyKey(customer);
  if (key === undefined || instance === undefined) return undefined;
  const remedy = callerProblem(instance);
  if (remedy !== undefined) return { remedy };
  if (problem !== undefined) return problem;
  return customer.status?.guardrailPolicy?.name !== keyText(key)
    ? { remedy: waitFor(instance) }
    : { instance: instance.metadata.name };
}

/**
 * The fields that the gateway does not enforce, with the guardrail in mind: where it is about to enforce blocked, the remedy is
 * to wait.
 * @param instance undefined if it is not known
 */
export function withGuardrail(
  found: readonly Unenforced[],
  instance: GatewayInstance | undefined,
): readonly Unenforced[] {
  if (instance === undefined || accessProblem(instance) !== undefined) return found;
  return found.map((one) => (one.field === 'blocked' ? { ...one, remedy: waitFor(instance) } : one));
}

function waitFor({ status }: GatewayInstance): string {
  const wait = 'wait until every pod of the guardrail has the list of customers';
  if (status?.guardrail?.mode !== 'Sidecar') return wait;
  return `${wait}, which the operator can tell only with the component operator/manifests/components/sidecar in its kustomization`;
}

/** The fields that writes do not change at the gateway. */
export function unappliedFields({ unreported, uncleared }: Drift): Field[] {
  return [...unreported, ...uncleared];
}

/** Status, reason and message of the condition. */
export function fullyApplied(applied: AppliedState): {
  readonly status: 'True' | 'False';
  readonly reason: CustomerConditionReason<'FullyApplied'>;
  readonly message: string;
} {
  const found = faultsOf(applied);
  const copied = applied.copiedBudget === undefined ? [] : [copiedMessage(applied.copiedBudget)];
  const [first] = found;
  if (first === undefined) {
    const reason = applied.copiedBudget === undefined ? 'AllFieldsApplied' : 'LimitsCopied';
    const message = ['The gateway applies all fields of the spec.', ...enforcedMessages(applied), ...copied].join(' ');
    return { status: 'True', reason, message };
  }
  return {
    status: 'False',
    reason: first.reason,
    message: [...found.map((fault) => fault.message), ...copied].join(' '),
  };
}

interface Fault {
  readonly reason: CustomerConditionReason<'FullyApplied'>;
  readonly message: string;
}

function faultsOf({ drift, unsupported, unenforced, access, policy }: AppliedState): readonly Fault[] {
  const { unreported, uncleared } = drift;
  const faults: Fault[] = [];
  if (unreported.length > 0) {
    const message = `The gateway does not support ${list(unreported)}. Remove ${them(unreported)} from the spec, or accept that ${them(unreported, 'it has', 'they have')} no effect.`;
    faults.push({ reason: 'FieldsNotSupported', message });
  }
  if (unsupported.length > 0) {
    const message = `The limits come from the tier in budgetId, so ${list(unsupported)} ${them(unsupported, 'has', 'have')} no effect. Remove ${them(unsupported)} from the spec, or replace budgetId with limits for this customer.`;
    faults.push({ reason: 'FieldsNotSupported', message });
  }
  if (uncleared.length > 0) {
    const message = `The gateway does not clear ${list(uncleared)}. Set another value, or clear ${them(uncleared)} at the gateway.`;
    faults.push({ reason: 'FieldsNotCleared', message });
  }
  if (unenforced.length > 0) {
    const fields = unenforced.map(({ field }) => field);
    const remedies = unenforced.map(({ field, remedy }) => `for ${field}, ${remedy}`).join('; ');
    const message = `The gateway records ${list(fields)} but does not enforce ${them(fields)}. Remedy: ${remedies}.`;
    faults.push({ reason: 'FieldsNotEnforced', message });
  }
  if (access !== undefined && 'remedy' in access) {
    const message = `No guardrail enforces allowedCallers. Remedy: ${access.remedy}.`;
    faults.push({ reason: 'FieldsNotEnforced', message });
  }
  if (policy !== undefined && 'remedy' in policy) {
    const message = `No guardrail applies guardrailPolicyRef. Remedy: ${policy.remedy}.`;
    faults.push({ reason: 'FieldsNotEnforced', message });
  }
  if (policy !== undefined && 'reason' in policy) {
    const kept =
      'Until then, the customer keeps the policy that it has. If it has none, the guardrail refuses its calls.';
    faults.push({ reason: policy.reason, message: `${policy.message} ${kept}` });
  }
  return faults;
}

function enforcedMessages({ access, policy }: AppliedState): string[] {
  const parts = [
    ...(access !== undefined && 'fields' in access ? [access] : []),
    ...(policy !== undefined && 'instance' in policy ? [{ ...policy, fields: ['guardrailPolicyRef'] }] : []),
  ];
  const [first] = parts;
  if (first === undefined) return [];
  const fields = parts.flatMap((part) => part.fields);
  return [`The guardrail of GatewayInstance ${first.instance} enforces ${new Intl.ListFormat('en').format(fields)}.`];
}

function copiedMessage(budget: string): string {
  return `The limits that the spec does not name were copied from budget ${budget} and do not follow its changes. Set budgetId to ${budget}, or name each limit in the spec.`;
}

function list(fields: readonly Field[]): string {
  return fields.join(', ');
}

function them(fields: readonly unknown[], one = 'it', many = 'them'): string {
  return fields.length === 1 ? one : many;
}
