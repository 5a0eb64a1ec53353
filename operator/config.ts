import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { parseArgs } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { parseBearerToken } from '../guardrail/guardrail.ts';
import { LOG_LEVELS, type LogLevel, type ObjectKey } from './runtime/runtime.ts';

/** The validated settings of the operator. */
export interface OperatorConfig {
  readonly kubeConfig: KubeConfig;
  /** The operator's own namespace. It contains the lease. */
  readonly namespace: string;
  /** The DNS domain of the cluster's Services. */
  readonly clusterDomain: string;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  /** Whether leader election is enabled. Without it, this process must be the only one. */
  readonly leaderElect: boolean;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly metricsPort: number;
    /** The file with the bearer token of /metrics; missing: everybody may read the metrics. */
    readonly metricsTokenFile?: string;
  };
  /** Whether the leader installs and upgrades the CustomResourceDefinitions or only verifies them. */
  readonly installCrds: boolean;
  /** Concurrent reconciles per kind. */
  readonly workers: number;
  /** How long running reconciles may take to finish at shutdown, in milliseconds. */
  readonly drainMs: number;
  /** Default image of guardrails; undefined: each instance must name one. */
  readonly guardrailImage: string | undefined;
  /** The operator's own pod; undefined outside a cluster. */
  readonly ownPod: ObjectKey | undefined;
  readonly logLevel: LogLevel;
}

/** Invalid settings. The message has one line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** One setting, from a flag and an environment variable. */
interface Setting<T> {
  /** Without dashes. The environment variable is OPERATOR_ and the flag in upper case, with underscores. */
  readonly flag: string;
  readonly help: string;
  /** The placeholder of the value in the help. */
  readonly value: string;
  readonly fallback: string;
  /** A flag without a value means `true`. */
  readonly isSwitch?: true;
  /** @throws Error with a message that continues "--flag " */
  readonly parse: (text: string) => T;
}

/** A name of a namespace: an RFC 1123 label. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SERVICE_ACCOUNT_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

const settings = {
  namespace: setting({
    flag: 'namespace',
    value: 'NAME',
    fallback: '',
    help: 'Namespace of the operator and its lease. Default: the namespace of the pod, then of the kubeconfig context, then default.',
    parse: (text) => (text === '' ? '' : namespaceName(text)),
  }),
  watchNamespaces: setting({
    flag: 'watch-namespaces',
    value: 'NAME,…',
    fallback: '',
    help: 'Comma-separated list of namespaces to watch. Resources in other namespaces are ignored. Default: all namespaces.',
    parse: (text) => [
      ...new Set(text.split(',').flatMap((name) => (name.trim() === '' ? [] : namespaceName(name.trim())))),
    ],
  }),
  clusterDomain: setting({
    flag: 'cluster-domain',
    value: 'DOMAIN',
    fallback: 'cluster.local',
    help: 'DNS domain of the cluster, so that a Service and its full DNS name count as one gateway.',
    parse: domainName,
  }),
  leaderElect: setting({
    flag: 'leader-elect',
    value: 'true|false',
    fallback: 'true',
    isSwitch: true,
    help: 'Enable leader election. Disable it only for a single process.',
    parse: yesOrNo,
  }),
  httpHost: setting({
    flag: 'http-host',
    value: 'ADDRESS',
    fallback: '0.0.0.0',
    help: 'Address on which probes and metrics are served.',
    parse: (text) => text,
  }),
  httpPort: setting({
    flag: 'http-port',
    value: 'PORT',
    fallback: '8080',
    help: 'Port for /healthz and /readyz. 0 selects a free port.',
    parse: (text) => wholeNumber(text, 0, 65_535),
  }),
  metricsPort: setting({
    flag: 'metrics-port',
    value: 'PORT',
    fallback: '9090',
    help: 'Port for /metrics. 0 selects a free port.',
    parse: (text) => wholeNumber(text, 0, 65_535),
  }),
  metricsTokenFile: setting({
    flag: 'metrics-token-file',
    value: 'PATH',
    fallback: '',
    help: 'File with a token without which /metrics is refused: Prometheus must send it as Authorization: Bearer. The file is read again when it changes. Default: no token is needed.',
    parse: tokenFile,
  }),
  installCrds: setting({
    flag: 'install-crds',
    value: 'true|false',
    fallback: 'true',
    isSwitch: true,
    help: 'Install and upgrade the CustomResourceDefinitions. If false, only verify them.',
    parse: yesOrNo,
  }),
  workers: setting({
    flag: 'workers',
    value: 'NUMBER',
    fallback: '32',
    help: 'Number of concurrent reconciles per kind. The objects of one namespace use at most half of them; customers count as those of the namespace of their instance.',
    parse: (text) => wholeNumber(text, 1, 256),
  }),
  drainSeconds: setting({
    flag: 'drain-timeout',
    value: 'SECONDS',
    fallback: '20',
    help: 'Maximum time for running reconciles to finish at shutdown.',
    parse: (text) => wholeNumber(text, 0, 600),
  }),
  guardrailImage: setting({
    flag: 'guardrail-image',
    value: 'IMAGE',
    fallback: '',
    help: "Image of guardrails. Default: the operator's own image.",
    parse: (text) => text,
  }),
  podName: setting({
    flag: 'pod-name',
    value: 'NAME',
    fallback: '',
    help: "Name of the operator's own pod, from which it reads its image.",
    parse: (text) => text,
  }),
  logLevel: setting({
    flag: 'log-level',
    value: LOG_LEVELS.join('|'),
    fallback: 'info',
    help: 'Log level.',
    parse: (text) => {
      const level = LOG_LEVELS.find((name) => name === text);
      if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}`);
      return level;
    },
  }),
};

type Settings = typeof settings;
type Values = { [Name in keyof Settings]: ReturnType<Settings[Name]['parse']> };

/**
 * Reads the settings from flags and environment variables. Flags take precedence. client-node locates the kubeconfig.
 * @returns the settings, or the text of `--help`
 * @throws ConfigError that names every problem
 */
