import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Name, Settings } from './definitions.ts';
import { readSecret } from './secrets.ts';
import { PREFIX } from './sources.ts';

type IsGiven = (name: Name) => boolean;

/**
 * Checks settings against each other.
 * @param settings without those that are wrong on their own.
 * @returns a sentence for each conflict.
 */
export function conflictsOf(settings: Partial<Settings>, isGiven: IsGiven): string[] {
  return [
    ...portConflicts(settings),
    ...proxyConflicts(settings, isGiven),
    ...extProcConflicts(settings, isGiven),
    ...keyConflicts(settings, isGiven),
    ...storeConflicts(settings, isGiven),
    ...(isGiven('CUSTOMERS') && !isGiven('SESSION_KEY')
      ? [
          `${PREFIX}CUSTOMERS requires ${PREFIX}SESSION_KEY, the key of the hashes in the list: set it to that of the operator.`,
        ]
      : []),
    ...(settings.DETECTORS?.includes('presidio') && !isGiven('PRESIDIO_URL')
      ? [`${PREFIX}PRESIDIO_URL must be set if ${PREFIX}DETECTORS contains presidio.`]
      : []),
  ];
}

function portConflicts({ PORT, METRICS_PORT }: Partial<Settings>): string[] {
  return PORT !== undefined && PORT !== 0 && PORT === METRICS_PORT
    ? [`${PREFIX}METRICS_PORT must differ from ${PREFIX}PORT: set another port, or off.`]
    : [];
}

/** The settings of the inline proxy. All but its port apply to the external processor, too. */
const INLINE_SETTINGS = [
  'PROXY_PORT',
  'PROXY_HOST',
  'PROXY_UNKNOWN',
  'PROXY_END_USER',
  'PROXY_IDENTITY_HEADERS',
  'PROXY_CUSTOMER_HEADERS',
] as const;

/** The port of the proxy has a default, so it conflicts only if the proxy runs. */
function proxyConflicts(settings: Partial<Settings>, isGiven: IsGiven): string[] {
  const { PROXY_PORT } = settings;
  if (!isGiven('PROXY_UPSTREAM')) {
    const useless = isGiven('EXT_PROC_PORT') ? (['PROXY_PORT'] as const) : INLINE_SETTINGS;
    return useless
      .filter(isGiven)
      .map((name) => `${PREFIX}${name} has no effect without ${PREFIX}PROXY_UPSTREAM: set both, or neither.`);
  }
  return (['PORT', 'METRICS_PORT'] as const)
    .filter((name) => PROXY_PORT !== undefined && PROXY_PORT !== 0 && PROXY_PORT === settings[name])
    .map((name) => `${PREFIX}PROXY_PORT must differ from ${PREFIX}${name}: set another port.`);
}

function extProcConflicts(settings: Partial<Settings>, isGiven: IsGiven): string[] {
  const { EXT_PROC_PORT: port } = settings;
  const tls = (['EXT_PROC_TLS_CERT', 'EXT_PROC_TLS_KEY', 'EXT_PROC_TLS_CLIENT_CA'] as const).filter(isGiven);
  if (!isGiven('EXT_PROC_PORT')) {
    return tls.map((name) => `${PREFIX}${name} has no effect without ${PREFIX}EXT_PROC_PORT: set both, or neither.`);
  }
  const others = ['PORT', 'METRICS_PORT', ...(isGiven('PROXY_UPSTREAM') ? (['PROXY_PORT'] as const) : [])] as const;
  const problems = others
    .filter((name) => port !== undefined && port !== 0 && port === settings[name])
    .map((name) => `${PREFIX}EXT_PROC_PORT must differ from ${PREFIX}${name}: set another port.`);
  const hasPair = isGiven('EXT_PROC_TLS_CERT') && isGiven('EXT_PROC_TLS_KEY');
  if (tls.length > 0 && !hasPair) {
    problems.push(
      `${PREFIX}EXT_PROC_TLS_CERT and ${PREFIX}EXT_PROC_TLS_KEY, or their _FILE, must be set together: TLS needs both.`,
    );
  }
  return [...problems, ...pairConflicts(settings)];
}

function pairConflicts({ EXT_PROC_TLS_CERT: certificate, EXT_PROC_TLS_KEY: key }: Partial<Settings>): string[] {
  if (!certificate || !key) return [];
  const belongs = new X509Certificate(readSecret(certificate)).checkPrivateKey(createPrivateKey(readSecret(key)));
  return belongs
    ? []
    : [`${PREFIX}EXT_PROC_TLS_KEY is not the key of ${PREFIX}EXT_PROC_TLS_CERT: set those of one pair.`];
}

function keyConflicts({ API_KEYS, ADMIN_KEYS, INSECURE_NO_AUTH }: Partial<Settings>, isGiven: IsGiven): string[] {
  const problems: string[] = [];
  if (!isGiven('API_KEYS') && INSECURE_NO_AUTH === false) {
    problems.push(`${PREFIX}API_KEYS or ${PREFIX}API_KEYS_FILE must be set: the service requires authentication.`);
  }
  if (ADMIN_KEYS && (API_KEYS || !isGiven('API_KEYS'))) {
    const tenants = API_KEYS && readSecret(API_KEYS).tenants;
    // The message does not repeat the name: an administrator may have entered a key.
    if (!ADMIN_KEYS.every((name) => tenants?.has(name))) {
      problems.push(`${PREFIX}ADMIN_KEYS must contain names from ${PREFIX}API_KEYS, not the keys.`);
    }
  }
  return problems;
}

function storeConflicts({ STORE, WORKERS }: Partial<Settings>, isGiven: IsGiven): string[] {
  if (STORE?.kind === 'memory' && (WORKERS ?? 1) > 1) {
    return [`${PREFIX}WORKERS must be 1 if ${PREFIX}STORE is memory: processes do not share memory.`];
  }
  if (STORE?.kind !== 'redis') return [];
  return (['SESSION_KEY', 'ENCRYPTION_KEYS'] as const)
    .filter((name) => !isGiven(name))
    .map((name) => `${PREFIX}${name} or ${PREFIX}${name}_FILE must be set if ${PREFIX}STORE is Redis.`);
}
