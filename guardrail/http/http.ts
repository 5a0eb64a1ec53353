/** The HTTP API of the guardrail: middleware, routes and servers. */
export { EndUserCheck } from './middleware/endUserCheck.ts';
export { auditCalls } from './middleware/auditCalls.ts';
export { auditedPaths, type AuditedPaths } from './middleware/auditedPaths.ts';
export { createAdmission, type Admission, type AdmissionOptions } from './middleware/admission/admission.ts';
export { authenticatedRouter } from './middleware/authentication.ts';
export { configurationRoute } from './routes/configuration.ts';
export { callMiddleware, httpListener } from './middleware/callMiddleware.ts';
export { spanMethod } from './middleware/callSpan.ts';
export { decodersFor, jsonBody, readBody } from './middleware/body.ts';
export {
  reportSession,
  type CallContext,
  type CallMiddleware,
  type CallScope,
  type CallState,
  type ScopeMiddleware,
} from './middleware/context.ts';
export { withDeadline, withTimeLimit } from './middleware/deadline.ts';
export { asServiceError, describeError, logError } from './middleware/errorBoundary.ts';
export { ServiceError } from './middleware/errors.ts';
export { explainRoute } from './routes/explain.ts';
export { failurePolicy, type FailurePolicy } from './middleware/failures.ts';
export { gatewayRoutes } from './routes/gatewayRoutes.ts';
export {
  noteAction,
  recordAction,
  recordEntities,
  recordFindings,
  recordUnreadLines,
  recordForwarded,
  recordPseudonyms,
  recordToolPseudonyms,
} from './middleware/callRecord.ts';
export { createHandler, type Handler, type Route } from './routes/handler.ts';
export { HEALTH_PATHS, healthRoutes, createDependency, type Dependency } from './routes/health.ts';
export { parseJson } from './middleware/json.ts';
export { createMetrics, type Metrics } from './middleware/metrics.ts';
export { serveMetrics } from './server/metricsServer.ts';
export { openApiRoute } from './openapi/openapi.ts';
export { playgroundPage, playgroundRoutes, playgroundSignIn } from './playground/playground.ts';
export { presidioHealthRoute, presidioRoutes, PRESIDIO_PATHS } from './routes/presidioRoutes.ts';
export { abandonHandshakes, listen, listenProblem, openConnections, type Listening } from './server/server.ts';
export { RESTORE_PATH, restoreRoute, type RestoreEvent } from './routes/restore/restoreRoute.ts';
export { sessionRoutes } from './routes/sessionRoutes.ts';
export { closeTls, followFiles, serverOptions, type TlsFiles } from './server/tls.ts';
