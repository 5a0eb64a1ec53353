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
    'See whether a namespace is being deleted, so that its customers do not wait for what is gone.',
  ],
  ['', 'pods', 'get', 'Read the image of its own pod, which guardrails run too.'],
  ['', 'pods', 'list', "Find the gateway's pods that have a guardrail as a sidecar."],
  ['', 'pods/portforward', '', 'Reach the guardrail in such a pod, to erase the sessions of a deleted customer.'],
  [
    '',
    'secrets',
    '',
    'Read by name what an instance refers to (master key, authority, address of Redis); keep the keys of its guardrail. No list, no watch.',
  ],
  ['', 'serviceaccounts', '', 'Run a guardrail as a ServiceAccount of its own, which has no rights.'],
  ['', 'services', '', 'Find the port of a gateway; give a guardrail its address.'],
  ['apiextensions.k8s.io', 'customresourcedefinitions', 'patch', 'Install and upgrade its own two definitions.'],
  [
    'apiextensions.k8s.io',
    'customresourcedefinitions',
    'get',
    'See whether its definition is being deleted: then customers stay at the gateway.',
  ],
  ['apps', 'deployments', '', "Run guardrails; put the sidecar into the gateway's Deployment, and roll it."],
  ['autoscaling', 'horizontalpodautoscalers', '', 'Scale a guardrail, where its instance asks for it.'],
  ['coordination.k8s.io', 'leases', 'update', 'Hold the lease by which one of its pods leads.'],
  ['coordination.k8s.io', 'leases', 'create', 'Create that lease.'],
  ['events.k8s.io', 'events', '', 'Report what happens to customers, instances and their namespaces.'],
  ['gateway.guardrail.dev', 'gatewaycustomers', '', 'Read customers; set and remove their finalizer and marks.'],
  ['gateway.guardrail.dev', 'gatewaycustomers/status', '', 'Write the status of customers.'],
  ['gateway.guardrail.dev', 'gatewayinstances', '', 'Read instances; set and remove their finalizer.'],
  [
    'gateway.guardrail.dev',
    'gatewayinstances/finalizers',
    '',
    'Own what is made for an instance, where owner references are enforced (OpenShift).',
  ],
  ['gateway.guardrail.dev', 'gatewayinstances/status', '', 'Write the status of instances.'],
  ['monitoring.coreos.com', 'servicemonitors', '', 'Have guardrails scraped, where the Prometheus operator is.'],
  ['networking.k8s.io', 'networkpolicies', '', 'Limit who reaches a guardrail.'],
  ['policy', 'poddisruptionbudgets', '', 'Keep a guardrail up while nodes are drained.'],
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
