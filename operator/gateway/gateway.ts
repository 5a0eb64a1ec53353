/** The public interface of the gateway client: clients, errors, and the two strategies that store a customer at a gateway. */
export { budgetRowId, budgetRowStrategy, isOperatorRow, resourceOfRow } from './strategy.ts';
export { type CallOptions, GatewayClient } from './client.ts';
export type { CallReport, CallTimeouts, GatewayTarget } from './gatewayHttp.ts';
export { GatewayClients, type GatewayClientsOptions } from './clients.ts';
export { type EnforcementSettings, unenforced, type Unenforced } from './litellmQuirks.ts';
export { GatewayError, type GatewayErrorKind, type GatewayOperation, isGatewayError } from './errors.ts';
export {
  allFields,
  appliedAfter,
  clearingColumns,
  columnsOf,
  desiredOf,
  type Drift,
  driftOf,
  type Field,
  type Fields,
  fieldsOf,
  isEmpty,
  isLimit,
  type KeyField,
  keyFields,
  limitFields,
  limitsOf,
  type LimitValues,
  nameOf,
  permissionFields,
  readFields,
  sameValue,
  type Tier,
  type TierField,
  tierFields,
  unappliedFields,
  type Values,
} from './fields.ts';
export { listBudgets, listCustomers } from './listRecords.ts';
export { gatewayCallMetrics } from './gatewayHttp.ts';
export { execute, observe, type ObservedCustomer, readCustomer, type Step } from './customerRecord.ts';
export { type RateLimit, RateLimiter } from './rateLimit.ts';
export { type ListUse, minListedCustomers } from './recordList.ts';
export type { BudgetRow, CustomerRow, KeyRow } from './schemas.ts';
export { customerFieldsStrategy, type PlanInput, type Strategy, type SupportedFields } from './strategy.ts';
