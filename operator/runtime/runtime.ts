/**
 * The operator's runtime. Other folders import only this file of the folder:
 *
 * ```ts
 * export const customers = resource<GatewayCustomer>(gatewayCustomerNames);
 *
 * export function customerController(runtime: Runtime): Controller {
 *   const cache = runtime.cache(customers);
 *   const ofInstance = cache.indexBy((customer) => [instanceOf(customer)]);
 *   return when(customers)
 *     .watches(instances, (instance) => ofInstance.keys(keyText(keyOf(instance))))
 *     .reconcile(async (key, { signal, log }) => ({ requeueAfter: 300_000 }));
 * }
 * ```
 */
export { systemClock, withDeadline, type Clock } from './clock.ts';
export type { HttpOptions } from './manager/httpServers.ts';
export { Manager, LONGEST_END_MS, type ManagerOptions } from './manager/manager.ts';
export type {
  ApplyObject,
  Cache,
  EventDetails,
  EventRecorder,
  Finalizer,
  Index,
  KubeClient,
  Lister,
  MergePatch,
  Permission,
  ReconcileContext,
  Reconciler,
  Result,
  Runtime,
  StatusWriter,
  Subresource,
} from './contract.ts';
export { ClusterReader } from './client/clusterReader.ts';
export { FIELD_MANAGER } from './client/client.ts';
export {
  ApiError,
  RetryAfterError,
  StartError,
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
} from './client/errors.ts';
export { LeaseLostError } from './manager/lease.ts';
export { LOG_LEVELS, createLogger, printable, type LogLevel } from './log.ts';
export { CollectedGauge, RuntimeMetrics, type Sample } from './metrics.ts';
export {
  apiVersionOf,
  keyOf,
  keyText,
  ownerReference,
  parseKey,
  resource,
  type AsJson,
  type FromServer,
  type KubeObject,
  type Metadata,
  type ObjectKey,
  type OwnerReference,
  type ResourceKind,
  type ResourceKindNames,
} from './objects.ts';
export { plannedPermissions, policyRules, type PolicyRule } from './manager/permissions.ts';
export {
  changedBesidesStatus,
  ownerReferencePermission,
  when,
  type ControllerSpec,
  type ControllerBuilder,
  type Watch,
} from './controller/controllerSpec.ts';
