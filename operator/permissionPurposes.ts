/** The purpose of each permission of the operator. The generated roles and their documentation contain these sentences. */
import type { PolicyRule } from './runtime/runtime.ts';

/**
 * The purposes by resource, as in `kubectl auth can-i`. If a resource has several rules, a verb tells them apart: the first
 * entry that matches a rule counts.
 */
const PURPOSES: Readonly<Record<string, string>> = {
  configmaps: "Read the base of a gateway's configuration; write the configuration and the guardrail's policy.",
  namespaces:
    'Detect that a namespace is being deleted, so that its customers, budgets and keys do not wait for deleted objects.',
  'pods get': 'Read the image of its own pod, which guardrails use by default.',
  'pods list': "Find the gateway's pods that have a guardrail as a sidecar.",
  'pods/portforward': 'Connect to the guardrail in such a pod to erase sessions, and to ask what it enforces.',
  'secrets patch':
    'Read by name the Secrets that an instance refers to (master key, certificate authority, Redis URL); make and change the keys of its guardrail, and the Secrets that GatewayKeys name. No list, no watch, no deletion.',
  secrets: 'Create and read the Secret with the key that signs owner marks.',
  serviceaccounts: 'Create a ServiceAccount without permissions for each guardrail.',
  services: 'Read the port of a gateway; expose a guardrail to it, or to applications.',
  'endpointslices.discovery.k8s.io': 'Find the pods of a guardrail that take calls, to ask each what it enforces.',
  'customresourcedefinitions.apiextensions.k8s.io patch': 'Install and upgrade its CustomResourceDefinitions.',
  'customresourcedefinitions.apiextensions.k8s.io get':
    'Detect that its CustomResourceDefinitions are being deleted: customers, budgets and keys then remain at the gateway.',
  'deployments.apps': "Run guardrails; add the sidecar to the gateway's Deployment and restart it.",
  'horizontalpodautoscalers.autoscaling': 'Scale a guardrail if its instance requests autoscaling.',
  'leases.coordination.k8s.io update': 'Acquire and renew the lease for leader election.',
  'leases.coordination.k8s.io create': 'Create the lease for leader election.',
  'events.events.k8s.io': 'Record events about customers, budgets, keys, policies, instances and their namespaces.',
  'gatewaybudgets.gateway.guardrail.dev': 'Read budgets; set and remove their finalizer.',
  'gatewaybudgets/status.gateway.guardrail.dev': 'Write the status of budgets.',
  'gatewaycustomers.gateway.guardrail.dev': 'Read customers; set and remove their finalizer and marks.',
  'gatewaycustomers/status.gateway.guardrail.dev': 'Write the status of customers.',
  'gatewaykeys.gateway.guardrail.dev': 'Read keys; set and remove their finalizer and marks.',
  'gatewaykeys/status.gateway.guardrail.dev': 'Write the status of keys.',
  'gatewayinstances.gateway.guardrail.dev': 'Read instances; set and remove their finalizer.',
  'gatewayinstances/finalizers.gateway.guardrail.dev':
    'Set owner references to instances if the cluster enforces permissions for them (OpenShift).',
  'gatewayinstances/status.gateway.guardrail.dev': 'Write the status of instances.',
  'guardrailpolicies.gateway.guardrail.dev': 'Read policies; set and remove their finalizer.',
  'guardrailpolicies/status.gateway.guardrail.dev': 'Write the status of policies.',
  'certificates.cert-manager.io':
    'Request the certificate of a guardrail if its instance names an issuer of cert-manager.',
  'servicemonitors.monitoring.coreos.com':
    'Create ServiceMonitors for guardrails if the Prometheus operator is installed.',
  'networkpolicies.networking.k8s.io':
    'Restrict network access to a guardrail, and to a gateway that only its guardrail may call.',
  'poddisruptionbudgets.policy': 'Keep a guardrail available while nodes are drained.',
};

/**
 * @returns the purpose of a rule
 * @throws Error if the table has no purpose for it
 */
export function purposeOf({ apiGroups: [group = ''], resources: [resource = ''], verbs }: PolicyRule): string {
  const name = group === '' ? resource : `${resource}.${group}`;
  const found = Object.entries(PURPOSES).find(([entry]) =>
    [name, ...verbs.map((verb) => `${name} ${verb}`)].includes(entry),
  );
  if (found === undefined) throw new Error(`operator/permissionPurposes.ts has no purpose for ${name}: add one.`);
  return found[1];
}
