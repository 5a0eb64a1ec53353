/** The kinds of Kubernetes objects that the reconcile of an instance reads and writes. */
import type {
  V1ConfigMap,
  V1Deployment,
  V1EndpointSlice,
  V1NetworkPolicy,
  V1Pod,
  V1PodDisruptionBudget,
  V1Secret,
  V1Service,
  V1ServiceAccount,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import { GROUP } from '../api/v1alpha1/v1alpha1.ts';
import type { FromServer, KubeObject, ResourceKind, ResourceKindNames } from '../runtime/runtime.ts';
import { OPERATOR_NAME } from '../operatorName.ts';
import { resource } from '../runtime/runtime.ts';

/** The manager of an object: the value of `app.kubernetes.io/managed-by` on every object that the operator writes. */
export const MANAGED_BY = OPERATOR_NAME;
/**
 * The label that names the instance: on every object that the operator writes for it, and on a gateway's own Deployment
 * while it contains the operator's part.
 */
export const INSTANCE_LABEL = `${GROUP}/instance`;
/**
 * The label of the gateway's pods whose sidecar takes calls of applications, with the label of the instance as its value.
 */
export const GUARDED_LABEL = `${GROUP}/guarded-by`;
/** The label of namespaces whose pods may read metrics, with the value `true`. A cluster admin sets it. */
export const METRICS_LABEL = `${GROUP}/metrics`;

/** A kind whose caches contain only the objects that the operator manages. */
function managed<T extends KubeObject>(group: string, version: string, kind: string): ResourceKind<T> {
  return resource<T>(kindNames(group, version, kind), { labelSelector: `app.kubernetes.io/managed-by=${MANAGED_BY}` });
}

/** The plural of each kind in this file is its lower-case name with an s, or with ies instead of y. */
function kindNames(group: string, version: string, kind: string): ResourceKindNames {
  return { group, version, kind, plural: `${kind.toLowerCase()}s`.replace(/ys$/, 'ies') };
}

export const secrets = resource<FromServer<V1Secret>>(kindNames('', 'v1', 'Secret'));
export const services = managed<FromServer<V1Service>>('', 'v1', 'Service');
/** Kubernetes copies the labels of a Service to its EndpointSlices. */
export const endpointSlices = managed<FromServer<V1EndpointSlice>>('discovery.k8s.io', 'v1', 'EndpointSlice');
export const configMaps = managed<FromServer<V1ConfigMap>>('', 'v1', 'ConfigMap');
export const serviceAccounts = managed<FromServer<V1ServiceAccount>>('', 'v1', 'ServiceAccount');
/** The guardrails' Deployments. */
export const guardrailDeployments = managed<FromServer<V1Deployment>>('apps', 'v1', 'Deployment');
/**
 * The gateways' own Deployments that contain the operator's part. The label belongs to that part. If a Deployment loses
 * the label, it leaves the watch, which reports this as a deletion.
 */
export const proxyDeployments = resource<FromServer<V1Deployment>>(kindNames('apps', 'v1', 'Deployment'), {
  labelSelector: `${INSTANCE_LABEL},app.kubernetes.io/managed-by!=${MANAGED_BY}`,
});
export const podDisruptionBudgets = managed<FromServer<V1PodDisruptionBudget>>('policy', 'v1', 'PodDisruptionBudget');
export const horizontalPodAutoscalers = managed<FromServer<V2HorizontalPodAutoscaler>>(
  'autoscaling',
  'v2',
  'HorizontalPodAutoscaler',
);
export const networkPolicies = managed<FromServer<V1NetworkPolicy>>('networking.k8s.io', 'v1', 'NetworkPolicy');
/** Read by name, to detect that a namespace is being deleted. */
export const namespaces = resource<KubeObject>(kindNames('', 'v1', 'Namespace'), { namespaced: false });
/** Not watched: a cluster has many pods, and they change often. */
export const pods = resource<FromServer<V1Pod>>(kindNames('', 'v1', 'Pod'));
/** A kind of cert-manager. It exists only if its CRD is installed. */
export const certificates = resource<KubeObject>(kindNames('cert-manager.io', 'v1', 'Certificate'));
/** A kind of the Prometheus operator. It exists only if its CRD is installed. */
export const serviceMonitors = resource<KubeObject>(kindNames('monitoring.coreos.com', 'v1', 'ServiceMonitor'));
