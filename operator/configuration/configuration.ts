/** The face of this folder: renders and checks the YAML documents of users, on a separate thread. */
export { API_KEY_VARIABLE } from './guardrailEntry.ts';
export {
  effectivePolicy,
  policyProblem,
  policyProblems,
  readCustomerHeaders,
  readEnforcement,
  renderConfiguration,
} from './documents.ts';
export type { CustomerPolicyTexts, EffectivePolicy } from './documentTasks.ts';
export type { BudgetSettings, ManagedSettings, RenderedProxyConfig } from './proxyConfig.ts';
export { ProxyConfigError } from './proxyConfigDocument.ts';
