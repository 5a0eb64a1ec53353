import type { Access } from '../customers/customers.ts';
import { createPseudonymizedMark, gatewayRoutesOf } from '../gateways/gateways.ts';
import * as http from '../http/http.ts';
import { INLINE_TENANT, type Tenant } from '../ids.ts';
import { deriveSubject, isSessionOf } from '../pseudonymization/pseudonymization.ts';
import type { ExtProc } from '../extProc/extProc.ts';
import { createMcpProxy } from '../mcp/mcp.ts';
import { createProxy, StoredAnswers, type InlineOptions, type Proxy, type UpstreamTimeouts } from '../proxy/proxy.ts';
import type { Settings } from '../settings/settings.ts';
import type { Components } from './components.ts';
import { createPresidioRoutes } from './presidio.ts';
import { createRestoreRoutes } from './restore.ts';
import type { RouteOptions } from './routeOptions.ts';

/** Creates the inline proxy. undefined: no upstream is set. */
export function createInlineProxy(options: RouteOptions, timeouts?: UpstreamTimeouts): Proxy | undefined {
  const { PROXY_UPSTREAM: upstream } = options.settings;
  return upstream && createProxy({ ...inlineOptions(options), upstream, ...(timeouts && { timeouts }) });
}

/** Creates the MCP proxy. undefined: no MCP server is set. */
export function createMcp(options: RouteOptions): Proxy | undefined {
  const { MCP_UPSTREAM: upstream, MCP_RESTORE_TYPES: shown, MCP_ORIGINS: origins } = options.settings;
  return upstream && createMcpProxy({ ...inlineOptions(options), upstream, types: shown.types, origins });
}

/** Creates Envoy's external processor. undefined: it has no port. */
export async function createExternalProcessor(options: RouteOptions): Promise<ExtProc | undefined> {
  if (options.settings.EXT_PROC_PORT === undefined) return undefined;
  // The packages for gRPC take memory that a service without this port does not need.
  const { createExtProc } = await import('../extProc/extProc.ts');
  return createExtProc(inlineOptions(options));
}

function inlineOptions({
  settings,
  components,
  admission,
  metrics,
  logger,
}: RouteOptions): Omit<InlineOptions, 'protocol'> {
  const { PROXY_UNKNOWN, PROXY_END_USER, PROXY_IDENTITY_HEADERS, PROXY_CUSTOMER_HEADERS, MAX_BODY } = settings;
  const { sessionKey, store, pipeline, access, endUsers, audit, policyRevision } = components;
  return {
    ...pipeline,
    unknown: PROXY_UNKNOWN,
    hidesEndUser: PROXY_END_USER === 'pseudonymize',
    identityHeaders: PROXY_IDENTITY_HEADERS,
    customerHeaders: PROXY_CUSTOMER_HEADERS,
    access,
    endUsers,
    audit,
    policyRevision,
    maxBody: MAX_BODY,
    subjectOf: deriveSubject.bind(undefined, sessionKey),
    fence: () => store.fence(),
    mark: createPseudonymizedMark(sessionKey),
    storedAnswers: new StoredAnswers(store, sessionKey),
    admission,
    metrics,
    logger,
  };
}

