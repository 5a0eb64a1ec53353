import type { Field, Fields, ObservedCustomer, ObservedValues } from '../gateway/gateway.ts';
import { allFields, fieldsOf, isEmpty, sameValue } from '../gateway/gateway.ts';

/** How a record differs from the desired fields. Fields that the operator neither wants nor has set do not count. */
export interface Drift {
  /** Desired fields that have another value. */
  readonly differs: readonly Field[];
  /** Desired fields that the gateway does not report: it seems not to support them. */
  readonly unheld: readonly Field[];
  /** Fields that the operator has set, that are no longer desired, and that still have a value. */
  readonly uncleared: readonly Field[];
}

/** Compares the gateway's report with the desired fields. */
export function driftOf(
  wanted: Fields,
  applied: ReadonlySet<Field>,
  seen: ObservedValues,
  reported: ObservedCustomer['reported'],
): Drift {
  const amiss = fieldsOf(wanted).filter((field) => !sameValue(wanted[field], seen.effective[field]));
  return {
    differs: amiss.filter((field) => reported.has(field)),
    unheld: amiss.filter((field) => !reported.has(field)),
    uncleared: allFields.filter(
      (field) => applied.has(field) && wanted[field] === undefined && !isEmpty(seen.present[field]),
    ),
  };
}

/** The fields that the operator has set after a successful write. */
export function appliedAfter(wanted: Fields, drift: Drift): Field[] {
  const unheld = new Set(drift.unheld);
  const uncleared = new Set(drift.uncleared);
  return allFields.filter((field) => (wanted[field] !== undefined && !unheld.has(field)) || uncleared.has(field));
}
