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
    ...keyConflicts(settings, isGiven),
    ...storeConflicts(settings, isGiven),
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

/** The port of the proxy has a default, so it conflicts only if the proxy runs. */
function proxyConflicts(settings: Partial<Settings>, isGiven: IsGiven): string[] {
  const { PROXY_PORT } = settings;
  if (!isGiven('PROXY_UPSTREAM')) {
    return (['PROXY_PORT', 'PROXY_HOST', 'PROXY_UNKNOWN', 'PROXY_END_USER', 'PROXY_IDENTITY_HEADERS'] as const)
      .filter(isGiven)
      .map((name) => `${PREFIX}${name} has no effect without ${PREFIX}PROXY_UPSTREAM: set both, or neither.`);
  }
  return (['PORT', 'METRICS_PORT'] as const)
    .filter((name) => PROXY_PORT !== undefined && PROXY_PORT !== 0 && PROXY_PORT === settings[name])
    .map((name) => `${PREFIX}PROXY_PORT must differ from ${PREFIX}${name}: set another port.`);
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
