/** The face of this folder: the parts of a reconcile that all kinds share. */
export { isAnnotated, pendingSyncRequest } from './annotated.ts';
export { CurrentResource, DeletedFirstError, type ResourceWriters } from './currentResource.ts';
export { definitionPermission, isDefinitionBeingDeleted } from './deletion.ts';
export { type GatewayFailureReason, keyRetryMs, reportGatewayFailure } from './gatewayFailure.ts';
export { changedManagement, isObserveOnly, observationResult } from './managementPolicy.ts';
export { OutageTolerance } from './outageTolerance.ts';
export { deletionRetryMs, forceDeleteRemedy, type OrphanReason, Release, retryOrForceRemedy } from './release.ts';
export { isSyncTimeOutdated, syncEvents, type SyncTransition } from './syncTransition.ts';
export { Throttle } from './throttle.ts';
