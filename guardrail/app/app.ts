/** Wires the guardrail together: settings → store, detectors, core → HTTP. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import type { Logger } from 'pino';
import type { Live } from '../liveFile.ts';
import { openSecret, SettingsError, type Secret, type Settings } from '../settings/settings.ts';
import {
  createGuard,
  deriveSubject,
  isSessionOf,
  type Guard,
  type GuardOptions,
} from '../pseudonymization/pseudonymization.ts';
import {
  createAnalyzer,
  createBuiltinDetector,
  createPresidioDetector,
  openPolicy,
  type Analyzer,
  type PolicySource,
} from '../detection/detection.ts';
import { createFileGuard } from '../fileGuard.ts';
import * as http from '../http/http.ts';
import { createImageGuard, createImageWorkerPool } from '../images/images.ts';
import { bodiesIn } from '../memoryBudget.ts';
import { createMonitor, withoutRewrites, withoutWrites } from '../monitor.ts';
import { createMemoryStore, createRedisStore, type MappingStore } from '../store/store.ts';
import { warmUp } from './warmUp.ts';

/** The running service. */
export interface App {
  readonly port: number;
  /** Where /metrics is; undefined: nowhere. */
  readonly metricsPort: number | undefined;
  readonly metrics: http.Metrics;
  /** Everything that it serves. */
  readonly routes: readonly http.Route[];
  /** Sends its clients elsewhere, answering what still comes. Goes before `drain` where others can take over. */
  windDown(): Promise<void>;
  /** Refuses what is new, finishes what is running, and closes. @returns whether all of it could be finished. */
  drain(): Promise<boolean>;
}

export interface AppOptions {
  readonly logger: Logger;
  readonly metrics?: http.Metrics;
  /** Another core, for faults that the real one cannot be made to show. */
  readonly guard?: (options: GuardOptions) => Guard;
}

/** A drain that takes longer is cut off: Kubernetes grants 30 s, of which 5 s go by before SIGTERM, and 4 s winding down. */
const DRAIN_MS = 20_000;
/** Nobody has called for so long: who has a connection here does not use it. And so long at most that is waited for. */
const QUIET_MS = 500;
const WIND_DOWN_MS = 4_000;

