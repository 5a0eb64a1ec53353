/** The wire formats in which gateways call the guardrail. */
export {
  PSEUDONYMIZED_HEADER,
  TEAM_HEADER,
  type GatewayAdapter,
  type GatewayCall,
  type GatewayExchange,
} from './contract.ts';
export { FieldError, isObject, parseFields, type JsonObject } from './fields.ts';
export {
  basicRequestSchema,
  basicResponseSchema,
  createLitellmAdapter,
  identifier,
  identityOfRequestData,
  MAX_IMAGES,
  MAX_TEXTS,
  requestData,
} from './litellm.ts';
export {
  CALL_ID,
  PIECE_PATH,
  pieceSchema,
  REDACT_PATH,
  REHYDRATE_PATH,
  restoredPieceSchema,
  textsSchema,
} from './llmShield.ts';
export { createPseudonymizedMark, type PseudonymizedMark } from './pseudonymizedMark.ts';
export { adapterFor, basicPath, CHECK_PATH, DIALECTS, gatewayRoutesOf, passOf, type GatewayRoute } from './routes.ts';
