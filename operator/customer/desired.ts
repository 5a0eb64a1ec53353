import { createHash } from 'node:crypto';
import type { GatewayCustomerSpec } from '../api/v1alpha1/v1alpha1.ts';
import type { Fields, FieldValues } from '../gateway/gateway.ts';
import { fieldsOf } from '../gateway/gateway.ts';

/**
 * The fields that a spec names. Other fields are cleared if the operator has set them, and otherwise not changed.
 * @param budgetId the id of the tier, also if the spec refers to a GatewayBudget
 */
export function desiredFields(spec: GatewayCustomerSpec, budgetId = spec.budgetId): Fields {
  const { objectPermission: permission } = spec;
  const all: Partial<Record<keyof FieldValues, FieldValues[keyof FieldValues] | undefined>> = {
    alias: spec.alias,
    maxBudget: spec.maxBudget,
    budgetDuration: spec.budgetDuration,
    budgetId,
    tpmLimit: spec.tpmLimit,
    rpmLimit: spec.rpmLimit,
    models: spec.models,
    defaultModel: spec.defaultModel,
    allowedModelRegion: spec.allowedModelRegion,
    blocked: spec.blocked,
    'objectPermission.mcpServers': permission?.mcpServers,
    'objectPermission.accessGroups': permission?.accessGroups,
    'objectPermission.vectorStores': permission?.vectorStores,
    'objectPermission.agents': permission?.agents,
    metadata: spec.metadata,
  };
  // Each value is the spec's field of the same name, so the types agree.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/**
 * A hash of the desired fields that does not depend on the order of lists and maps.
 * @param tierChange when the operator last changed the customer's tier. LiteLLM caches the limits with the customer, for
 *   as long as the customer makes a call each minute. Only a write of the customer invalidates the cache.
 */
export function specHash(desired: Fields, tierChange?: string): string {
  const fields = fieldsOf(desired).map((field) => [field, sorted(desired[field])]);
  const canonical = tierChange === undefined ? fields : [...fields, ['tierChange', tierChange]];
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 32);
}

function sorted(value: FieldValues[keyof FieldValues] | undefined): unknown {
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return (value as readonly string[]).toSorted();
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