/** Starts the service. @throws Error with one sentence where it cannot listen. */
export async function startApp(config: Settings, options: AppOptions): Promise<App> {
  const { logger } = options;
  const metrics = options.metrics ?? http.createMetrics();
  const report = (problem: string): void => {
    logger.error(`${problem} The previous value stays in use.`);
  };
  const open = <T>(name: 'API_KEYS' | 'ENCRYPTION_KEYS', secret: Secret<T>): Live<T> =>
    openSecret(secret, (problem) => {
      report(sentence(`${name}_FILE`, problem));
    });

  const apiKeys = config.API_KEYS && open('API_KEYS', config.API_KEYS);
  const encryptionKeys = config.ENCRYPTION_KEYS && open('ENCRYPTION_KEYS', config.ENCRYPTION_KEYS);
  const sessionKeyBytes = config.SESSION_KEY ? openOnce(config.SESSION_KEY) : randomBytes(32);
  const sessionKey = createSecretKey(sessionKeyBytes);

  const store = metrics.store(openStore());
  const policy = openPolicyOf(config, report);
  const uncounted = openAnalyzer(config, policy);
  const analyzer = metrics.analyzer(uncounted);
  const customTypes = (): readonly string[] => policy.current.customTypes;
  const isMonitor = config.MODE === 'monitor';
  const mappings = isMonitor ? withoutWrites(store) : store;
  const textGuard = (options.guard ?? createGuard)({
    analyzer,
    store: mappings,
    sessionKey,
    scope: config.SESSION_SCOPE,
    maxAnswer: config.MAX_BODY,
    customTypes,
  });
  const pictures = createImageWorkerPool({
    observe: (task, outcome, seconds) => {
      metrics.image(task, outcome, seconds);
    },
  });
  const imageGuard = createImageGuard(textGuard, {
    images: config.IMAGES,
    remoteImages: config.REMOTE_IMAGES,
    scope: config.SESSION_SCOPE,
    sessionKey,
    store: mappings,
    reader: isMonitor ? withoutRewrites(pictures) : pictures,
  });
  const enforcing = createFileGuard(imageGuard, { files: config.IMAGES === 'pass' ? 'pass' : 'block' });
  const guard = isMonitor ? createMonitor(enforcing, textGuard) : enforcing;
  const onFailure = (isMonitor ? http.failOpen : http.failClosed)({ metrics, logger });

  function openStore(): MappingStore {
    if (config.STORE.kind === 'memory') return createMemoryStore({ ttlMs: config.MAPPING_TTL });
    if (!encryptionKeys) throw new Error('The store needs encryption keys.');
    return createRedisStore({
      address: config.STORE.address,
      sessionKey: sessionKeyBytes,
      encryptionKeys: () => encryptionKeys.current,
      ttlMs: config.MAPPING_TTL,
      onUnreadable: (error) => {
        metrics.unreadable();
        logger.error(`A stored value was left out: ${error.message}`);
      },
    });
  }

  const admission = http.createAdmission({
    // Those that wait for Redis or Presidio hold nobody up; those that keep the core busy start one after the other.
    maxRunning: 256,
    maxWaiting: 1024,
    maxWaitMs: 2000,
    maxBytes: bodiesIn(getHeapStatistics().heap_size_limit, config.MAX_BODY),
    maxBody: config.MAX_BODY,
  });
  const begin: http.CallMiddleware = (context, next) => {
    context.state.begun = store.fence();
    return next();
  };
  const before = [begin, admission.admit, http.jsonBody(config.MAX_BODY), admission.takeTurn];
  const dependencies = [http.watched('store', () => store.ping()), { name: 'detector', state: () => analyzer.state() }];
  const health = http.healthRoutes({ dependencies, optional: isMonitor, draining: () => admission.draining });

  const subjectOf = deriveSubject.bind(undefined, sessionKey);
  const description = http.authenticatedRouter();
  const document = http.openApi(config.PROXY_NAMES, { playground: config.PLAYGROUND });
  description.get('/openapi.json', (context) => {
    context.body = document;
  });
  const [proxyName = 'gateway'] = config.PROXY_NAMES;
  const page = { proxyName, recall: config.RECALL, mode: config.MODE };
  const { handle, routes } = http.createHandler({
    logger,
    metrics,
    authentication: {
      keys: () => apiKeys?.current,
      bearerPaths: new Set(http.PEER_PATHS),
      ...(config.PLAYGROUND ? { page: http.playgroundSignIn(page) } : {}),
    },
    open: [health],
    authenticated: [
      http.guardRoutes({ guard, metrics, proxyNames: config.PROXY_NAMES, before, onFailure }),
      http.peerRoutes({ guard, metrics, subjectOf, before, onFailure }),
      http.sessionRoutes({
        store,
        metrics,
        logger,
        subjectOf,
        isSessionOf: isSessionOf.bind(undefined, sessionKey),
        isAdmin: (tenant) => config.ADMIN_KEYS?.includes(tenant) ?? false,
        before,
      }),
      ...(config.PLAYGROUND ? [http.playgroundPage(page), http.playgroundRoutes(analyzer, before)] : []),
      description,
    ],
  });

  const closeAll = async (): Promise<void> => {
    for (const live of [apiKeys, encryptionKeys, policy]) live?.close();
    await Promise.all([store.close(), analyzer.close(), pictures.close()]);
  };
  let listening: http.Listening;
  let exposed: http.Listening | undefined;
  await warmUp({ analyzer: uncounted, sessionKey, customTypes });
  try {
    if (config.METRICS_PORT !== 'off') {
      const address = { host: config.HOST, port: config.METRICS_PORT };
      exposed = await http.serveMetrics(() => metrics.registry.metrics(), address);
    }
    listening = await http.listen(handle, { host: config.HOST, port: config.PORT });
  } catch (error) {
    await exposed?.close(0);
    await closeAll();
    throw error;
  }

  return {
    port: listening.port,
    metricsPort: exposed?.port,
    metrics,
    routes,
    windDown: () => admission.windDown(QUIET_MS, WIND_DOWN_MS),
    async drain() {
      const done = admission.drain();
      const timer = timeout(DRAIN_MS);
      const finished = await Promise.race([done.then(() => true), timer.promise.then(() => false)]);
      timer.cancel();
      await Promise.all([listening.close(finished ? 1000 : 0), exposed?.close(0)]);
      await closeAll();
      return finished;
    },
  };
}

/**
 * The policy that the settings name, followed where it is a file.
 * @param report receives, as a sentence, what is wrong with the file after a change.
 * @throws Error with one sentence.
 */
export function openPolicyOf(config: Settings, report: (problem: string) => void): PolicySource {
  try {
    return openPolicy({
      policy: config.POLICY,
      report: (problem) => {
        report(sentence('POLICY', problem));
      },
    });
  } catch (error) {
    throw new SettingsError(sentence('POLICY', error), { cause: error });
  }
}

/** A problem of a setting, whose message completes the sentence that the setting's name begins. */
function sentence(setting: string, problem: unknown): string {
  const message = problem instanceof Error ? problem.message : 'cannot be used';
  return `GUARDRAIL_${setting} ${message}${message.endsWith('.') ? '' : '.'}`;
}

/** Everything that finds personal data, as the settings want it. @throws PolicyError */
export function openAnalyzer(config: Settings, policy: PolicySource): Analyzer {
  const detectors = config.DETECTORS.map((name) => {
    switch (name) {
      case 'builtin':
        return createBuiltinDetector({ recall: config.RECALL, languages: config.LANGUAGES });
      case 'presidio':
        return createPresidioDetector({
          url: config.PRESIDIO_URL?.href ?? '',
          timeoutMs: config.DETECTION_TIMEOUT,
          languages: config.LANGUAGES,
        });
    }
  });
  return createAnalyzer({ detectors, policy });
}

/** The session key does not rotate: its file is read once. */
function openOnce(secret: NonNullable<Settings['SESSION_KEY']>): Buffer {
  const live = openSecret(secret, () => undefined);
  live.close();
  return live.current;
}

function timeout(ms: number): { promise: Promise<void>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return {
    promise,
    cancel: () => {
      clearTimeout(timer);
    },
  };
}