export function loadConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): OperatorConfig | { readonly help: string } {
  const problems: string[] = [];
  const flags = readFlags(args, problems);
  if (flags.has('help')) return { help: help() };

  const values = Object.fromEntries(
    Object.entries<Setting<unknown>>(settings).map(([name, one]) => {
      const variable = variableOf(one.flag);
      const given = flags.get(one.flag);
      const fromEnv = env[variable];
      const source = given === undefined && fromEnv !== undefined ? variable : `--${one.flag}`;
      try {
        return [name, one.parse(given ?? fromEnv ?? one.fallback)];
      } catch (error) {
        problems.push(`${source} ${error instanceof Error ? error.message : String(error)}.`);
        return [name, undefined];
      }
    }),
  ) as Values;
  const kubeConfig = loadKubeConfig(problems);
  if (problems.length > 0 || kubeConfig === undefined) throw new ConfigError(problems.join('\n'));

  const namespace = values.namespace === '' ? ownNamespace(kubeConfig) : values.namespace;
  return {
    kubeConfig,
    namespace,
    clusterDomain: values.clusterDomain,
    watchNamespaces: values.watchNamespaces,
    leaderElect: values.leaderElect,
    http: {
      host: values.httpHost,
      port: values.httpPort,
      metricsPort: values.metricsPort,
      ...(values.metricsTokenFile === '' ? {} : { metricsTokenFile: values.metricsTokenFile }),
    },
    installCrds: values.installCrds,
    workers: values.workers,
    drainMs: values.drainSeconds * 1000,
    guardrailImage: values.guardrailImage === '' ? undefined : values.guardrailImage,
    ownPod: values.podName === '' ? undefined : { namespace, name: values.podName },
    logLevel: values.logLevel,
  };
}

