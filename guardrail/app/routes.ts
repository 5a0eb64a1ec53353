import type { Logger } from 'pino';
import * as http from '../http/http.ts';
import { deriveSubject, isSessionOf } from '../pseudonymization/pseudonymization.ts';
import type { Settings } from '../settings/settings.ts';
import type { Components } from './components.ts';

export interface RouteOptions {
  readonly settings: Settings;
  readonly components: Components;
  readonly admission: http.Admission;
  readonly metrics: http.Metrics;
  readonly logger: Logger;
}

/** Creates all routes, and the middleware in front of them. */
export function createRoutes({ settings, components, admission, metrics, logger }: RouteOptions): http.Handler {
  const { apiKeys, sessionKey, store, analyzer, guard } = components;
  const isMonitor = settings.MODE === 'monitor';
  const onFailure = (isMonitor ? http.failOpen : http.failClosed)({ metrics, logger });
  const subjectOf = deriveSubject.bind(undefined, sessionKey);
  const captureFence: http.CallMiddleware = (context, next) => {
    context.state.begun = store.fence();
    return next();
  };
  const before = [captureFence, admission.admit, http.jsonBody(settings.MAX_BODY), admission.acquireSlot];
  const guarding = { guard, metrics, before, onFailure };
  const [proxyName = 'gateway'] = settings.PROXY_NAMES;
  const page = { proxyName, recall: settings.RECALL, mode: settings.MODE };
  return http.createHandler({
    logger,
    metrics,
    authentication: {
      keys: () => apiKeys?.current,
      bearerPaths: new Set(http.PEER_PATHS),
      ...(settings.PLAYGROUND ? { page: http.playgroundSignIn(page) } : {}),
    },
    public: [healthRoutes(components, admission, isMonitor)],
    authenticated: [
      http.guardRoutes({ ...guarding, proxyNames: settings.PROXY_NAMES }),
      http.peerRoutes({ ...guarding, subjectOf }),
      http.sessionRoutes({
        store,
        metrics,
        logger,
        subjectOf,
        isSessionOf: isSessionOf.bind(undefined, sessionKey),
        isAdmin: (tenant) => settings.ADMIN_KEYS?.includes(tenant) ?? false,
        before,
      }),
      ...(settings.PLAYGROUND ? [http.playgroundPage(page), http.playgroundRoutes(analyzer, before)] : []),
      http.openApiRoute(settings.PROXY_NAMES, { playground: settings.PLAYGROUND }),
    ],
  });
}

function healthRoutes({ store, analyzer }: Components, admission: http.Admission, isMonitor: boolean) {
  return http.healthRoutes({
    dependencies: [http.watched('store', () => store.ping()), { name: 'detector', state: () => analyzer.state() }],
    optional: isMonitor,
    draining: () => admission.draining,
  });
}
