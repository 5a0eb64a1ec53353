/** The conditions Ready, Reconciling and Stalled of an instance, which summarize its other conditions. Pure. */
import type { Condition, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { ConditionState, InstanceConditionReason, InstanceConditionType } from '../conditions/conditions.ts';
import { needsUser, readyConditions } from '../conditions/conditions.ts';

/** The conditions that Ready summarizes. */
export type Aspect = Exclude<InstanceConditionType, 'Ready'>;

/** The state of every aspect. */
export type ConditionStates = { readonly [Type in Aspect]: ConditionState<Type> };

/** The aspects in the order in which an admin must fix them: Ready reports the first that fails. */
const notReady = {
  Reachable: 'NotReachable',
  GuardrailReady: 'GuardrailNotReady',
  ProxyConfigured: 'ProxyNotConfigured',
  DefaultBudgetEnforced: 'DefaultBudgetNotEnforced',
} as const satisfies Record<Aspect, InstanceConditionReason<'Ready'>>;
const aspects = Object.keys(notReady) as Aspect[];

/** Ready, and at most one of Reconciling and Stalled. */
export function summaryOf(instance: GatewayInstance, conditions: ConditionStates, now: Date): Condition[] {
  return readyConditions(instance, now, readiness(conditions), stalled(conditions));
}

/** The condition Ready. Features that the spec does not request do not count. */
export function readiness(conditions: ConditionStates): ConditionState<'Ready'> {
  const [first] = failing(conditions);
  if (first === undefined) return { status: 'True', reason: 'Ready', message: 'All requested features are ready.' };
  const { status, message } = conditions[first];
  return { status, reason: notReady[first], message };
}

/** An instance is stalled if one of its aspects is: whatever becomes of the others, it does not become ready by itself. */
function stalled(conditions: ConditionStates): Omit<ConditionState<'Ready'>, 'status'> | undefined {
  const first = failing(conditions).find((type) => needsUser(conditions[type].reason));
  return first === undefined ? undefined : { reason: notReady[first], message: conditions[first].message };
}

function failing(conditions: ConditionStates): readonly Aspect[] {
  return aspects.filter((type) => {
    const { status, reason } = conditions[type];
    return status !== 'True' && reason !== 'NotRequested';
  });
}
