import type { Field, Fields, ObservedCustomer, ObservedValues } from '../gateway/gateway.ts';
import { allFields, fieldsOf, isEmpty, sameValue } from '../gateway/gateway.ts';

/** How a record differs from what is wanted of it. Only fields that we want, or have set before, are looked at. */
export interface Drift {
  /** Wanted fields that have another value. */
  readonly differs: readonly Field[];
  /** Wanted fields that the gateway's answers do not speak of: it cannot hold them, as far as can be seen. */
  readonly unheld: readonly Field[];
  /** Fields that we have set, that are no longer wanted, and that still have a value. */
  readonly uncleared: readonly Field[];
}

/** Compares what the gateway reports with what is wanted. */
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

/** What we have set at the gateway, once a record is as far as it can be brought. */
export function appliedAfter(wanted: Fields, drift: Drift): Field[] {
  const unheld = new Set(drift.unheld);
  const uncleared = new Set(drift.uncleared);
  return allFields.filter((field) => (wanted[field] !== undefined && !unheld.has(field)) || uncleared.has(field));
}
