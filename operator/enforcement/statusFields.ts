import type { GatewayCustomerStatus, GatewayInstanceStatus } from '../api/v1alpha1/v1alpha1.ts';

/** The fields of statuses that only the controller of enforcement writes. */
export const enforcementFields = {
  customer: ['enforcedAt', 'enforcedAccess', 'guardrailPolicy'] as const satisfies (keyof GatewayCustomerStatus)[],
  instance: ['customerList', 'policy'] as const satisfies (keyof GatewayInstanceStatus)[],
} as const;
