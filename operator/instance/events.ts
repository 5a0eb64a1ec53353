/** The events of an instance: one for each transition, none for a reconcile without one. Pure. */
import type { Condition, GatewayInstance, GatewayInstanceStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { InstanceConditionType, InstanceEventReason } from '../conditions/conditions.ts';
import type { GuardrailPlan } from '../guardrail/guardrail.ts';
import type { EventDetails } from '../runtime/runtime.ts';

/** An event of an instance. */
export type InstanceEvent = EventDetails & { readonly reason: InstanceEventReason };

/** One condition before and after a reconcile. */
interface Transition {
  readonly before: Condition | undefined;
  readonly after: Condition | undefined;
}

/** The events of the transitions from one status to the next. */
export function transitions({ status }: GatewayInstance, next: GatewayInstanceStatus): InstanceEvent[] {
  const transition = (type: InstanceConditionType): Transition => ({
    before: status?.conditions?.find((condition) => condition.type === type),
    after: next.conditions?.find((condition) => condition.type === type),
  });
  return [
    ...readyEvents(transition('Ready')),
    ...guardrailEvents(transition('GuardrailReady')),
    ...proxyEvents(transition('ProxyConfigured')),
  ];
}

/** The events of the key rotations that a reconcile has completed. */
export function rotationEvents(keys: GuardrailPlan['keys'] | undefined): InstanceEvent[] {
  const api = 'The gateway uses the new API key of the guardrail, and the guardrail no longer accepts the old one.';
  const encryption = 'The guardrail encrypts with the new key; older keys remain valid for decryption.';
  return [
    ...(keys?.finished.api === true ? [normal('ApiKeyRotated', api)] : []),
    ...(keys?.finished.encryption === true ? [normal('EncryptionKeyRotated', encryption)] : []),
  ];
}

function readyEvents({ before, after }: Transition): InstanceEvent[] {
  if (after === undefined || (before?.status === after.status && before.reason === after.reason)) return [];
  const isResumed = before?.reason === 'Paused' && after.reason !== 'Paused';
  return [...readyEvent(before, after), ...(isResumed ? [normal('Resumed', 'Reconciliation resumed.')] : [])];
}

function readyEvent(before: Condition | undefined, { status, reason, message }: Condition): InstanceEvent[] {
  if (reason === 'Paused') return [normal('Paused', message)];
  if (
    reason === 'CustomersRemain' ||
    reason === 'BudgetsRemain' ||
    reason === 'KeysRemain' ||
    reason === 'InternalError'
  ) {
    return [warning(reason, message)];
  }
  if (status === 'True') return [normal('Ready', message)];
  return before?.status === 'True' ? [warning('NotReady', message)] : [];
}

function guardrailEvents({ before, after }: Transition): InstanceEvent[] {
  if (after === undefined) return [];
  const { status, reason, message } = after;
  const isNew = before?.reason !== reason;
  const isRemoved = reason === 'NotRequested' && before !== undefined && isNew;
  return [
    ...(reason === 'SidecarContested' && isNew ? [warning('SidecarContested', message)] : []),
    ...(status === 'True' && before?.status !== 'True' ? [normal('GuardrailDeployed', message)] : []),
    ...(isRemoved ? [normal('GuardrailRemoved', message)] : []),
  ];
}

function proxyEvents({ before, after }: Transition): InstanceEvent[] {
  if (after?.status !== 'True' || before?.status === 'True') return [];
  return [normal('ProxyConfigured', after.message)];
}

function normal(reason: InstanceEventReason, message: string): InstanceEvent {
  return { type: 'Normal', reason, message };
}

function warning(reason: InstanceEventReason, message: string): InstanceEvent {
  return { type: 'Warning', reason, message };
}
