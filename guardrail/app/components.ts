/** Creates the components of the service from its settings: store, analyzer, image workers and guard. */
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { createGuard, type Guard, type GuardOptions } from '../pseudonymization/pseudonymization.ts';
import type { Analyzer } from '../detection/detection.ts';
import type { TlsFiles } from '../extProc/extProc.ts';
import type { Metrics } from '../http/http.ts';
import { createAccess, openCustomerList, type Access, type CustomerList } from '../customers/customers.ts';
import { createImageWorkerPool } from '../images/images.ts';
import type { Live } from '../liveFile.ts';
import {
  createCallPolicies,
  createPipeline,
  createPolicyReader,
  NO_CUSTOMER_POLICIES,
  type CustomerPolicies,
  type Pipeline,
} from '../pipeline/pipeline.ts';
import { openSecret, readSecret, type ApiKeys, type Secret, type Settings } from '../settings/settings.ts';
import { createMemoryStore, createRedisStore, type MappingStore } from '../store/store.ts';
import { openAnalyzer, openPolicyOf, serviceSettings } from './analyzer.ts';
import { settingProblem, type Report } from './report.ts';

export interface Components {
  /** undefined: the service runs without authentication. */
  readonly apiKeys: Live<ApiKeys> | undefined;
  /** The certificates of the external processor; undefined: it serves plain text. */
  readonly tls: TlsFiles | undefined;
  readonly sessionKey: KeyObject;
  readonly store: MappingStore;
  readonly analyzer: Analyzer;
  /** The analyzer without metrics, for internal calls. */
  readonly uncountedAnalyzer: Analyzer;
  readonly customTypes: () => readonly string[];
  /** Identifies the policy in force; undefined: the service has none. */
  readonly policyRevision: () => string | undefined;
  readonly pipeline: Pipeline;
  /** Who may call; undefined: everybody may. */
  readonly access: Access | undefined;
  close(): Promise<void>;
}

export interface ComponentOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Replaces the guard; for tests of its failures. */
  readonly guard?: (options: GuardOptions) => Guard;
}

export function createComponents(settings: Settings, options: ComponentOptions): Components {
  const { logger, metrics } = options;
  const report: Report = (problem) => {
    logger.error(`${problem} The previous value stays in use.`);
  };
  const apiKeys = settings.API_KEYS && openLive('API_KEYS', settings.API_KEYS, report);
  const encryptionKeys = settings.ENCRYPTION_KEYS && openLive('ENCRYPTION_KEYS', settings.ENCRYPTION_KEYS, report);
  const tls = openTls(settings, report);
  const sessionKeyBytes = settings.SESSION_KEY ? readSecret(settings.SESSION_KEY) : randomBytes(32);
  const sessionKey = createSecretKey(sessionKeyBytes);
  const store = metrics.instrumentStore(
    openStore(settings, { ...options, sessionKey: sessionKeyBytes, encryptionKeys }),
  );
  const policy = openPolicyOf(settings, report);
  const uncountedAnalyzer = openAnalyzer(settings, policy);
  const analyzer = metrics.instrumentAnalyzer(uncountedAnalyzer);
  const customers = openCustomers(settings, options, sessionKey);
  const policies = createCallPolicies({
    service: policy,
    customers: policiesIn(customers?.list),
    settings: serviceSettings(settings),
  });
  const images = createImageWorkerPool({
    observe: (task, outcome, seconds) => {
      metrics.imageTask(task, outcome, seconds);
    },
  });
  return {
    apiKeys,
    tls,
    sessionKey,
    store,
    analyzer,
    uncountedAnalyzer,
    customTypes: policies.customTypes,
    policyRevision: () => policy.current.revision,
    pipeline: createPipeline({
      mode: settings.MODE,
      policies,
      analyzer,
      store,
      sessionKey,
      scope: settings.SESSION_SCOPE,
      maxResponseBytes: settings.MAX_BODY,
      images: settings.IMAGES,
      remoteImages: settings.REMOTE_IMAGES,
      reader: images,
      createTextGuard: options.guard ?? createGuard,
    }),
    access: customers?.access,
    async close() {
      const files = [apiKeys, encryptionKeys, policy, customers?.list, tls?.certificate, tls?.key, tls?.clientCa];
      for (const live of files) live?.close();
      await Promise.all([store.close(), analyzer.close(), images.close()]);
    },
  };
}

/** A customer list with its policies. */
interface CustomersInForce {
  readonly list: CustomerList;
  readonly policies: CustomerPolicies;
}

/** Opens the list of customers. undefined: everybody may call. */
function openCustomers(
  { CUSTOMERS: folder }: Settings,
  { logger, metrics }: ComponentOptions,
  sessionKey: KeyObject,
): { readonly list: Live<CustomersInForce | undefined>; readonly access: Access } | undefined {
  if (folder === undefined) return undefined;
  const policiesOf = createPolicyReader();
  const use = (list: CustomerList): CustomersInForce => ({ list, policies: policiesOf(list) });
  const list = openCustomerList(folder, use, ({ message }) => {
    metrics.customerListRefused();
    logger.error(
      `The list of customers in GUARDRAIL_CUSTOMERS ${message} The last valid list stays in force; without one, every call is refused.`,
    );
  });
  const access = createAccess(sessionKey, {
    get current() {
      return list.current?.list;
    },
  });
  metrics.watchCustomers(access);
  return { list, access };
}

/** The policies in the list of customers that is in force. */
function policiesIn(list: Live<CustomersInForce | undefined> | undefined): { readonly current: CustomerPolicies } {
  return {
    get current() {
      return list?.current?.policies ?? NO_CUSTOMER_POLICIES;
    },
  };
}

function openTls(settings: Settings, report: Report): TlsFiles | undefined {
  const { EXT_PROC_TLS_CERT: certificate, EXT_PROC_TLS_KEY: key, EXT_PROC_TLS_CLIENT_CA: clientCa } = settings;
  if (!certificate || !key) return undefined;
  return {
    certificate: openLive('EXT_PROC_TLS_CERT', certificate, report),
    key: openLive('EXT_PROC_TLS_KEY', key, report),
    clientCa: clientCa && openLive('EXT_PROC_TLS_CLIENT_CA', clientCa, report),
    report,
  };
}

type LiveName = 'API_KEYS' | 'ENCRYPTION_KEYS' | 'EXT_PROC_TLS_CERT' | 'EXT_PROC_TLS_KEY' | 'EXT_PROC_TLS_CLIENT_CA';

function openLive<T>(name: LiveName, secret: Secret<T>, report: Report): Live<T> {
  return openSecret(secret, (problem) => {
    report(settingProblem(`${name}_FILE`, problem));
  });
}

interface StoreParts extends Pick<ComponentOptions, 'logger' | 'metrics'> {
  readonly sessionKey: Buffer;
  readonly encryptionKeys: Live<readonly [Buffer, ...Buffer[]]> | undefined;
}

function openStore(settings: Settings, { logger, metrics, sessionKey, encryptionKeys }: StoreParts): MappingStore {
  if (settings.STORE.kind === 'memory') return createMemoryStore({ ttlMs: settings.MAPPING_TTL });
  if (!encryptionKeys) throw new Error('A Redis store needs encryption keys.');
  return createRedisStore({
    address: settings.STORE.address,
    sessionKey,
    encryptionKeys: () => encryptionKeys.current,
    ttlMs: settings.MAPPING_TTL,
    onUnreadable: (error) => {
      metrics.decryptionFailed();
      logger.error(`Skipped a stored value: ${error.message}`);
    },
  });
}
