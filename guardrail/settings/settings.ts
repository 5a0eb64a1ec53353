/** Every setting of the guardrail: read from the environment or one YAML file, and validated in one place. */
import { availableParallelism } from 'node:os';
import { constant, followFile, readNow, type Live } from '../liveFile.ts';
import * as values from './values.ts';
import { parseApiKeys, TENANT_NAME, type ApiKeys } from './apiKeys.ts';
import type { Tenant } from '../ids.ts';
import { parseYaml, YamlError } from '../yaml/yaml.ts';
import { parseRedisAddress, REDIS_ADDRESS_FORMS, type KeyRing, type RedisAddress } from '../store/store.ts';

const PREFIX = 'GUARDRAIL_';
const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

interface Setting<T> {
  /** One line of help. */
  readonly help: string;
  /** As it would be written. */
  readonly default?: string;
  /** @throws Error whose message completes the sentence "<name> …" and does not repeat the value. */
  readonly parse: (text: string) => T;
  /** Has a twin `<NAME>_FILE` that names a file with the value, which is followed when it changes. */
  readonly secret?: true;
}

/** The store as its setting says it. */
export type StoreSetting =
  { readonly kind: 'memory' } | ({ readonly kind: 'redis' } & { readonly address: RedisAddress });

/** A value given in the environment, or the file that holds it. */
export type Secret<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'file'; readonly path: string; readonly parse: (text: string) => T };

const oneOrMore = values.listOf;

const tenantName = values.matching(TENANT_NAME, 'must have names of API keys');

