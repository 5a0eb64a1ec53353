/** The purpose of each right of the operator. The generated roles and their documentation contain these sentences. */
import type { PolicyRule } from './runtime/runtime.ts';

/** A resource, a verb that distinguishes its rules if it has several, and their purpose. */
type Purpose = readonly [group: string, resource: string, verb: string, why: string];

const PURPOSES: readonly Purpose[] = [
  [
    '',
    'configmaps',
    '',
    "Read the base of a gateway's configuration; write the configuration and the guardrail's policy.",
  ],
  [
    '',
    'namespaces',
    '',
    'Detect that a namespace is being deleted, so that its customers do not wait for deleted objects.',
  ],
  ['', 'pods', 'get', 'Read the image of its own pod, which guardrails use by default.'],
  ['', 'pods', 'list', "Find the gateway's pods that have a guardrail as a sidecar."],
  ['', 'pods/portforward', '', 'Connect to the guardrail in such a pod to erase the sessions of a deleted customer.'],
  [
    '',
    'secrets',
    '',
    'Read by name the Secrets that an instance refers to (master key, certificate authority, Redis URL); manage the keys of its guardrail. No list, no watch.',
  ],
  ['', 'serviceaccounts', '', 'Create a ServiceAccount without rights for each guardrail.'],
  ['', 'services', '', 'Read the port of a gateway; expose a guardrail.'],
  [
    'apiextensions.k8s.io',
    'customresourcedefinitions',
    'patch',
    'Install and upgrade its two CustomResourceDefinitions.',
  ],
  [
    'apiextensions.k8s.io',
    'customresourcedefinitions',
    'get',
    'Detect that its CustomResourceDefinition is being deleted: customers then remain at the gateway.',
  ],
  ['apps', 'deployments', '', "Run guardrails; add the sidecar to the gateway's Deployment and restart it."],
  ['autoscaling', 'horizontalpodautoscalers', '', 'Scale a guardrail if its instance requests autoscaling.'],
  ['coordination.k8s.io', 'leases', 'update', 'Acquire and renew the lease for leader election.'],
  ['coordination.k8s.io', 'leases', 'create', 'Create the lease for leader election.'],
  ['events.k8s.io', 'events', '', 'Record events about customers, instances and their namespaces.'],
  ['gateway.guardrail.dev', 'gatewaycustomers', '', 'Read customers; set and remove their finalizer and marks.'],
  ['gateway.guardrail.dev', 'gatewaycustomers/status', '', 'Write the status of customers.'],
  ['gateway.guardrail.dev', 'gatewayinstances', '', 'Read instances; set and remove their finalizer.'],
  [
    'gateway.guardrail.dev',
    'gatewayinstances/finalizers',
    '',
    'Set owner references to instances if the cluster enforces permissions for them (OpenShift).',
  ],
  ['gateway.guardrail.dev', 'gatewayinstances/status', '', 'Write the status of instances.'],
  [
    'monitoring.coreos.com',
    'servicemonitors',
    '',
    'Create ServiceMonitors for guardrails if the Prometheus operator is installed.',
  ],
  ['networking.k8s.io', 'networkpolicies', '', 'Restrict network access to a guardrail.'],
  ['policy', 'poddisruptionbudgets', '', 'Keep a guardrail available while nodes are drained.'],
];

/**
 * @returns the purpose of a rule
 * @throws Error if the table has no purpose for it
 */
export function purposeOf({ apiGroups, resources, verbs }: PolicyRule): string {
  const found = PURPOSES.find(
    ([group, resource, verb]) =>
      apiGroups.includes(group) && resources.includes(resource) && (verb === '' || verbs.includes(verb)),
  );
  if (found === undefined) {
    throw new Error(`Say in operator/rightsPurposes.ts what the right on ${resources.join(', ')} is for.`);
  }
  return found[3];
}
