/** How the reconcile of a policy ends, as the status reports it. Pure. */
import type { Condition, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { type PolicyConditionReason, pausedMessage } from '../conditions/conditions.ts';
import { forceDeleteRemedy } from '../lifecycle/lifecycle.ts';
import type { PolicyCheck } from './check.ts';
import { namesOf, type PolicyUser } from './users.ts';

/** A condition of a policy. */
export interface PolicyState {
  readonly status: Condition['status'];
  readonly reason: PolicyConditionReason;
  readonly message: string;
}

/** How a reconcile ended. */
export interface PolicyOutcome {
  /** The condition Accepted; undefined if the policy was not checked. */
  readonly accepted?: PolicyState;
  /** The revision of the policy, if it is valid. */
  readonly revision?: string;
  /** Whether every pod of every user has the policy; undefined: it is not known, or not every one has it. */
  readonly enforcement?: 'Complete' | 'NotUsed';
  readonly ready: PolicyState;
}

/** The policy was checked. */
export function checked(check: PolicyCheck, users: readonly PolicyUser[]): PolicyOutcome {
  if (!check.valid) return refused(check, users);
  const accepted = { status: 'True', reason: 'Accepted', message: 'The policy is valid.' } as const;
  return { accepted, revision: check.revision, ...distribution(check.revision, users) };
}

function refused(
  { reason, message }: Extract<PolicyCheck, { valid: false }>,
  users: readonly PolicyUser[],
): PolicyOutcome {
  const kept = 'Until then, resources that use the policy keep the one that they have.';
  const state = { status: 'False', reason, message: users.length === 0 ? message : `${message} ${kept}` } as const;
  return { accepted: state, ready: state };
}

/** Whether every pod of every user has the policy. */
function distribution(revision: string, users: readonly PolicyUser[]): Pick<PolicyOutcome, 'ready' | 'enforcement'> {
  if (users.length === 0) {
    const message = 'The policy is valid. No resource refers to it.';
    return { ready: { status: 'True', reason: 'NotUsed', message }, enforcement: 'NotUsed' };
  }
  const unwritten = users.filter(({ kind, written }) => kind === 'GatewayInstance' && written !== revision);
  if (unwritten.length > 0) {
    const message = `The policy is not written yet for ${namesOf(unwritten)}. If this lasts, the condition GuardrailReady there says why.`;
    return { ready: { status: 'False', reason: 'Writing', message } };
  }
  const reading = users.filter((user) => user.isApplied && user.revision !== revision);
  if (reading.length > 0) return { ready: { status: 'False', reason: 'Reading', message: readingMessage(reading) } };
  const message = 'Every guardrail pod of every resource that uses the policy has it.';
  return { ready: { status: 'True', reason: 'Enforced', message }, enforcement: 'Complete' };
}

function readingMessage(users: readonly PolicyUser[]): string {
  const message = `Not every guardrail pod has the policy yet for ${namesOf(users)}. A kubelet brings it to the pods within its sync period, which is about a minute.`;
  const sidecars = users.filter(({ isSidecar }) => isSidecar);
  if (sidecars.length === 0) return message;
  return `${message} For the sidecars of ${namesOf(sidecars)}, the operator can tell this only with the component operator/manifests/components/sidecar in its kustomization.`;
}

/** The reconciliation is paused. */
export function paused(policy: GuardrailPolicy): PolicyOutcome {
  return { ready: { status: 'False', reason: 'Paused', message: pausedMessage(policy) } };
}

/** The deletion waits. */
export function inUse(users: readonly PolicyUser[]): PolicyOutcome {
  const remedy = 'Remove the references first.';
  const message = `The policy is in use by ${namesOf(users)}. ${remedy} ${forceDeleteRemedy} The resources then keep the policy that they have.`;
  return { ready: { status: 'False', reason: 'InUse', message } };
}

/** An unexpected error. */
export function failed(message: string): PolicyOutcome {
  return { ready: { status: 'False', reason: 'InternalError', message } };
}
