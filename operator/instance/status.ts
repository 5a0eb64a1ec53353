/** The status of an instance, computed from its previous status and the outcome of a reconcile. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { policyRevision } from '../../guardrail/guardrail.ts';
import type {
  CustomerCounts,
  GatewayCustomer,
  GatewayInstance,
  GatewayInstanceStatus,
  GuardrailStatus,
} from '../api/v1alpha1/v1alpha1.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { namesOf } from '../cluster/cluster.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { nextCondition, readyConditions } from '../conditions/conditions.ts';
import { admits } from '../connection/connection.ts';
import type { ActiveGuardrail, GuardrailPlan, GuardrailResult } from '../guardrail/guardrail.ts';
import { guardedUrl, isCalledByApplications, mcpUrl } from '../guardrail/guardrail.ts';
import { policyEnforcement } from '../policy/policy.ts';
import { type Aspect, type ConditionStates, summaryOf } from './readiness.ts';

/** The order of the conditions in the status, after Ready. */
const aspects: readonly Aspect[] = ['Reachable', 'ProxyConfigured', 'DefaultBudgetEnforced', 'GuardrailReady'];

/** The fields of the status in addition to the conditions. */
export interface ObservedFields {
  readonly endpoint: string | undefined;
  readonly customers: CustomerCounts;
  readonly guardrail: GuardrailStatus | undefined;
  /** Id of the budget row that the gateway may have for this instance. */
  readonly budgetRowId: string | undefined;
}

/** @returns the status after a reconcile; the same object if nothing has changed */
export function nextStatus(
  before: GatewayInstance,
  conditions: ConditionStates,
  observed: ObservedFields,
  now: Date,
): GatewayInstanceStatus {
  const { generation } = before.metadata;
  const { customerList, policy } = before.status ?? {};
  const { reason, status: guardrailReady } = conditions.GuardrailReady;
  return sameIfEqual(before, {
    ...(observed.endpoint === undefined ? {} : { endpoint: observed.endpoint }),
    customers: observed.customers,
    ...(observed.guardrail === undefined ? {} : { guardrail: observed.guardrail }),
    // For the printer column, in which False means that something is wrong.
    ...(reason === 'NotRequested' ? {} : { guardrailReady }),
    // Another controller writes it.
    ...(customerList === undefined ? {} : { customerList }),
    ...(policy === undefined ? {} : { policy }),
    defaultBudget: observed.budgetRowId === undefined ? {} : { rowId: observed.budgetRowId },
    ...(reason === 'SidecarContested' ? { sidecarContestedGeneration: generation } : {}),
    observedGeneration: generation,
    conditions: [
      ...summaryOf(before, conditions, now),
      ...aspects.map((type) => nextCondition(before, now, { type, ...conditions[type] })),
    ],
  });
}

/** @returns the status of an instance that is paused, deleted or cannot be reconciled: only Ready and Reconciling change */
export function statusWithReady(
  before: GatewayInstance,
  ready: ConditionState<'Ready'>,
  customers: CustomerCounts,
  now: Date,
): GatewayInstanceStatus {
  const others = (before.status?.conditions ?? []).filter(({ type }) => aspects.some((aspect) => aspect === type));
  return sameIfEqual(before, {
    ...before.status,
    customers,
    observedGeneration: before.metadata.generation,
    conditions: [...readyConditions(before, now, ready, undefined), ...others],
  });
}

/**
 * The field `guardrail` of the status.
 * @param gatewayEndpoint the gateway's own address; undefined if it is not known
 * @param lastCall when the guardrail last got a call without an end user; undefined if it is not known
 */
export function guardrailStatus(
  before: GatewayInstance,
  { active, plan }: Pick<GuardrailResult, 'active' | 'plan'>,
  gatewayEndpoint: string | undefined,
  lastCall?: string,
): GuardrailStatus | undefined {
  if (active === undefined) return undefined;
  const known = before.status?.guardrail;
  const api = plan?.keys.api.keys.annotations[annotations.rotateApiKey] ?? known?.lastHandledApiKeyRotation;
  const encryption =
    plan?.keys.guardrail.keys.annotations[annotations.rotateEncryptionKey] ?? known?.lastHandledEncryptionKeyRotation;
  const clientEndpoint = isCalledByApplications(active.integration) ? guardedUrl(before, active.url) : gatewayEndpoint;
  const mcpEndpoint = plan === undefined ? known?.mcpEndpoint : mcpEndpointOf(before, active, plan);
  const policyFile = plan?.inputs.policy;
  // A frozen guardrail keeps its policy file.
  const frozen = plan === undefined ? known?.policyRevision : undefined;
  const revision = policyFile === undefined ? frozen : policyRevision(policyFile);
  return {
    mode: active.mode,
    integration: active.integration,
    endpoint: active.url,
    ...(clientEndpoint === undefined ? {} : { clientEndpoint }),
    ...(mcpEndpoint === undefined ? {} : { mcpEndpoint }),
    apiKeySecretName: namesOf(before).apiKeySecret,
    enforcement: enforcementOf(before, plan, known),
    ...(revision === undefined ? {} : { policyRevision: revision }),
    ...(lastCall === undefined ? {} : { lastCallWithoutEndUser: lastCall }),
    ...(api === undefined ? {} : { lastHandledApiKeyRotation: api }),
    ...(encryption === undefined ? {} : { lastHandledEncryptionKeyRotation: encryption }),
  };
}

/** The MCP proxy runs beside the inline proxy of a Deployment. */
function mcpEndpointOf(
  instance: GatewayInstance,
  active: ActiveGuardrail,
  { spec, wanted }: GuardrailPlan,
): string | undefined {
  if (active.mode === 'Sidecar' || !isCalledByApplications(active.integration) || spec.mcp === undefined) {
    return undefined;
  }
  // Until every pod has the settings of the spec, not every pod has the port.
  if (active !== wanted) return instance.status?.guardrail?.mcpEndpoint;
  return mcpUrl(instance, spec, active.url.startsWith('https:') ? 'https' : 'http');
}

/** A frozen guardrail keeps what it does. */
function enforcementOf(
  { spec }: GatewayInstance,
  plan: GuardrailResult['plan'],
  known: GuardrailStatus | undefined,
): 'Enforce' | 'Monitor' {
  const fallback = spec.guardrail?.enforcement ?? 'Enforce';
  if (plan === undefined) return known?.enforcement ?? fallback;
  return policyEnforcement(plan.inputs.policy) ?? fallback;
}

/** Counts the customers of an instance. A customer that was never reconciled is neither synced nor failed. */
export function countCustomers(instance: GatewayInstance, referring: readonly GatewayCustomer[]): CustomerCounts {
  const counted = referring.filter((customer) => counts(instance, customer));
  return {
    total: counted.length,
    synced: counted.filter(({ status }) => status?.synced === true).length,
    failed: counted.filter(({ status }) => status?.synced === false).length,
  };
}

/**
 * Whether a customer counts: the instance admits it, or according to its status it still has a record at the gateway.
 * The owner mark does not count: authors of customers can copy it, and customers of a namespace that is not allowed
 * must not block the deletion of an instance.
 */
function counts(instance: GatewayInstance, { metadata, spec, status }: GatewayCustomer): boolean {
  const admitted = admits(instance, metadata.namespace, spec.customerId);
  return admitted || status?.specHash !== undefined || status?.appliedFields !== undefined;
}

function sameIfEqual({ status }: GatewayInstance, next: GatewayInstanceStatus): GatewayInstanceStatus {
  return status !== undefined && isDeepStrictEqual(next, status) ? status : next;
}
