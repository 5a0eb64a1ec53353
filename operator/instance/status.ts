/** What an instance's status says. Pure: the reconcile writes what comes out, if it is anything new. */
import { isDeepStrictEqual } from 'node:util';
import type {
  Condition,
  CustomerCounts,
  GatewayCustomer,
  GatewayInstance,
  GatewayInstanceStatus,
  GuardrailStatus,
} from '../api/v1alpha1/v1alpha1.ts';
import { type ConditionState, currentCondition, instanceConditions, nextCondition } from '../conditions/conditions.ts';
import type { InstanceConditionReason, InstanceConditionType, InstanceEventReason } from '../conditions/conditions.ts';
import type { EventDetails } from '../runtime/runtime.ts';
import { admits } from '../connection/connection.ts';

/** The aspects that are found one by one. Ready follows from them. */
export type Aspect = Exclude<InstanceConditionType, 'Ready'>;

/** How every aspect was found. */
export type ConditionStates = { readonly [Type in Aspect]: ConditionState<Type> };

/** What goes into the status beside the conditions. */
export interface Observed {
  readonly endpoint: string | undefined;
  readonly customers: CustomerCounts;
  readonly guardrail: GuardrailStatus | undefined;
}

/** In which order aspects are mended: the first that fails is what Ready tells of. */
const notReady = {
  Reachable: 'NotReachable',
  GuardrailReady: 'GuardrailNotReady',
  ProxyConfigured: 'ProxyNotConfigured',
  DefaultBudgetEnforced: 'DefaultBudgetNotEnforced',
} as const satisfies Record<Aspect, InstanceConditionReason<'Ready'>>;
const aspects = Object.keys(notReady) as Aspect[];

/** What follows from all aspects. Those that nobody asked for do not count. */
export function readiness(findings: ConditionStates): ConditionState<'Ready'> {
  const failing = aspects.find((type) => {
    const { status, reason } = findings[type];
    return status !== 'True' && reason !== 'NotRequested';
  });
  if (failing === undefined) return { status: 'True', reason: 'Ready', message: 'All that the spec asks for holds.' };
  const { status, message } = findings[failing];
  return { status, reason: notReady[failing], message };
}

/** The condition of a type, if there is one. */
export function conditionOf(instance: GatewayInstance, type: InstanceConditionType): Condition | undefined {
  return currentCondition(instance, type);
}

/** @returns the status after a reconcile; the very object of before where nothing changed. */
export function nextStatus(
  instance: GatewayInstance,
  findings: ConditionStates,
  observed: Observed,
  now: Date,
): GatewayInstanceStatus {
  const all = { Ready: readiness(findings), ...findings };
  const types = Object.keys(instanceConditions) as InstanceConditionType[];
  const { reason, status: guardrailReady } = findings.GuardrailReady;
  return settled(instance, {
    ...(observed.endpoint === undefined ? {} : { endpoint: observed.endpoint }),
    customers: observed.customers,
    ...(observed.guardrail === undefined ? {} : { guardrail: observed.guardrail }),
    // For the column, in which False means that something is wrong.
    ...(reason === 'NotRequested' ? {} : { guardrailReady }),
    observedGeneration: instance.metadata.generation,
    conditions: types.map((type) => nextCondition(instance, now, { type, ...all[type] })),
  });
}

