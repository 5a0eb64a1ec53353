/** The public interface of the gateway client: clients, errors, and the two strategies that store a customer at a gateway. */
export { budgetRowId, budgetRowStrategy, isOperatorRow, resourceOfRow } from './budgetRowStrategy.ts';
export type { CallOptions, CallReport, CallTimeouts, GatewayTarget } from './client.ts';
export { GatewayClient } from './client.ts';
export { GatewayClients, type GatewayClientsOptions, type GatewayLimit } from './clients.ts';
export { unenforced, type EnforcementSettings, type Unenforced } from './enforcement.ts';
export { GatewayError, isGatewayError, type GatewayErrorKind, type GatewayOperation } from './errors.ts';
export {
  allFields,
  fieldsOf,
  isEmpty,
  isLimit,
  limitNames,
  limitsOf,
  sameValue,
  type Field,
  type Fields,
  type FieldValues,
  type LimitValues,
} from './fields.ts';
export { listBudgets, listCustomers } from './listRecords.ts';
export { gatewayCallMetrics, gatewayLimitMetrics } from './metrics.ts';
export { observe, type ObservedCustomer } from './observedCustomer.ts';
export { customerFieldsStrategy } from './customerFieldsStrategy.ts';
export { RateLimiter, type RateLimit } from './rateLimit.ts';
export { minListedCustomers, type ListUse } from './recordList.ts';
export {
  execute,
  type PlanInput,
  type ObservedValues,
  type Step,
  type Strategy,
  type SupportedFields,
} from './strategy.ts';
export type { BudgetRow, CustomerRow } from './schemas.ts';
export { sameTierValue, tierColumns, tierFields, tierOf, type Tier, type TierField, type TierValues } from './tier.ts';
