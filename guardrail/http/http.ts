/** The HTTP API of the guardrail: middleware, routes and servers. */
export { accessLog } from './accessLog.ts';
export { createAdmission, type Admission, type AdmissionOptions } from './admission/admission.ts';
export { authenticatedRouter } from './authentication.ts';
export { configurationRoute } from './configuration.ts';
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
export { failurePolicy, type FailurePolicy } from './failures.ts';
export { gatewayRoutes } from './gatewayRoutes.ts';
export { createHandler, type Handler, type Route } from './handler.ts';
export { healthRoutes, createDependency, type Dependency } from './health.ts';
export { parseJson } from './json.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { serveMetrics } from './metricsServer.ts';
export { openApiRoute } from './openapi/openapi.ts';
export { playgroundPage, playgroundRoutes, playgroundSignIn } from './playground/playground.ts';
export { requestId } from './requestId.ts';
export { listen, listenProblem, type Listening } from './server.ts';
export { sessionRoutes } from './sessionRoutes.ts';
