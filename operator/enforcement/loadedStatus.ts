/** What the status of an instance says about the files that every pod of its guardrail has. Pure. */
import type { GatewayInstance, GatewayInstanceStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { LoadedPart, Revisions } from './loadedRevisions.ts';

/** The fields of the status. */
export type LoadedStatus = Pick<GatewayInstanceStatus, 'customerList' | 'policy'>;

/** The list of who may call, as the operator has written it. */
export interface WrittenList {
  readonly revision: string;
  readonly customers: number;
  /** Whether it differs from the list that was stored before. */
  readonly isNew: boolean;
}

/** The revisions that the pods of an instance are expected to have. */
export function expectedRevisions(
  { status }: GatewayInstance,
  list: Pick<WrittenList, 'revision'> | undefined,
): Revisions {
  const policy = status?.guardrail?.policyRevision;
  return {
    ...(list === undefined ? {} : { customerList: list.revision }),
    ...(policy === undefined ? {} : { policy }),
  };
}

/**
 * What is known before the pods are asked. A list of an earlier revision remains: until the pods have the new one, they
 * enforce that one. The same revision after another one must be confirmed again, because pods may have read the other one.
 */
export function knownStatus(
  { status }: GatewayInstance,
  list: Pick<WrittenList, 'revision' | 'isNew'> | undefined,
): LoadedStatus {
  const { customerList, policy, guardrail } = status ?? {};
  const isOutdated = list?.isNew === true && customerList?.revision === list.revision;
  return {
    ...(customerList === undefined || isOutdated ? {} : { customerList }),
    ...(policy === undefined || policy.revision !== guardrail?.policyRevision ? {} : { policy }),
  };
}

/** The revisions that are expected and not known. */
export function unknownRevisions(known: LoadedStatus, expected: Revisions): Revisions {
  return Object.fromEntries(
    Object.entries(expected).filter(([part, revision]) => known[part as LoadedPart]?.revision !== revision),
  );
}

/** What is known after the pods were asked. */
export function confirmedStatus(
  known: LoadedStatus,
  loaded: ReadonlySet<LoadedPart>,
  { policy, list }: { readonly policy: string | undefined; readonly list: Omit<WrittenList, 'isNew'> | undefined },
  now: Date,
): LoadedStatus {
  const enforcedAt = now.toISOString();
  return {
    ...known,
    ...(list !== undefined && loaded.has('customerList')
      ? { customerList: { revision: list.revision, customers: list.customers, enforcedAt } }
      : {}),
    ...(policy !== undefined && loaded.has('policy') ? { policy: { revision: policy, enforcedAt } } : {}),
  };
}
