/** Test support: the policies of calls. */
import { defaultPolicy, type DocumentPolicy, type ServiceSettings } from '../../detection/detection.ts';
import { createCallPolicies, NO_CUSTOMER_POLICIES, type CallPolicies } from '../pipeline.ts';

/** Settings of a service, as the program has them by default. */
export const testSettings: ServiceSettings = {
  profile: 'personal',
  recall: 'balanced',
  images: 'redact',
  remoteImages: 'block',
  mode: 'enforce',
  mappingTTL: 86_400_000,
};

/** No customer has a policy of its own. */
export function onlyService(policy: DocumentPolicy = defaultPolicy): CallPolicies {
  return createCallPolicies({
    service: { current: policy },
    customers: { current: NO_CUSTOMER_POLICIES },
    settings: testSettings,
  });
}
