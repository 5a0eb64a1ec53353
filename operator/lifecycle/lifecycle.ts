/** The face of this folder: the parts of a reconcile that all kinds share. */
export { forceDeleteRemedy, isAnnotated, pendingSyncRequest } from './annotated.ts';
export { CurrentResource, DeletedFirstError, type ResourceWriters } from './currentResource.ts';
export { definitionPermission, isDefinitionBeingDeleted } from './deletion.ts';
export { changedManagement, isObserveOnly, observationResult } from './managementPolicy.ts';
export { Throttle } from './throttle.ts';
