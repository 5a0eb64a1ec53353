/** What the status of an instance says about the files that every pod of its guardrail has. Pure. */
import type { GatewayInstance, GatewayInstanceStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { KnownPods } from './podAnswers.ts';
import type { WrittenLists } from './writtenLists.ts';

/** The fields of the status. */
export type LoadedStatus = Pick<GatewayInstanceStatus, 'customerList' | 'policy'>;

/**
 * @param pods what every pod has; undefined: no pod takes calls, so that what the status says remains true
 * @param lists the lists that were written. One that pods had before remains reported until all of them have a newer one
 */
export function loadedStatus(
  { status }: GatewayInstance,
  pods: Pick<KnownPods, 'list' | 'hasPolicy'> | undefined,
  lists: Pick<WrittenLists, 'newest' | 'numberOf' | 'at'>,
  now: Date,
): LoadedStatus {
  const { customerList: known, policy: knownPolicy, guardrail } = status ?? {};
  const number = pods?.list ?? lists.numberOf(known?.revision);
  const list = pods === undefined ? known : lists.at(number);
  // The same list after another one: pods may have read the other one.
  const isAmbiguous = list !== undefined && lists.numberOf(list.revision) !== number;
  const revision = guardrail?.policyRevision;
  const hasPolicy =
    revision !== undefined && (pods === undefined ? knownPolicy?.revision === revision : pods.hasPolicy);
  const enforcedAt = now.toISOString();
  return {
    ...(list === undefined || isAmbiguous
      ? {}
      : {
          customerList: {
            revision: list.revision,
            customers: list.customers,
            enforcedAt: known?.revision === list.revision ? known.enforcedAt : enforcedAt,
          },
        }),
    ...(hasPolicy
      ? { policy: { revision, enforcedAt: knownPolicy?.revision === revision ? knownPolicy.enforcedAt : enforcedAt } }
      : {}),
  };
}
