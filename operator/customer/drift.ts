import type { Field, Fields, ObservedCustomer, ObservedValues } from '../gateway/gateway.ts';
import { allFields, fieldsOf, isEmpty, sameValue } from '../gateway/gateway.ts';

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
