/** Kubernetes objects as JSON. */
import type {
  V1Container,
  V1Deployment,
  V1DeploymentCondition,
  V1DeploymentStatus,
  V1EnvVar,
  V1Pod,
  V1Service,
  V1Volume,
} from '@kubernetes/client-node';
import type { AsJson } from '../../../operator/runtime/runtime.ts';

export type Container = AsJson<V1Container>;
export type Deployment = AsJson<V1Deployment>;
export type DeploymentCondition = AsJson<V1DeploymentCondition>;
export type DeploymentStatus = AsJson<V1DeploymentStatus>;
export type EnvVar = AsJson<V1EnvVar>;
export type Pod = AsJson<V1Pod>;
export type Service = AsJson<V1Service>;
export type Volume = AsJson<V1Volume>;

/** Converts a client's object, in which dates are Date objects, to JSON. */
export function asJson<T>(value: T): AsJson<T> {
  return JSON.parse(JSON.stringify(value)) as AsJson<T>;
}
