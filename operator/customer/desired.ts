import { createHash } from 'node:crypto';
import type { GatewayCustomerSpec } from '../api/v1alpha1/v1alpha1.ts';
import {
  allFields,
  type Field,
  type Fields,
  fieldsOf,
  type FieldValues,
  isEmpty,
  type ObservedCustomer,
  type ObservedValues,
  sameValue,
} from '../gateway/gateway.ts';

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

/**
 * How a record differs from the desired fields. Fields that are neither desired nor set by the operator do not count.
 */
export interface Drift {
  /** Desired fields that have another value. */
  readonly differs: readonly Field[];
  /** Desired fields that the gateway does not report, probably because it does not support them. */
  readonly unreported: readonly Field[];
  /** Fields that the operator has set, that are no longer desired, and that still have a value. */
  readonly uncleared: readonly Field[];
}

/** Compares the gateway's report with the desired fields. */
export function driftOf(
  desired: Fields,
  applied: ReadonlySet<Field>,
  observed: ObservedValues,
  reported: ObservedCustomer['reported'],
): Drift {
  const differing = fieldsOf(desired).filter((field) => !sameValue(desired[field], observed.effective[field]));
  return {
    differs: differing.filter((field) => reported.has(field)),
    unreported: differing.filter((field) => !reported.has(field)),
    uncleared: allFields.filter(
      (field) => applied.has(field) && desired[field] === undefined && !isEmpty(observed.present[field]),
    ),
  };
}

/** The fields that the operator has set after a successful write. */
export function appliedAfter(desired: Fields, drift: Drift): Field[] {
  const unreported = new Set(drift.unreported);
  const uncleared = new Set(drift.uncleared);
  return allFields.filter((field) => (desired[field] !== undefined && !unreported.has(field)) || uncleared.has(field));
}
