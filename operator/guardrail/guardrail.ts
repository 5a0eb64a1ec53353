/** The face of this folder: what deploying a guardrail for an instance takes. */
export { leaveReplicas } from './autoscaling.ts';
export { type ErasureEndpoint, erasureEndpoints, NoGuardrailError, reachSidecars } from './erasure.ts';
export { guardrailImage, readOwnPod } from './image.ts';
export {
  GuardrailFault,
  type GuardrailMode,
  type GuardrailParts,
  type GuardrailPlan,
  modeOf,
  planGuardrail,
} from './plan.ts';
export {
  emptyPart,
  hasSidecar,
  mountsConfigMap,
  mountsSecret,
  type ProxyDeployment,
  proxyPatch,
  rolloutOf,
  templateAnnotation,
} from './sidecar.ts';
export { guardrailPolicy, guardrailWorkload } from './workload.ts';
