/** The public face of the customers' controller. */
import { customers, instances } from '../api/kinds.ts';
import { gatewayCustomerNames, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { keyOf, keyText, when, type Controller, type Runtime } from '../runtime/runtime.ts';
import { namesakes } from './access.ts';
import type { CustomerDependencies } from './parts.ts';
import { partsOf } from './parts.ts';
import { CustomerReconciler } from './reconcile.ts';

export type { GuardrailEndpoint, GuardrailEndpoints } from './erasure.ts';
export type { CustomerDependencies } from './parts.ts';

/** Reconciles GatewayCustomers into the records of their gateways. */
export function customerController(runtime: Runtime, dependencies: CustomerDependencies): Controller {
  const parts = partsOf(runtime, dependencies);
  const reconciler = new CustomerReconciler(parts);
  return (
    when(customers)
      // A customer's namesakes are told when it comes or goes: the next oldest takes over.
      .watches(customers, (customer) => namesakes(parts, customer), { changed: () => false })
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
      .reconcile(reconciler)
  );
}

/** Its spec, or that its gateway answers again: those who waited for it need not wait out their backoff. */
function mattersToCustomers(before: GatewayInstance, after: GatewayInstance): boolean {
  return before.metadata.generation !== after.metadata.generation || (isReachable(after) && !isReachable(before));
}

function isReachable(instance: GatewayInstance): boolean {
  return instance.status?.conditions?.some(({ type, status }) => type === 'Reachable' && status === 'True') === true;
}
