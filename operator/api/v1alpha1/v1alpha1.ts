/** The public face of the API: its types, names, annotations and finalizer. */
export * from './common.ts';
export * from './customerId.ts';
export * from './gatewayBudget.ts';
export * from './gatewayCustomer.ts';
export * from './gatewayInstance.ts';
export * from './gatewayKey.ts';
export * from './guardrailPolicy.ts';