const SETTINGS = {
  PORT: { help: 'Port to listen on; 0 takes any free one.', default: '8080', parse: values.integer(0, 65535) },
  HOST: {
    help: 'Address to listen on.',
    default: '0.0.0.0',
    parse: values.matching(/^[A-Za-z0-9.:_-]{1,255}$/, 'must be an address or a host name'),
  },
  METRICS_PORT: {
    help: 'Port that serves /metrics without a key, and nothing else, on the same address; 0 takes any free one, off serves no metrics.',
    default: '9090',
    parse: (text: string): number | 'off' => (text === 'off' ? 'off' : values.integer(0, 65535)(text)),
  },
  API_KEYS: {
    help: 'Keys that callers may show, separated by commas: name:key, or a bare key. The name is the tenant; it may have several keys.',
    parse: parseApiKeys,
    secret: true,
  },
  ADMIN_KEYS: {
    help: 'Names in GUARDRAIL_API_KEYS, separated by commas, whose keys may read and erase the sessions and end users of every tenant. Without it, each key has those of its own tenant alone.',
    parse: oneOrMore((text) => tenantName(text) as Tenant),
  },
  INSECURE_NO_AUTH: {
    help: 'Runs without API keys: whoever reaches the port may call.',
    default: 'false',
    parse: values.flag,
  },
  SESSION_KEY: {
    help: 'Secret from which session ids and pseudonyms are made; it must not change. Required with Redis, else random.',
    parse: values.sessionKey,
    secret: true,
  },
  PROXY_NAMES: {
    help: 'Names of the gateways: each is served at /beta/<name>_basic_guardrail_api.',
    default: 'gateway,litellm',
    parse: oneOrMore(
      values.matching(/^[a-z][a-z0-9_]{0,62}$/, 'must have names of lower-case letters, digits and underscores'),
    ),
  },
  STORE: {
    help: `Where mappings are kept: memory (one process), or ${REDIS_ADDRESS_FORMS}.`,
    default: 'memory',
    parse: (text: string): StoreSetting =>
      text === 'memory' ? { kind: 'memory' } : { kind: 'redis', address: parseRedisAddress(text) },
  },
  MAPPING_TTL: {
    help: 'How long a mapping is kept after its last use.',
    default: '24h',
    parse: values.duration(1000, 365 * DAY_MS),
  },
  ENCRYPTION_KEYS: {
    help: 'Keys of 32 bytes that encrypt values in Redis, in base64 or hexadecimal, separated by commas: the first encrypts, all decrypt. Required with Redis.',
    parse: values.encryptionKeys,
    secret: true,
  },
  MODE: {
    help: 'monitor detects and counts, and changes nothing.',
    default: 'enforce',
    parse: values.oneOf('enforce', 'monitor'),
  },
  DETECTORS: {
    help: 'What finds personal data: builtin, presidio, or both united.',
    default: 'builtin',
    parse: oneOrMore(values.oneOf('builtin', 'presidio')),
  },
  PRESIDIO_URL: { help: 'Base URL of the Presidio analyzer.', parse: values.httpUrl },
  DETECTION_TIMEOUT: {
    help: 'How long a detector may take before the call fails.',
    default: '1s',
    parse: values.duration(10, 20_000),
  },
  RECALL: {
    help: 'How much to find: precise errs on the side of leaving text alone, thorough on the side of replacing it.',
    default: 'balanced',
    parse: values.oneOf('precise', 'balanced', 'thorough'),
  },
  LANGUAGES: {
    help: 'ISO 639-1 codes of the languages to expect. Presidio is asked in each. The built-in detector finds names in English, German, French, Spanish, Italian and Dutch whatever is set; each code adds the phone numbers of its countries as they are written there.',
    default: 'en',
    parse: oneOrMore(values.matching(/^[a-z]{2}$/, 'must have codes of two lower-case letters')),
  },
  SESSION_SCOPE: {
    help: 'How wide a mapping is shared: over all calls of a user, one conversation, or one call.',
    default: 'user',
    parse: values.oneOf('user', 'conversation', 'call'),
  },
  POLICY: {
    help: 'What to do with each entity type, allow and deny lists, recognizers: a YAML file, or the YAML itself.',
    parse: (text: string): string => text,
  },
  IMAGES: {
    help: 'What becomes of images in a request: redact paints over what is found in them, block refuses the request, pass lets them through unseen. Files, sound and video are refused unless it is pass.',
    default: 'redact',
    parse: values.oneOf('redact', 'block', 'pass'),
  },
  REMOTE_IMAGES: {
    help: 'What becomes of a request with images that are given by URL, where images are redacted: nobody can look into them here.',
    default: 'block',
    parse: values.oneOf('block', 'pass'),
  },
  MAX_BODY: {
    help: 'Largest body of a call; more is refused with 413.',
    default: '10MiB',
    parse: values.size(1024, 256 * MIB),
  },
  PLAYGROUND: {
    help: 'Serves /playground, a page on which to try what is found in a text and what the model would see of it. A browser signs in with any user name, and an API key as the password.',
    default: 'false',
    parse: values.flag,
  },
  WORKERS: {
    help: 'Processes that share the port; auto: one a core. More than one takes Redis.',
    default: '1',
    parse: (text: string): number => (text === 'auto' ? availableParallelism() : values.integer(1, 512)(text)),
  },
  LOG_LEVEL: {
    help: 'Least severe level that is logged.',
    default: 'info',
    parse: values.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
} as const satisfies Record<string, Setting<unknown>>;

type Definitions = typeof SETTINGS;
type Name = keyof Definitions;
type ValueOf<S> = S extends { parse: (text: string) => infer T }
  ? S extends { secret: true }
    ? Secret<T> | undefined
    : S extends { default: string }
      ? T
      : T | undefined
  : never;

/** Each setting by its name without the prefix. */
export type Settings = { readonly [N in Name]: ValueOf<Definitions[N]> };

/** Settings that are missing or wrong; the message has one sentence a line for each of them. */
export class SettingsError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads all settings.
 * @param env `GUARDRAIL_CONFIG` names a YAML file whose members are the other settings in lower case without the
 * prefix; the environment wins over it.
 * @throws ConfigError that names everything that is wrong at once.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const problems: string[] = [];
  const given = new Map<string, { readonly text: string; readonly label: string }>();
  const configFile = env[`${PREFIX}CONFIG`];
  if (configFile !== undefined && configFile !== '') readConfigFile(configFile, given, problems);
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || variable === `${PREFIX}CONFIG` || text === undefined || text === '') continue;
    if (isServiceLink(variable, text)) continue;
    given.set(variable.slice(PREFIX.length), { text, label: variable });
  }

  const config: Partial<Record<Name, unknown>> = {};
  for (const name of Object.keys(SETTINGS) as Name[]) {
    try {
      config[name] = readSetting(SETTINGS[name], name, given);
    } catch (error) {
      problems.push(
        `${given.get(name)?.label ?? given.get(`${name}_FILE`)?.label ?? PREFIX + name} ${messageOf(error)}.`,
      );
    }
  }
  for (const [name, { label }] of given) if (!knownNames().includes(name)) problems.push(unknownSetting(name, label));
  const isGiven = (name: string): boolean => given.has(name) || given.has(`${name}_FILE`);
  problems.push(...contradictions(config as Partial<Settings>, isGiven));
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return config as Settings;
}

/** Opens a secret. A file is followed; `report` receives the problem where its new content cannot be used. */
export function openSecret<T>(secret: Secret<T>, report: (problem: Error) => void): Live<T> {
  return secret.kind === 'value' ? constant(secret.value) : followFile(secret.path, secret.parse, report);
}

/** All settings, for `--help`. */
export function describeSettings(): string {
  const lines = [
    `${PREFIX}CONFIG`,
    '    A YAML file with any of the settings below, in lower case without the prefix.',
  ];
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    lines.push(setting.secret ? `${PREFIX}${name}, ${PREFIX}${name}_FILE` : PREFIX + name);
    lines.push(`    ${setting.help}${setting.default === undefined ? '' : ` Default: ${setting.default}.`}`);
  }
  return lines.join('\n');
}

