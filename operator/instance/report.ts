/** Reports the outcome of a reconcile: one write of the status, and the events of its transitions. */
import type { CustomerCounts, GatewayInstance, GatewayInstanceStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import type { ProbeResult } from '../connection/connection.ts';
import type { GuardrailResult } from '../guardrail/guardrail.ts';
import { sidecarCondition } from '../guardrail/guardrail.ts';
import type { ObservedProxy, ProxyResult } from '../proxy/proxy.ts';
import { isNotFound, keyText } from '../runtime/runtime.ts';
import type { DefaultBudget } from './defaultBudget.ts';
import { defaultBudgetCondition } from './defaultBudgetCondition.ts';
import type { Dependencies } from './dependencies.ts';
import { rotationEvents, transitions } from './events.ts';
import { sharedSessionsNote } from './sharedSessions.ts';
import { countCustomers, guardrailStatus, nextStatus, statusWithReady } from './status.ts';

/** The results of the steps of a reconcile. */
export interface Outcome {
  readonly probe: ProbeResult;
  readonly budget: DefaultBudget;
  readonly guardrail: GuardrailResult;
  readonly proxy: ProxyResult;
  readonly observed: ObservedProxy;
  /** When the guardrail last got a call without an end user; undefined: it is not known, or such calls share no session. */
  readonly lastCall: string | undefined;
}

/** Writes the status of a complete reconcile. */
export async function reportOutcome(
  dependencies: Dependencies,
  before: GatewayInstance,
  outcome: Outcome,
): Promise<void> {
  const status = statusOf(dependencies, before, outcome);
  const { keys } = outcome.guardrail.plan ?? {};
  for (const event of [...transitions(before, status), ...rotationEvents(keys)]) {
    dependencies.events.record(before, event);
  }
  await dependencies.status.write(before, status);
}

/** Writes the condition Ready of an instance whose reconcile ends here. */
export async function reportReady(
  dependencies: Dependencies,
  before: GatewayInstance,
  ready: ConditionState<'Ready'>,
): Promise<void> {
  const status = statusWithReady(before, ready, customerCounts(dependencies, before), dependencies.now());
  for (const event of transitions(before, status)) dependencies.events.record(before, event);
  await dependencies.status.write(before, status).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Counts the customers of an instance. */
export function customerCounts({ customers }: Dependencies, instance: GatewayInstance): CustomerCounts {
  return countCustomers(instance, customers.get(keyText(instance.metadata)));
}

function statusOf(
  dependencies: Dependencies,
  before: GatewayInstance,
  { probe, budget, guardrail, proxy, lastCall }: Outcome,
): GatewayInstanceStatus {
  const conditions = {
    Reachable: probe.condition,
    ProxyConfigured: proxy.condition,
    DefaultBudgetEnforced: defaultBudgetCondition(before, budget, proxy.condition),
    GuardrailReady: withNotes(
      guardrail.condition ?? sidecarCondition(proxy.deployment, proxy.condition.message),
      guardrail.note,
      sharedSessionsNote(lastCall, dependencies.now()),
    ),
  };
  const endpoint = probe.endpoint ?? before.status?.endpoint;
  return nextStatus(
    before,
    conditions,
    {
      endpoint,
      customers: customerCounts(dependencies, before),
      guardrail: guardrailStatus(before, guardrail, endpoint, lastCall),
      budgetRowId: budget.rowId,
    },
    dependencies.now(),
  );
}

function withNotes(
  condition: ConditionState<'GuardrailReady'>,
  ...notes: readonly (string | undefined)[]
): ConditionState<'GuardrailReady'> {
  const message = [condition.message, ...notes].filter((sentence) => sentence !== undefined).join(' ');
  return { ...condition, message };
}