/** Reads the given flags. Adds a sentence to `problems` for each invalid argument. */
function readFlags(
  args: readonly string[],
  problems: string[],
  flags = new Map<string, string>(),
): ReadonlyMap<string, string> {
  const known = new Map(Object.values<Setting<unknown>>(settings).map((one) => [one.flag, one]));
  const options = Object.fromEntries(
    [...known].map(([flag, { isSwitch }]) => [flag, { type: isSwitch === true ? 'boolean' : 'string' } as const]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    const arg = args[token.index] ?? '';
    const one = token.kind === 'option' ? known.get(token.name) : undefined;
    if (arg === '--help' || arg === '-h') {
      flags.set('help', 'true');
    } else if (token.kind !== 'option' || one === undefined || !arg.startsWith('--')) {
      problems.push(`${arg} is an unknown flag: see --help.`);
    } else if (one.isSwitch === true) {
      flags.set(one.flag, token.value ?? 'true');
    } else if (token.value === undefined) {
      problems.push(`--${one.flag} needs a value: --${one.flag}=${one.value}.`);
    } else if (!token.inlineValue && token.value.startsWith('--')) {
      // parseArgs takes the next flag for the value.
      problems.push(`--${one.flag} needs a value: --${one.flag}=${one.value}.`);
      return readFlags(args.slice(token.index + 1), problems, flags);
    } else {
      flags.set(one.flag, token.value);
    }
  }
  return flags;
}

/** A setting, as `--help` and the reference describe it. */
export interface SettingDescription {
  readonly flag: string;
  readonly variable: string;
  /** The placeholder of the value. */
  readonly value: string;
  readonly help: string;
  /** Empty: see `help`. */
  readonly fallback: string;
}

/** All settings, in the order of their definition. */
export function listSettings(): SettingDescription[] {
  return Object.values<Setting<unknown>>(settings).map(({ flag, value, help: text, fallback }) => ({
    flag,
    variable: variableOf(flag),
    value,
    help: text,
    fallback,
  }));
}

function help(): string {
  const lines = listSettings().flatMap((one) => [
    `  --${one.flag}=${one.value}`,
    `      ${one.help}${one.fallback === '' ? '' : ` Default: ${one.fallback}.`} (${one.variable})`,
  ]);
  return [
    'Reconciles GatewayCustomers and GatewayInstances. Connects to the cluster of KUBECONFIG, ~/.kube/config,',
    'or the ServiceAccount of its pod.',
    '',
    'node operator/main.ts [flags]',
    'node operator/main.ts import --help',
    'node operator/main.ts kubectl --help',
    '',
    ...lines,
    '  --help',
    '      Print this help.',
    '',
  ].join('\n');
}

/** The kubeconfig that client-node locates. @throws ConfigError */
export function readKubeConfig(): KubeConfig {
  const problems: string[] = [];
  const kubeConfig = loadKubeConfig(problems);
  if (kubeConfig === undefined) throw new ConfigError(problems.join('\n'));
  return kubeConfig;
}

function loadKubeConfig(problems: string[]): KubeConfig | undefined {
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromDefault();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const where = process.env.KUBECONFIG ?? '~/.kube/config';
    problems.push(`The kubeconfig ${where.split(delimiter).join(', ')} cannot be read: ${why}.`);
    return undefined;
  }
  const cluster = kubeConfig.getCurrentCluster();
  // The fallback of client-node when it finds no kubeconfig.
  if (cluster === null || (cluster.name === 'cluster' && cluster.server === 'http://localhost:8080')) {
    problems.push(
      'No cluster is configured. Set KUBECONFIG to a kubeconfig file with a current context, or run the operator in a pod with a ServiceAccount.',
    );
    return undefined;
  }
  return kubeConfig;
}

function ownNamespace(kubeConfig: KubeConfig): string {
  const context = kubeConfig.getContextObject(kubeConfig.getCurrentContext());
  try {
    return readFileSync(SERVICE_ACCOUNT_NAMESPACE, 'utf8').trim();
  } catch {
    // Not in a pod.
    return context?.namespace ?? 'default';
  }
}

function setting<T>(one: Setting<T>): Setting<T> {
  return one;
}

function variableOf(flag: string): string {
  return `OPERATOR_${flag.toUpperCase().replaceAll('-', '_')}`;
}

function namespaceName(text: string): string {
  if (!NAMESPACE.test(text)) throw new Error(`contains ${JSON.stringify(text)}, which is not a valid namespace name`);
  return text;
}

/** A DNS domain in lower case: RFC 1123 labels with dots between them. */
function domainName(text: string): string {
  const domain = text.toLowerCase().replace(/\.$/, '');
  if (domain.split('.').every((label) => NAMESPACE.test(label))) return domain;
  throw new Error('must be a DNS domain such as cluster.local');
}

/** Checks the file already at the start. */
function tokenFile(path: string): string {
  if (path === '') return path;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new Error(`names ${path}, which cannot be read`);
  }
  parseBearerToken(text);
  return path;
}

function yesOrNo(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
  return text === 'true';
}

function wholeNumber(text: string, min: number, max: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new Error(`must be a whole number from ${min} to ${max}`);
  }
  return number;
}
