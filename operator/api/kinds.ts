/**
 * All kinds, as the runtime describes them. Caches are shared by the identity of these constants, so all reads and
 * watches must use them.
 */
import { resource } from '../runtime/runtime.ts';
import type {
  GatewayBudget,
  GatewayCustomer,
  GatewayInstance,
  GatewayKey,
  GuardrailPolicy,
} from './v1alpha1/v1alpha1.ts';
import {
  gatewayBudgetNames,
  gatewayCustomerNames,
  gatewayInstanceNames,
  gatewayKeyNames,
  guardrailPolicyNames,
} from './v1alpha1/v1alpha1.ts';

export const customers = resource<GatewayCustomer>(gatewayCustomerNames);
export const instances = resource<GatewayInstance>(gatewayInstanceNames);
export const budgets = resource<GatewayBudget>(gatewayBudgetNames);
export const keys = resource<GatewayKey>(gatewayKeyNames);
export const policies = resource<GuardrailPolicy>(guardrailPolicyNames);
