/** Test support: the policies of calls. */
import { defaultPolicy, type DocumentPolicy } from '../../detection/detection.ts';
import { testSettings } from '../../detection/testing/serviceSettings.ts';
import { createCallPolicies, NO_CUSTOMER_POLICIES, type CallPolicies } from '../pipeline.ts';

/** No customer has a policy of its own. */
export function onlyService(policy: DocumentPolicy = defaultPolicy): CallPolicies {
  return createCallPolicies({
    service: { current: policy },
    customers: { current: NO_CUSTOMER_POLICIES },
    settings: testSettings,
  });
}