/** Creates all routes, and the middleware in front of them. */
export function createRoutes({ settings, components, admission, metrics, logger }: RouteOptions): http.Handler {
  const { apiKeys, sessionKey, store, access, endUsers, audit, policyRevision } = components;
  const { uncountedAnalyzer: analyzer } = components;
  const { guard, policyOf, isFailOpen } = components.pipeline;
  const onFailure = http.failurePolicy({ metrics, logger }, isFailOpen);
  const subjectOf = deriveSubject.bind(undefined, sessionKey);
  const captureFence: http.CallMiddleware = (context, next) => {
    context.state.fence = store.fence();
    return next();
  };
  const reading = (keepsText: boolean): http.CallMiddleware[] => [
    ...[captureFence, admission.admit, http.jsonBody(settings.MAX_BODY, keepsText), admission.acquireSlot],
  ];
  const preHandlers = reading(false);
  const [proxyName = 'gateway'] = settings.PROXY_NAMES;
  const isAdmin = (tenant: Tenant): boolean => settings.ADMIN_KEYS?.includes(tenant) ?? false;
  const presidio = settings.PRESIDIO_API
    ? createPresidioRoutes({ settings, components, metrics, logger }, preHandlers)
    : undefined;
  const page = { proxyName, recall: settings.RECALL, profile: settings.PROFILE, mode: settings.MODE };
  return http.createHandler({
    logger,
    metrics,
    audit: audit && http.auditCalls(audit, { paths: auditedPaths(settings) }),
    authentication: {
      keys: () => apiKeys?.current,
      bearerPaths: new Set([
        ...gatewayRoutesOf([]).flatMap(({ path, acceptsBearer }) => (acceptsBearer ? [path] : [])),
        ...(presidio?.paths ?? []),
      ]),
      ...(presidio && { basicPaths: presidio.paths }),
      ...(settings.PLAYGROUND ? { page: http.playgroundSignIn(page) } : {}),
      onlyPathOf: (tenant) => (settings.RESTORE_KEYS?.get(tenant)?.isOnly ? http.RESTORE_PATH : undefined),
    },
    public: [healthRoutes(components, admission), ...(presidio?.public ?? [])],
    authenticated: [
      http.gatewayRoutes({
        ...{ guard, access, policyOf, policyRevision, isFailOpen, metrics, subjectOf, preHandlers, onFailure },
        ...{ mark: createPseudonymizedMark(sessionKey), endUsers },
        proxyNames: settings.PROXY_NAMES,
      }),
      http.sessionRoutes({
        ...{ store, metrics, logger, subjectOf, isAdmin, preHandlers },
        isKnownTenant: (tenant) => tenant === INLINE_TENANT || apiKeys?.current.tenants.has(tenant) === true,
        isSessionOf: isSessionOf.bind(undefined, sessionKey),
      }),
      ...createRestoreRoutes({ settings, components, metrics, logger }, reading(true)),
      http.configurationRoute({ access, policyRevision, endUsers, isAdmin }),
      http.explainRoute({ analyzer, access, policyOf, mode: settings.MODE, policyRevision, isAdmin, preHandlers }),
      ...(settings.PLAYGROUND ? [http.playgroundPage(page), createPageRoutes(components, isAdmin, preHandlers)] : []),
      ...(presidio?.authenticated ?? []),
      http.openApiRoute(settings.PROXY_NAMES, {
        playground: settings.PLAYGROUND,
        presidio: settings.PRESIDIO_API,
        restore: settings.RESTORE_KEYS !== undefined,
      }),
    ],
  });
}

function auditedPaths({ PROXY_NAMES, RESTORE_KEYS }: Settings): http.AuditedPaths {
  return http.auditedPaths(PROXY_NAMES, RESTORE_KEYS !== undefined);
}

/** What the page of the playground calls. An explanation analyzes a text many times, which metrics do not count. */
const createPageRoutes = (
  { uncountedAnalyzer: analyzer, pipeline: { guard }, policyWith, access }: Components,
  isAdmin: (tenant: Tenant) => boolean,
  preHandlers: readonly http.CallMiddleware[],
): ReturnType<typeof http.playgroundRoutes> =>
  http.playgroundRoutes({ analyzer, guard, policyWith, access, isAdmin, preHandlers });

function healthRoutes({ store, analyzer, access, pipeline }: Components, admission: http.Admission) {
  return http.healthRoutes({
    dependencies: [
      http.createDependency('store', () => store.ping()),
      { name: 'detector', state: () => analyzer.state() },
      ...(access ? [http.createDependency('customers', () => stateOf(access))] : []),
    ],
    isOptional: () => pipeline.isFailOpen(undefined),
    draining: () => admission.draining,
  });
}

/** @throws Error if there is no valid list */
function stateOf(access: Access): Promise<undefined> {
  if (access.state()) return Promise.resolve(undefined);
  return Promise.reject(new Error('There is no valid list of customers.'));
}
