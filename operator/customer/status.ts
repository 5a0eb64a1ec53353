/** What the status of a customer says of its record: its fields, and the conditions Synced and FullyApplied. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Condition, GatewayCustomer, GatewayCustomerStatus, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import {
  currentCondition,
  type CustomerConditionReason,
  type CustomerConditionType,
  nextCondition,
} from '../conditions/conditions.ts';
import { accessProblem, admits, callerProblem, type GatewayConnection } from '../connection/connection.ts';
import { enforcesAccess } from '../enforcement/enforcement.ts';
import {
  type ClaimRules,
  isForeign,
  nextStatus as nextExternalStatus,
  type Outcome,
  type StatusGateway,
  type StatusRules,
  type Words,
} from '../external/external.ts';
import {
  allFields,
  appliedAfter,
  columnsOf,
  type Drift,
  type Field,
  type Fields,
  limitFields,
  type ObservedCustomer,
  type SupportedFields,
  unappliedFields,
  unenforced,
  type Unenforced,
} from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { customerPolicyKey, type CustomerPolicyProblem } from '../policy/policy.ts';
import { keyText } from '../runtime/runtime.ts';
import { isLinked } from './comparison.ts';

/** How a reconcile of a customer ended. */
export interface SyncOutcome extends Outcome {
  readonly reason: CustomerConditionReason<'Synced'>;
  readonly ownership?: OwnershipStatus | undefined;
  /** The record as the gateway last reported it; undefined if the gateway was not called. */
  readonly observed?: ObservedCustomer | undefined;
  /** The state of the fields, if known. */
  readonly applied?: AppliedState | undefined;
  /** The budget that the gateway links to a customer that is only observed. */
  readonly linkedBudget?: string | undefined;
}

/** See `status.ownership` of a GatewayCustomer. */
export type OwnershipStatus = NonNullable<GatewayCustomerStatus['ownership']>;

/** The status records a record by its hash. A mark announces a creation, unless the status says that the record is foreign. */
export const customerClaims: ClaimRules<GatewayCustomer, Field> = {
  markKind: 'GatewayCustomer',
  idOf: ({ spec }) => spec.customerId,
  isAdmitted: (instance, { metadata, spec }) => admits(instance, metadata.namespace, spec.customerId),
  adoptsOnlyAtInstance: false,
  stateOf({ specHash, ownership, appliedFields }, marked) {
    if (specHash !== undefined) return 'owned';
    return (isForeign(ownership) ? appliedFields !== undefined : marked) ? 'pending' : 'none';
  },
  fields: allFields,
};

export const customerWords = {
  ...{ kind: 'GatewayCustomer', noun: 'customer', record: 'record' },
  condition: 'Synced',
} as const satisfies Words;

const recordFields = [
  ...(['specHash', 'appliedFields', 'unappliedFields', 'replacesBudget', 'copiedBudget'] as const),
  ...(['tookOver', 'gateway', 'budgetId'] as const),
];

const customerStatus: StatusRules<GatewayCustomer, SyncOutcome> = {
  words: customerWords,
  recordFields,
  notAllowed: ['NamespaceNotAllowed', 'CustomerIdNotAllowed'],
  ended({ spec, status }, { observed, applied, ownership }) {
    // Whoever only observes has given up the record: if it manages again, the rules of adoption apply. Only what an earlier
    // observation found remains until the next one.
    if (isObserveOnly({ spec })) {
      return observed === undefined ? recordFields.filter((field) => field !== 'budgetId') : recordFields;
    }
    if (applied !== undefined) return ['budgetId', 'replacesBudget', 'copiedBudget', 'unappliedFields'];
    // A creation that was announced and never happened must not count as one later.
    return status?.specHash === undefined && isForeign(ownership) ? ['appliedFields'] : [];
  },
  fields: {
    synced: ({ synced }) => synced,
    blocked: ({ observed }) => observed?.blocked,
    currentSpend: ({ observed }) => observed?.spend,
    budgetId: ({ applied, linkedBudget }) => applied?.budgetId ?? linkedBudget,
    unappliedFields({ applied }) {
      const unapplied = applied === undefined ? [] : unappliedFields(applied.drift);
      return unapplied.length === 0 ? undefined : unapplied;
    },
    copiedBudget: ({ applied }) => applied?.copiedBudget,
  },
  fieldsCondition: (customer, { applied }, now) => fullyAppliedCondition(customer, applied, now),
  fieldsHint: 'The gateway does not apply every field: see the condition FullyApplied.',
};

