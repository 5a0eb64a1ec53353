/** The definitions that the operator shares with the guardrail. The operator imports nothing else from the guardrail. */
// Not from detection.ts, which loads the models.
export { PolicyError, policyField, type PolicyProblem } from './detection/policy/policyError.ts';
export { parsePolicy } from './detection/policy/schema.ts';
export { comparePolicies, effectiveSettings, type PolicyComparison } from './detection/policy/comparison.ts';
export type { ServiceSettings } from './detection/policy/strictness.ts';
export { policyRevision } from './detection/policy/policyRevision.ts';
export {
  CustomerListError,
  customerListRevision,
  CustomerListTooLargeError,
  listHash,
  listKey,
  MAX_SHARDS,
  readCustomerList,
  shardName,
  writeCustomerList,
  type CustomerEntry,
  type CustomerList,
  type ListHash,
  type UnknownCustomers,
} from './customers/customers.ts';
export { registerBuildInfo, VERSION } from './buildInfo.ts';
export { parseBearerToken, presentsBearer } from './bearer.ts';
export { STANDARD_CUSTOMER_HEADERS } from './customerHeaders.ts';
// Not from gateways.ts, which loads all dialects.
export { keyUserPrefix, PSEUDONYMIZED_HEADER } from './gateways/contract.ts';
export { followFile } from './liveFile.ts';
export { INLINE_TENANT } from './ids.ts';
export { generalTypeOf, knownTypes } from './entityTypes.ts';
export { labelOfType } from './pseudonymization/labels.ts';
export { DEFAULT_MAX_BODY, heapOf, limitFor, maxBodyOf } from './memoryBudget.ts';
export {
  httpClientSpan,
  inSpan,
  isTracing,
  startTelemetry,
  telemetryRequest,
  traceFields,
  traceHeadersOf,
  type CallSpan,
  type SpanStart,
} from './telemetry/telemetry.ts';
export { MAX_YAML_BYTES, parseYaml, YamlError } from './yaml/yaml.ts';
