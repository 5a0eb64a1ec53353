/** The face of this folder: the reconciler of resources that stand for a record at a gateway, such as customers and budgets. */
export {
  type Adapter,
  type AdapterWords,
  type AnyRecord,
  type Change,
  type Comparison,
  type ConnectionPurpose,
  type ExternalDependencies,
  type ExternalRecord,
  PendingError,
  Run,
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
export { syncRecord } from './sync.ts';