/** The status after an outcome. @returns the same object if nothing changed */
export function nextStatus(
  customer: GatewayCustomer,
  outcome: SyncOutcome,
  now: Date,
  gateway?: StatusGateway,
): GatewayCustomerStatus {
  return nextExternalStatus(customerStatus, customer, outcome, now, gateway);
}

/** Whether a status differs from that of a customer only in what changes while the record is used: spend, block and times. */
export function reportsOnlyUse({ status = {} }: GatewayCustomer, after: GatewayCustomerStatus): boolean {
  const { currentSpend: _spend, blocked: _blocked, lastSyncTime: _time, ...rest } = after;
  const { currentSpend: _spent, blocked: _wasBlocked, lastSyncTime: _before, ...restBefore } = status;
  return isDeepStrictEqual(rest, restBefore);
}

/** The condition of a type, if the customer has one. */
export function conditionOf(customer: GatewayCustomer, type: CustomerConditionType): Condition | undefined {
  return currentCondition(customer, type);
}

function fullyAppliedCondition(customer: GatewayCustomer, applied: AppliedState | undefined, now: Date): Condition {
  const next = (state: ReturnType<typeof fullyApplied>): Condition =>
    nextCondition(customer, now, { type: 'FullyApplied', ...state });
  if (applied !== undefined) return next(fullyApplied(applied));
  if (isObserveOnly(customer)) {
    const message = 'The operator only observes the record and applies no field.';
    return next({ status: 'Unknown', reason: 'Observed', message });
  }
  const before = conditionOf(customer, 'FullyApplied');
  if (before?.observedGeneration === customer.metadata.generation) return before;
  return next({ status: 'Unknown', reason: 'NotSynced', message: 'This spec has not been synced yet.' });
}

/** The state of the spec's fields at the gateway after a sync. */
export interface AppliedState {
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

/** The input of {@link appliedState}. */
export interface AppliedInput {
  readonly connection: GatewayConnection;
  /** undefined if it is not known. */
  readonly instance: GatewayInstance | undefined;
  readonly specHash: string;
  readonly desired: Fields;
  readonly supported: SupportedFields;
  readonly drift: Drift;
  readonly observed: ObservedCustomer;
  /** Why the customer's own policy cannot be used; undefined: it can. */
  readonly policyProblem: CustomerPolicyProblem | undefined;
}

/** The state of a record of this resource. */
export function appliedState(customer: GatewayCustomer, input: AppliedInput): AppliedState {
  const { connection, instance, specHash, desired, drift, observed, policyProblem } = input;
  const { fields, unsupported } = input.supported;
  const guardrail = instance !== undefined && enforcesAccess(customer, instance);
  return {
    ...{ specHash, budgetId: desired.budgetId, drift, unsupported },
    copiedBudget: remainingCopy(customer, fields, observed),
    fields: appliedAfter(fields, drift),
    unenforced: withGuardrail(unenforced(fields, observed, { ...connection.enforcement, guardrail }), instance).filter(
      ({ field }) => !drift.unreported.includes(field),
    ),
    access: accessState(customer, instance),
    policy: policyState(customer, instance, policyProblem),
  };
}

/** The budget from which limits were copied, while the customer's own row has a limit that the spec does not name. */
function remainingCopy(customer: GatewayCustomer, desired: Fields, observed: ObservedCustomer): string | undefined {
  const named = columnsOf(limitFields, desired);
  const unnamed = Object.keys(observed.budget).some((column) => !(column in named));
  return isLinked(customer, observed) && unnamed ? customer.status?.copiedBudget : undefined;
}

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

/** Status, reason and message of the condition FullyApplied. */
export function fullyApplied(applied: AppliedState): {
  readonly status: Condition['status'];
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
