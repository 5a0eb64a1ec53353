/** The public face of the customers' controller. */
import { customers, instances } from '../api/kinds.ts';
import { gatewayCustomerNames, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { allows } from '../connection/connection.ts';
import { keyOf, keyText, when, type ControllerSpec, type ObjectKey, type Runtime } from '../runtime/runtime.ts';
import { otherClaimantKeys } from './claimants.ts';
import type { CustomerDependencies, Dependencies } from './dependencies.ts';
import { instanceKeyOf, createDependencies } from './dependencies.ts';
import { CustomerReconciler } from './reconcile.ts';

export type { GuardrailEndpoint, GuardrailEndpoints } from './erasure.ts';
export type { CustomerDependencies } from './dependencies.ts';

/** Reconciles GatewayCustomers into the records of their gateways. */
export function customerController(runtime: Runtime, dependencies: CustomerDependencies): ControllerSpec {
  const parts = createDependencies(runtime, dependencies);
  const reconciler = new CustomerReconciler(parts);
  return (
    when(customers)
      // A customer's namesakes are told when it comes or goes: the next oldest takes over.
      .watches(customers, (customer) => otherClaimantKeys(parts, customer), { changed: () => false })
      .watches(instances, (instance) => parts.byInstance.keys(keyText(keyOf(instance))), {
        changed: mattersToCustomers,
      })
      .needs(
        { group: '', resource: 'namespaces', verbs: ['get'], scope: 'watched' },
        {
          group: 'apiextensions.k8s.io',
          resource: 'customresourcedefinitions',
          verbs: ['get'],
          scope: 'cluster',
          resourceNames: [`${gatewayCustomerNames.plural}.${gatewayCustomerNames.group}`],
        },
      )
      .sharedBy((key) => groupOf(parts, key))
      .reconcile(reconciler)
  );
}

/**
 * The instance whose gateway a customer's reconcile calls. Customers that no instance takes are of their namespace: with
 * a name of its own for each, they would take one turn each.
 */
function groupOf({ cache, instances: known }: Dependencies, key: ObjectKey): string {
  const customer = cache.get(key);
  if (customer === undefined) return `${key.namespace}/`;
  const instance = known.get(instanceKeyOf(customer));
  const isTaken = instance !== undefined && allows(instance, key.namespace);
  return isTaken ? keyText(keyOf(instance)) : `${key.namespace}/`;
}

/** Its spec, or that its gateway answers again: those who waited for it need not wait out their backoff. */
function mattersToCustomers(before: GatewayInstance, after: GatewayInstance): boolean {
  return before.metadata.generation !== after.metadata.generation || (isReachable(after) && !isReachable(before));
}

function isReachable(instance: GatewayInstance): boolean {
  return instance.status?.conditions?.some(({ type, status }) => type === 'Reachable' && status === 'True') === true;
}
