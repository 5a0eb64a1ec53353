/** The face of this folder: the reconciler of resources that stand for a record at a gateway, such as customers and budgets. */
export {
  type Access,
  type Adapter,
  type AdapterWords,
  type Announcement,
  type AnyRecord,
  type Comparison,
  type ConnectionPurpose,
  type ExternalDependencies,
  type ExternalRecord,
  PendingError,
  type RecordDeletion,
  type Report,
  Run,
  type Sync,
} from './adapter.ts';
export { type Claim, claimKey, type ClaimRules, Claims, type Ownership, reapplyGraceMs, yieldsTo } from './claims.ts';
export { type ExternalController, externalDependencies, externalController, recordMetrics } from './controller.ts';
export { ExternalReconciler, syncRecord } from './reconcile.ts';
export { failed, named, type Origin, ownedByAnother } from './outcomes.ts';
export {
  hashOf,
  isForeign,
  isInSync,
  nextStatus,
  type Outcome,
  type StatusGateway,
  type StatusRules,
  type Words,
} from './resource.ts';
