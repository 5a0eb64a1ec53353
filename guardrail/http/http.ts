/** The HTTP API of the guardrail: middleware, routes and servers. */
export { EndUserCheck } from './endUserCheck.ts';
export { auditCalls } from './auditCalls.ts';
export { auditedPaths, type AuditedPaths } from './auditedPaths.ts';
export { createAdmission, type Admission, type AdmissionOptions } from './admission/admission.ts';
export { authenticatedRouter } from './authentication.ts';
export { configurationRoute } from './configuration.ts';
export { callMiddleware, httpListener } from './callMiddleware.ts';
export { spanMethod } from './callSpan.ts';
export { decodersFor, jsonBody, readBody } from './body.ts';
export {
  reportSession,
  type CallContext,
  type CallMiddleware,
  type CallScope,
  type CallState,
  type ScopeMiddleware,
} from './context.ts';
export { withDeadline, withTimeLimit } from './deadline.ts';
export { asServiceError, describeError, logError } from './errorBoundary.ts';
export { ServiceError } from './errors.ts';
export { explainRoute } from './explain.ts';
export { failurePolicy, type FailurePolicy } from './failures.ts';
export { gatewayRoutes } from './gatewayRoutes.ts';
export {
  noteAction,
  recordAction,
  recordEntities,
  recordFindings,
  recordUnreadLines,
  recordForwarded,
  recordPseudonyms,
  recordToolPseudonyms,
} from './callRecord.ts';
export { createHandler, type Handler, type Route } from './handler.ts';
export { HEALTH_PATHS, healthRoutes, createDependency, type Dependency } from './health.ts';
export { parseJson } from './json.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { serveMetrics } from './metricsServer.ts';
export { openApiRoute } from './openapi/openapi.ts';
export { playgroundPage, playgroundRoutes, playgroundSignIn } from './playground/playground.ts';
export { presidioHealthRoute, presidioRoutes, PRESIDIO_PATHS } from './presidioRoutes.ts';
export { abandonHandshakes, listen, listenProblem, openConnections, type Listening } from './server.ts';
export { RESTORE_PATH, restoreRoute, type RestoreEvent } from './restore/restoreRoute.ts';
export { sessionRoutes } from './sessionRoutes.ts';
export { closeTls, followFiles, serverOptions, type TlsFiles } from './tls.ts';
