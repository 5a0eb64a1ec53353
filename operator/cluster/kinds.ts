/** The kinds of Kubernetes objects that the reconcile of an instance reads and writes. */
import type {
  V1ConfigMap,
  V1Deployment,
  V1NetworkPolicy,
  V1Pod,
  V1PodDisruptionBudget,
  V1Secret,
  V1Service,
  V1ServiceAccount,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import { GROUP } from '../api/v1alpha1/v1alpha1.ts';
import type { FromServer, KubeObject } from '../runtime/runtime.ts';
import { OPERATOR_NAME } from '../operatorName.ts';
import { resource } from '../runtime/runtime.ts';

/** The manager of an object: the value of `app.kubernetes.io/managed-by` on every object that the operator writes. */
export const MANAGED_BY = OPERATOR_NAME;
/**
 * The label that names the instance: on every object that the operator writes for it, and on a gateway's own Deployment
 * while it has a part of the operator's.
 */
export const INSTANCE_LABEL = `${GROUP}/instance`;
/** The label of namespaces whose pods may read metrics, with the value `true`. A cluster admin sets it. */
export const METRICS_LABEL = `${GROUP}/metrics`;
const managed = { labelSelector: `app.kubernetes.io/managed-by=${MANAGED_BY}` };

export const secrets = resource<FromServer<V1Secret>>({ group: '', version: 'v1', kind: 'Secret', plural: 'secrets' });
export const services = resource<FromServer<V1Service>>(
  { group: '', version: 'v1', kind: 'Service', plural: 'services' },
  managed,
);
export const configMaps = resource<FromServer<V1ConfigMap>>(
  { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
  managed,
);
export const serviceAccounts = resource<FromServer<V1ServiceAccount>>(
  { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts' },
  managed,
);
const deployment = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' };
/** The guardrails' Deployments. */
export const guardrailDeployments = resource<FromServer<V1Deployment>>(deployment, managed);
/**
 * The gateways' own Deployments that have a part of the operator's. The label belongs to that part: a Deployment that
 * loses it leaves the watch, which reports this as a deletion.
 */
export const proxyDeployments = resource<FromServer<V1Deployment>>(deployment, {
  labelSelector: `${INSTANCE_LABEL},app.kubernetes.io/managed-by!=${MANAGED_BY}`,
});
export const podDisruptionBudgets = resource<FromServer<V1PodDisruptionBudget>>(
  { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets' },
  managed,
);
export const horizontalPodAutoscalers = resource<FromServer<V2HorizontalPodAutoscaler>>(
  { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler', plural: 'horizontalpodautoscalers' },
  managed,
);
export const networkPolicies = resource<FromServer<V1NetworkPolicy>>(
  { group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy', plural: 'networkpolicies' },
  managed,
);
/** Read by name, to see whether a namespace is being deleted. */
export const namespaces = resource<KubeObject>(
  { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces' },
  { namespaced: false },
);
/** Not watched: a cluster has many pods, and they change often. */
export const pods = resource<FromServer<V1Pod>>({ group: '', version: 'v1', kind: 'Pod', plural: 'pods' });
/** Of the Prometheus operator. The kind exists only where its CRD is installed. */
export const serviceMonitors = resource<KubeObject>({
  group: 'monitoring.coreos.com',
  version: 'v1',
  kind: 'ServiceMonitor',
  plural: 'servicemonitors',
});