/** A secret's value as it is now. */
function currentOf<T>(secret: Secret<T>): T {
  return secret.kind === 'value' ? secret.value : secret.parse(readNow(secret.path));
}

function readSetting(setting: Setting<unknown>, name: string, given: ReadonlyMap<string, { text: string }>): unknown {
  const text = given.get(name)?.text;
  if (!setting.secret) {
    const written = text ?? setting.default;
    return written === undefined ? undefined : setting.parse(written.trim());
  }
  const path = given.get(`${name}_FILE`)?.text;
  if (text !== undefined && path !== undefined) throw new Error(`and ${PREFIX}${name}_FILE are both set: set one`);
  if (text !== undefined) return { kind: 'value', value: setting.parse(text) };
  if (path === undefined) return undefined;
  setting.parse(readNow(path));
  return { kind: 'file', path, parse: setting.parse };
}

function readConfigFile(
  path: string,
  given: Map<string, { readonly text: string; readonly label: string }>,
  problems: string[],
): void {
  try {
    const parsed: unknown = parsedYaml(path)?.toJS() ?? {};
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      throw new Error(`names ${path}, which must hold names and values`);
    }
    for (const [member, value] of Object.entries(parsed as Record<string, unknown>)) {
      const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
      const written = isList ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value);
      given.set(member.toUpperCase(), { text: written, label: `${member} in ${path}` });
    }
  } catch (error) {
    problems.push(`${PREFIX}CONFIG ${messageOf(error)}.`);
  }
}

function parsedYaml(path: string): ReturnType<typeof parseYaml> {
  const text = readNow(path);
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new Error(`names ${path}, which ${error.message}`, { cause: error });
  }
}

function contradictions(config: Partial<Settings>, isGiven: (name: Name) => boolean): string[] {
  const problems: string[] = [];
  if (config.PORT !== undefined && config.PORT !== 0 && config.PORT === config.METRICS_PORT) {
    problems.push(`${PREFIX}METRICS_PORT must not be ${PREFIX}PORT: set another port, or off.`);
  }
  if (!isGiven('API_KEYS') && config.INSECURE_NO_AUTH === false) {
    problems.push(`${PREFIX}API_KEYS or ${PREFIX}API_KEYS_FILE must be set: the service does not run without a key.`);
  }
  if (config.ADMIN_KEYS && (config.API_KEYS || !isGiven('API_KEYS'))) {
    const tenants = config.API_KEYS && currentOf(config.API_KEYS).tenants;
    // The name is not repeated: a key may stand there by mistake.
    if (!config.ADMIN_KEYS.every((name) => tenants?.has(name))) {
      problems.push(`${PREFIX}ADMIN_KEYS must hold names, not keys, and each must be a name in ${PREFIX}API_KEYS.`);
    }
  }
  if (config.STORE?.kind === 'redis') {
    for (const name of ['SESSION_KEY', 'ENCRYPTION_KEYS'] as const) {
      if (isGiven(name)) continue;
      problems.push(`${PREFIX}${name} or ${PREFIX}${name}_FILE must be set where ${PREFIX}STORE is Redis.`);
    }
  }
  if (config.STORE?.kind === 'memory' && (config.WORKERS ?? 1) > 1) {
    problems.push(`${PREFIX}WORKERS must be 1 where ${PREFIX}STORE is memory: processes do not share it.`);
  }
  if (config.DETECTORS?.includes('presidio') && !isGiven('PRESIDIO_URL')) {
    problems.push(`${PREFIX}PRESIDIO_URL must be set where ${PREFIX}DETECTORS names presidio.`);
  }
  return problems;
}

/** What Kubernetes sets in each pod for a Service whose name begins with `guardrail`. */
function isServiceLink(variable: string, text: string): boolean {
  return (
    /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)$/.test(variable) ||
    (variable.endsWith('PORT') && /^(tcp|udp|sctp):\/\//.test(text))
  );
}

function knownNames(): string[] {
  return Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { secret }]) =>
    secret ? [name, `${name}_FILE`] : [name],
  );
}

function unknownSetting(name: string, label: string): string {
  const distances = knownNames().map((known) => ({ known, distance: editDistance(name, known) }));
  const [nearest] = distances.sort((a, b) => a.distance - b.distance);
  const hint = nearest && nearest.distance <= 3 ? `did you mean ${PREFIX}${nearest.known}?` : '--help lists them all.';
  return `${label} is not a setting: ${hint}`;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'is not valid';
}

export { DEFAULT_TENANT, TENANT_NAME } from './apiKeys.ts';
export type { ApiKeys, KeyRing, Live };
