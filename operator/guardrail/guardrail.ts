/** The face of this folder: deploys the guardrail of an instance, rotates its keys, and finds the pods that erase sessions. */
export { callGuardrail, type GuardrailAnswer } from './callGuardrail.ts';
export { customerListName, customerListObjects } from './customerList.ts';
export {
  erasureEndpoints,
  forwardedEndpoint,
  guardrailEndpoints,
  type GuardrailEndpoint,
  NoGuardrailError,
  sidecarPermissions,
} from './erasure.ts';
export { guardrailImage, ownPodPermission } from './image.ts';
export { files as guardrailFiles, tlsFiles } from './settings.ts';
export { writtenPolicy } from './readPolicy.ts';
export { type GuardrailMode, ownedChild } from './basics.ts';
export { guardedUrl } from './guarded.ts';
export { type ActiveGuardrail, integrationOf, isCalledByApplications, isCalledByGateway } from './paths.ts';
export { type GuardrailPlan, trusts } from './plan.ts';
export { mcpUrl } from './workload.ts';
export {
  type GuardedGateway,
  type GuardrailDependencies,
  type GuardrailResult,
  reconcileGuardrail,
  sidecarCondition,
} from './reconcile.ts';
export {
  emptyPatch,
  mountsConfigMap,
  mountsSecret,
  type ProxyDeployment,
  proxyPatch,
  type Rollout,
  rolloutOf,
  type Sidecar,
  templateAnnotation,
} from './sidecar.ts';
export type { SidecarRemovals } from './sidecarChecks.ts';
export type { GatewayTrust } from './tls.ts';