/** @returns the status while the instance is left alone, or on its way out: only Ready changes. */
export function statusWithReady(
  instance: GatewayInstance,
  ready: ConditionState<'Ready'>,
  customers: CustomerCounts,
  now: Date,
): GatewayInstanceStatus {
  const others = (instance.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
  return settled(instance, {
    ...instance.status,
    customers,
    observedGeneration: instance.metadata.generation,
    conditions: [nextCondition(instance, now, { type: 'Ready', ...ready }), ...others],
  });
}

/** @returns the status while work is under way, in which one aspect alone is told anew. */
export function statusWithAspect<Type extends Aspect>(
  instance: GatewayInstance,
  type: Type,
  finding: ConditionState<Type>,
  now: Date,
): GatewayInstanceStatus {
  const others = (instance.status?.conditions ?? []).filter((condition) => condition.type !== type);
  return { ...instance.status, conditions: [...others, nextCondition(instance, now, { type, ...finding })] };
}

/** Counts the customers of an instance: see {@link concerns}. One that was never reconciled is neither synced nor failed. */
export function countCustomers(instance: GatewayInstance, referring: readonly GatewayCustomer[]): CustomerCounts {
  const counted = referring.filter((customer) => concerns(instance, customer));
  return {
    total: counted.length,
    synced: counted.filter(({ status }) => status?.synced === true).length,
    failed: counted.filter(({ status }) => status?.synced === false).length,
  };
}

/**
 * Whether an instance has to do with a customer that refers to it: its namespace and id are allowed, or the status says that
 * something of it is at the gateway, from a time when it was. The mark does not count here: an author of customers can
 * write one, and those of a namespace that is not allowed must not hold up the deletion of an instance.
 */
function concerns(instance: GatewayInstance, { metadata, spec, status }: GatewayCustomer): boolean {
  const admitted = admits(instance, metadata.namespace, spec.customerId);
  return admitted || status?.specHash !== undefined || status?.appliedFields !== undefined;
}

/** The events that a change of status is worth: one of each transition, none of a mere reconcile. */
export function transitions(
  before: GatewayInstance,
  after: GatewayInstanceStatus,
): (EventDetails & { readonly reason: InstanceEventReason })[] {
  const events: (EventDetails & { readonly reason: InstanceEventReason })[] = [];
  const now = after.conditions?.find(({ type }) => type === 'Ready');
  const was = conditionOf(before, 'Ready');
  if (now !== undefined && (was?.status !== now.status || was.reason !== now.reason)) {
    const { message } = now;
    if (now.reason === 'Paused') events.push({ type: 'Normal', reason: 'Paused', message });
    else if (now.reason === 'CustomersRemain') events.push({ type: 'Warning', reason: 'CustomersRemain', message });
    else if (now.reason === 'InternalError') events.push({ type: 'Warning', reason: 'InternalError', message });
    else if (now.status === 'True') events.push({ type: 'Normal', reason: 'Ready', message });
    else if (was?.status === 'True') events.push({ type: 'Warning', reason: 'NotReady', message });
    if (was?.reason === 'Paused' && now.reason !== 'Paused') {
      events.push({ type: 'Normal', reason: 'Resumed', message: 'Reconciliation resumed.' });
    }
  }
  const guardrail = after.conditions?.find(({ type }) => type === 'GuardrailReady');
  const guardrailWas = conditionOf(before, 'GuardrailReady');
  if (guardrail?.reason === 'SidecarContested' && guardrailWas?.reason !== 'SidecarContested') {
    events.push({ type: 'Warning', reason: 'SidecarContested', message: guardrail.message });
  }
  if (guardrail?.status === 'True' && guardrailWas?.status !== 'True') {
    events.push({ type: 'Normal', reason: 'GuardrailDeployed', message: guardrail.message });
  }
  if (guardrail?.reason === 'NotRequested' && guardrailWas !== undefined && guardrailWas.reason !== 'NotRequested') {
    events.push({ type: 'Normal', reason: 'GuardrailRemoved', message: guardrail.message });
  }
  const configured = after.conditions?.find(({ type }) => type === 'ProxyConfigured');
  if (configured?.status === 'True' && conditionOf(before, 'ProxyConfigured')?.status !== 'True') {
    events.push({ type: 'Normal', reason: 'ProxyConfigured', message: configured.message });
  }
  return events;
}

function settled(instance: GatewayInstance, after: GatewayInstanceStatus): GatewayInstanceStatus {
  return instance.status !== undefined && isDeepStrictEqual(after, instance.status) ? instance.status : after;
}
