/** The face of this folder: the reconciler of resources that stand for a record at a gateway, such as customers and budgets. */
export {
  type Adapter,
  type AdapterWords,
  type ConnectionPurpose,
  type ExternalDependencies,
  PendingError,
  type Run,
} from './adapter.ts';
export {
  type Claim,
  type Claimant,
  claimKey,
  type ClaimRules,
  Claims,
  isForeign,
  type Ownership,
  reapplyGraceMs,
  yieldsTo,
} from './claims.ts';
export { ExternalReconciler } from './reconcile.ts';
export type { AnyRecord, Change, Comparison, ExternalRecord } from './adapter.ts';
export {
  type External,
  type ExternalStatus,
  failed,
  isDecided,
  isInSync,
  type Outcome,
  type RecordOwnership,
  type StatusGateway,
  type SyncAction,
  withSyncTime,
} from './resource.ts';
