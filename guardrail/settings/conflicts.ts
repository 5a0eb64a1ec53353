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
    ...tlsConflicts(settings, isGiven),
    ...(settings.METRICS_PORT === 'off' && isGiven('METRICS_TOKEN')
      ? [`${PREFIX}METRICS_TOKEN has no effect if ${PREFIX}METRICS_PORT is off: set a port, or no token.`]
      : []),
    ...proxyConflicts(settings, isGiven),
    ...extProcConflicts(settings, isGiven),
    ...mcpConflicts(settings, isGiven),
    ...keyConflicts(settings, isGiven),
    ...restoreConflicts(settings, isGiven),
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

/** Those that apply to the MCP proxy, too. */
const CALLER_SETTINGS = ['PROXY_HOST', 'PROXY_IDENTITY_HEADERS', 'PROXY_CUSTOMER_HEADERS'];

/** The port of the proxy has a default, so it conflicts only if the proxy runs. */
function proxyConflicts(settings: Partial<Settings>, isGiven: IsGiven): string[] {
  const { PROXY_PORT } = settings;
  if (!isGiven('PROXY_UPSTREAM')) {
    const ofMcp: readonly string[] = isGiven('MCP_UPSTREAM') ? CALLER_SETTINGS : [];
    const useless = isGiven('EXT_PROC_PORT') ? (['PROXY_PORT'] as const) : INLINE_SETTINGS;
    return useless
      .filter((name) => !ofMcp.includes(name))
      .filter(isGiven)
      .map((name) => `${PREFIX}${name} has no effect without ${PREFIX}PROXY_UPSTREAM: set both, or neither.`);
  }
  return (['PORT', 'METRICS_PORT'] as const)
    .filter((name) => PROXY_PORT !== undefined && PROXY_PORT !== 0 && PROXY_PORT === settings[name])
    .map((name) => `${PREFIX}PROXY_PORT must differ from ${PREFIX}${name}: set another port.`);
}

function extProcConflicts(settings: Partial<Settings>, isGiven: IsGiven): string[] {
  const { EXT_PROC_PORT: port } = settings;
  if (!isGiven('EXT_PROC_PORT')) {
    return tlsNames('EXT_PROC_TLS')
      .filter(isGiven)
      .map((name) => `${PREFIX}${name} has no effect without ${PREFIX}EXT_PROC_PORT: set both, or neither.`);
  }
  const others = ['PORT', 'METRICS_PORT', ...(isGiven('PROXY_UPSTREAM') ? (['PROXY_PORT'] as const) : [])] as const;
  const problems = others
    .filter((name) => port !== undefined && port !== 0 && port === settings[name])
    .map((name) => `${PREFIX}EXT_PROC_PORT must differ from ${PREFIX}${name}: set another port.`);
  return [...problems, ...pairConflicts('EXT_PROC_TLS', settings, isGiven)];
}

function mcpConflicts(settings: Partial<Settings>, isGiven: IsGiven): string[] {
  const { MCP_PORT: port } = settings;
  if (!isGiven('MCP_UPSTREAM')) {
    return (['MCP_PORT', 'MCP_RESTORE_TYPES', 'MCP_ORIGINS'] as const)
      .filter(isGiven)
      .map((name) => `${PREFIX}${name} has no effect without ${PREFIX}MCP_UPSTREAM: set both, or neither.`);
  }
  const others = [
    ...(['PORT', 'METRICS_PORT'] as const),
    ...(isGiven('PROXY_UPSTREAM') ? (['PROXY_PORT'] as const) : []),
    ...(isGiven('EXT_PROC_PORT') ? (['EXT_PROC_PORT'] as const) : []),
  ] as const;
  const problems = others
    .filter((name) => port !== undefined && port !== 0 && port === settings[name])
    .map((name) => `${PREFIX}MCP_PORT must differ from ${PREFIX}${name}: set another port.`);
  if (settings.SESSION_SCOPE !== 'call') return problems;
  // A call of a tool is another call than that of the model.
  return [
    ...problems,
    `${PREFIX}SESSION_SCOPE must not be call if ${PREFIX}MCP_UPSTREAM is set: tools could restore no pseudonym of a model.`,
  ];
}

type TlsPrefix = 'TLS' | 'EXT_PROC_TLS';

function tlsNames<P extends TlsPrefix>(prefix: P) {
  return [`${prefix}_CERT`, `${prefix}_KEY`, `${prefix}_CLIENT_CA`] as const;
}

function tlsConflicts(settings: Partial<Settings>, isGiven: IsGiven): string[] {
  return pairConflicts('TLS', settings, isGiven);
}

function pairConflicts(prefix: TlsPrefix, settings: Partial<Settings>, isGiven: IsGiven): string[] {
  const [certName, keyName] = tlsNames(prefix);
  const { [certName]: certificate, [keyName]: key } = settings;
  const problems: string[] = [];
  if (tlsNames(prefix).some(isGiven) && !(isGiven(certName) && isGiven(keyName))) {
    problems.push(
      `${PREFIX}${certName} and ${PREFIX}${keyName}, or their _FILE, must be set together: TLS needs both.`,
    );
  }
  if (!certificate || !key) return problems;
  const belongs = new X509Certificate(readSecret(certificate)).checkPrivateKey(createPrivateKey(readSecret(key)));
  return belongs
    ? problems
    : [...problems, `${PREFIX}${keyName} is not the key of ${PREFIX}${certName}: set those of one pair.`];
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

function restoreConflicts({ API_KEYS, ADMIN_KEYS, RESTORE_KEYS }: Partial<Settings>, isGiven: IsGiven): string[] {
  if (!isGiven('RESTORE_KEYS')) {
    return isGiven('RESTORE_RATE')
      ? [`${PREFIX}RESTORE_RATE has no effect without ${PREFIX}RESTORE_KEYS: set both, or neither.`]
      : [];
  }
  if (!RESTORE_KEYS || (!API_KEYS && isGiven('API_KEYS'))) return [];
  const problems: string[] = [];
  const tenants = API_KEYS && readSecret(API_KEYS).tenants;
  if (![...RESTORE_KEYS.keys()].every((name) => tenants?.has(name))) {
    problems.push(`${PREFIX}RESTORE_KEYS must contain names from ${PREFIX}API_KEYS, not the keys.`);
  }
  if (ADMIN_KEYS?.some((name) => RESTORE_KEYS.get(name)?.isOnly)) {
    problems.push(
      `${PREFIX}RESTORE_KEYS must not limit a name in ${PREFIX}ADMIN_KEYS to the sessions of another tenant.`,
    );
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
