/** Creates the components of the service from its settings: store, analyzer, image workers and guard. */
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { createGuard, type Guard, type GuardOptions } from '../pseudonymization/pseudonymization.ts';
import type { AuditTrail } from '../audit/audit.ts';
import type { Analyzer, DocumentPolicy, Policy } from '../detection/detection.ts';
import { closeTls, EndUserCheck, type TlsFiles } from '../http/http.ts';
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
import { readSecret, type ApiKeys, type Settings } from '../settings/settings.ts';
import { createMemoryStore, createRedisStore, type MappingStore } from '../store/store.ts';
import { openAuditTrail, type AuditOptions } from './auditTrail.ts';
import { openAnalyzer, openPolicyOf, serviceSettings, trialOf, type PolicyTrial } from './analyzer.ts';
import { openLive, openTls } from './liveSettings.ts';
import { logReport, type Report } from './report.ts';
import { tracedAnalyzer, tracedImages } from './traced.ts';

export interface Components {
  /** undefined: the service runs without authentication. */
  readonly apiKeys: Live<ApiKeys> | undefined;
  /** The certificates of the service's ports; undefined: they serve plain text. */
  readonly tls: TlsFiles | undefined;
  /** The certificates of the external processor; undefined: it serves plain text. */
  readonly extProcTls: TlsFiles | undefined;
  /** Logs a problem of a setting that changes while the service runs. */
  readonly report: Report;
  readonly sessionKey: KeyObject;
  readonly store: MappingStore;
  readonly analyzer: Analyzer;
  /** The analyzer without metrics, for internal calls. */
  readonly uncountedAnalyzer: Analyzer;
  readonly customTypes: () => readonly string[];
  /** The policy of the service that is in force. */
  readonly servicePolicy: () => DocumentPolicy;
  /** Identifies the policy in force; undefined: the service has none. */
  readonly policyRevision: () => string | undefined;
  /** The policy of a call by the revisions of its customers, with a change to try, for the playground. @throws FieldError */
  readonly policyWith: (trial: PolicyTrial, revisions: readonly (string | undefined)[]) => Policy;
  readonly pipeline: Pipeline;
  /** Who may call; undefined: everybody may. */
  readonly access: Access | undefined;
  readonly endUsers: EndUserCheck;
  /** undefined: no call is audited. */
  readonly audit: AuditTrail | undefined;
  close(): Promise<void>;
}

export interface ComponentOptions extends AuditOptions {
  /** Replaces the guard; for tests of its failures. */
  readonly guard?: (options: GuardOptions) => Guard;
}

export function createComponents(settings: Settings, options: ComponentOptions): Components {
  const { logger, metrics } = options;
  const report = logReport(logger);
  const apiKeys = settings.API_KEYS && openLive('API_KEYS', settings.API_KEYS, report);
  const encryptionKeys = settings.ENCRYPTION_KEYS && openLive('ENCRYPTION_KEYS', settings.ENCRYPTION_KEYS, report);
  const [tls, extProcTls] = [openTls('TLS', settings, report), openTls('EXT_PROC_TLS', settings, report)];
  const sessionKeyBytes = settings.SESSION_KEY ? readSecret(settings.SESSION_KEY) : randomBytes(32);
  const sessionKey = createSecretKey(sessionKeyBytes);
  const store = metrics.instrumentStore(
    openStore(settings, { ...options, sessionKey: sessionKeyBytes, encryptionKeys }),
  );
  const policy = openPolicyOf(settings, report);
  const uncountedAnalyzer = openAnalyzer(settings, policy);
  const analyzer = metrics.instrumentAnalyzer(tracedAnalyzer(uncountedAnalyzer));
  const customers = openCustomers(settings, options, sessionKey);
  const policies = createCallPolicies({
    service: policy,
    customers: policiesIn(customers?.list),
    settings: serviceSettings(settings),
  });
  const audit = openAuditTrail(settings, options, sessionKey);
  const images = tracedImages(createImageWorkerPool({ observe: metrics.imageTask.bind(metrics) }));
  return {
    apiKeys,
    tls,
    extProcTls,
    report,
    sessionKey,
    store,
    analyzer,
    uncountedAnalyzer,
    customTypes: policies.customTypes,
    servicePolicy: () => policy.current,
    policyRevision: () => policy.current.revision,
    policyWith: (trial, revisions) => policies.of(revisions, trialOf(policy, trial, settings.PROFILE)),
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
      unreadText: settings.UNREAD_TEXT,
      reader: images,
      createTextGuard: options.guard ?? createGuard,
    }),
    access: customers?.access,
    endUsers: new EndUserCheck({ isRequired: settings.REQUIRE_END_USER, metrics }),
    audit,
    async close() {
      for (const live of [apiKeys, encryptionKeys, policy, customers?.list]) live?.close();
      for (const files of [tls, extProcTls]) if (files) closeTls(files);
      await Promise.all([store.close(), analyzer.close(), images.close(), audit?.close()]);
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
