/** The policy of a resource that only observes what the gateway has. Pure. */

interface Managed {
  readonly spec: { readonly managementPolicy?: 'Manage' | 'Observe' };
}

/** Whether the operator must change nothing at the gateway for a resource, not even when it is deleted. */
export function isObserveOnly({ spec }: Managed): boolean {
  return spec.managementPolicy === 'Observe';
}

/** Whether a change of a resource changes who may own its object at the gateway. */
export function changedManagement(before: Managed, after: Managed): boolean {
  return isObserveOnly(before) !== isObserveOnly(after);
}

/** What an observation found, as a condition reports it. */
export interface ObservationResult {
  /** Whether the gateway has the object with the values of the spec. */
  readonly matches: boolean;
  readonly reason: 'Observed' | 'Differs' | 'NotAtGateway';
  readonly message: string;
}

/**
 * Evaluates an observation.
 * @param noun the object, such as "customer"
 * @param differing the fields of the spec that have another value at the gateway; undefined: the gateway has no such object
 */
export function observationResult(noun: string, differing: readonly string[] | undefined): ObservationResult {
  const policy = 'spec.managementPolicy is Observe';
  if (differing === undefined) {
    const message = `The gateway has no such ${noun}, and ${policy}, so the operator does not create it. Create it at the gateway, or set managementPolicy to Manage.`;
    return { matches: false, reason: 'NotAtGateway', message };
  }
  if (differing.length > 0) {
    const message = `The gateway's ${noun} differs from the spec in ${differing.join(', ')}, and ${policy}, so the operator does not change it. Correct the spec, or set managementPolicy to Manage.`;
    return { matches: false, reason: 'Differs', message };
  }
  return {
    matches: true,
    reason: 'Observed',
    message: `The gateway's ${noun} matches the spec. The operator only observes it.`,
  };
}
