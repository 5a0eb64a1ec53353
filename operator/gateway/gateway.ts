/** The public interface of the gateway client: clients, errors, and the two strategies that store a customer at a gateway. */
export { budgetRowId, budgetRowStrategy, isOperatorRow, resourceOfRow } from './budgetRowStrategy.ts';
export { type CallOptions, GatewayClient } from './client.ts';
export type { CallReport, CallTimeouts, GatewayTarget } from './gatewayHttp.ts';
export { GatewayClients, type GatewayClientsOptions } from './clients.ts';
export { type EnforcementSettings, unenforced, type Unenforced } from './enforcement.ts';
export { GatewayError, type GatewayErrorKind, type GatewayOperation, isGatewayError } from './errors.ts';
export {
  allFields,
  type Field,
  type Fields,
  fieldsOf,
  type FieldValues,
  isEmpty,
  isLimit,
  limitNames,
  limitsOf,
  type LimitValues,
  sameValue,
} from './fields.ts';
export { listBudgets, listCustomers } from './listRecords.ts';
export { gatewayCallMetrics } from './metrics.ts';
export { observe, type ObservedCustomer } from './observedCustomer.ts';
export { type RateLimit, RateLimiter } from './rateLimit.ts';
export { type ListUse, minListedCustomers } from './recordList.ts';
export type { BudgetRow, CustomerRow } from './schemas.ts';
export {
  customerFieldsStrategy,
  execute,
  type ObservedValues,
  type PlanInput,
  type Step,
  type Strategy,
  type SupportedFields,
} from './strategy.ts';
export { sameTierValue, type Tier, tierColumns, type TierField, tierFields, tierOf, type TierValues } from './tier.ts';
