import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { LOG_LEVELS, type LogLevel, type ObjectKey } from './runtime/runtime.ts';

/** Every setting of the operator, checked. */
export interface OperatorConfig {
  readonly kubeConfig: KubeConfig;
  /** The operator's own namespace: where its lease is. */
  readonly namespace: string;
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
  /** Whether to take part in the election of a leader. Without it this process must be the only one. */
  readonly leaderElect: boolean;
  readonly http: { readonly host: string; readonly port: number; readonly metricsPort: number };
  /** Whether the leader installs and upgrades the CustomResourceDefinitions, or only checks them. */
  readonly installCrds: boolean;
  /** Reconciles at once, for each kind. */
  readonly workers: number;
  /** How long running reconciles may take to end at a shutdown, in milliseconds. */
  readonly drainMs: number;
  /** The image that guardrails are deployed from; undefined: instances must name one. */
  readonly guardrailImage: string | undefined;
  /** The operator's own pod: undefined where it runs in none. */
  readonly ownPod: ObjectKey | undefined;
  readonly logLevel: LogLevel;
}

/** What is wrong with the settings: all of it, one sentence a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** One setting, as a flag and as an environment variable. */
interface Setting<T> {
  /** Without dashes. The variable is OPERATOR_ and the same in capitals. */
  readonly flag: string;
  readonly help: string;
  /** How the value is written in the help. */
  readonly value: string;
  readonly fallback: string;
  /** A flag without a value means `true`. */
  readonly isSwitch?: true;
  /** @throws Error whose message goes on from "--flag " */
  readonly parse: (text: string) => T;
}

/** RFC 1123 label, as namespaces are named. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SERVICE_ACCOUNT_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

const settings = {
  namespace: setting({
    flag: 'namespace',
    value: 'NAME',
    fallback: '',
    help: "The operator's own namespace, where its lease is. Default: that of the pod, of the kubeconfig, or default.",
    parse: (text) => (text === '' ? '' : namespaceName(text)),
  }),
  watchNamespaces: setting({
    flag: 'watch-namespaces',
    value: 'NAME,…',
    fallback: '',
    help: 'Namespaces to watch, separated by commas; resources in others stay without a status. Default: all.',
    parse: (text) => [
      ...new Set(text.split(',').flatMap((name) => (name.trim() === '' ? [] : namespaceName(name.trim())))),
    ],
  }),
  leaderElect: setting({
    flag: 'leader-elect',
    value: 'true|false',
    fallback: 'true',
    isSwitch: true,
    help: 'Whether to hold a lease while working. Only a single process may go without.',
    parse: yesOrNo,
  }),
  httpHost: setting({
    flag: 'http-host',
    value: 'ADDRESS',
    fallback: '0.0.0.0',
    help: 'The address to serve probes and metrics on.',
    parse: (text) => text,
  }),
  httpPort: setting({
    flag: 'http-port',
    value: 'PORT',
    fallback: '8080',
    help: 'The port to serve /healthz and /readyz on; 0: any free one.',
    parse: (text) => wholeNumber(text, 0, 65_535),
  }),
  metricsPort: setting({
    flag: 'metrics-port',
    value: 'PORT',
    fallback: '9090',
    help: 'The port to serve /metrics on; 0: any free one.',
    parse: (text) => wholeNumber(text, 0, 65_535),
  }),
  installCrds: setting({
    flag: 'install-crds',
    value: 'true|false',
    fallback: 'true',
    isSwitch: true,
    help: 'Whether to install and upgrade the CustomResourceDefinitions, or only to check them.',
    parse: yesOrNo,
  }),
  workers: setting({
    flag: 'workers',
    value: 'NUMBER',
    fallback: '32',
    help: 'How many resources of a kind are reconciled at once. The customers of one instance take at most half of them.',
    parse: (text) => wholeNumber(text, 1, 256),
  }),
  drainSeconds: setting({
    flag: 'drain-timeout',
    value: 'SECONDS',
    fallback: '20',
    help: 'How long running reconciles may take to end at a shutdown.',
    parse: (text) => wholeNumber(text, 0, 600),
  }),
  guardrailImage: setting({
    flag: 'guardrail-image',
    value: 'IMAGE',
    fallback: '',
    help: "The image that guardrails are deployed from. Default: the operator's own.",
    parse: (text) => text,
  }),
  podName: setting({
    flag: 'pod-name',
    value: 'NAME',
    fallback: '',
    help: "The operator's own pod, which tells its image.",
    parse: (text) => text,
  }),
  logLevel: setting({
    flag: 'log-level',
    value: LOG_LEVELS.join('|'),
    fallback: 'info',
    help: 'How much to log.',
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
 * Reads the settings from flags and the environment; flags win. The kubeconfig is found by client-node, by its own rules.
 * @returns the settings, or what `--help` prints
 * @throws ConfigError that names everything that is wrong
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
    watchNamespaces: values.watchNamespaces,
    leaderElect: values.leaderElect,
    http: { host: values.httpHost, port: values.httpPort, metricsPort: values.metricsPort },
    installCrds: values.installCrds,
    workers: values.workers,
    drainMs: values.drainSeconds * 1000,
    guardrailImage: values.guardrailImage === '' ? undefined : values.guardrailImage,
    ownPod: values.podName === '' ? undefined : { namespace, name: values.podName },
    logLevel: values.logLevel,
  };
}

function readFlags(args: readonly string[], problems: string[]): Map<string, string> {
  const known = new Map(Object.values<Setting<unknown>>(settings).map((one) => [one.flag, one]));
  const flags = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const [, flag = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const one = known.get(flag);
    if (arg === '--help' || arg === '-h') {
      flags.set('help', 'true');
    } else if (one === undefined) {
      problems.push(`${arg} is not a flag of the operator: see --help.`);
    } else if (value !== undefined) {
      flags.set(flag, value);
    } else if (one.isSwitch === true) {
      flags.set(flag, 'true');
    } else if (at + 1 < args.length && !(args[at + 1] ?? '').startsWith('--')) {
      at += 1;
      flags.set(flag, args[at] ?? '');
    } else {
      problems.push(`--${flag} needs a value: --${flag}=${one.value}.`);
    }
  }
  return flags;
}

function help(): string {
  const lines = Object.values<Setting<unknown>>(settings).flatMap((one) => [
    `  --${one.flag}=${one.value}`,
    `      ${one.help}${one.fallback === '' ? '' : ` Default: ${one.fallback}.`} (${variableOf(one.flag)})`,
  ]);
  return [
    'The operator reconciles GatewayCustomers and GatewayInstances. It takes the cluster from KUBECONFIG,',
    '~/.kube/config, or the ServiceAccount of its pod.',
    '',
    'node operator/main.ts [flags]',
    '',
    ...lines,
    '  --help',
    '      Print this.',
    '',
  ].join('\n');
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
  // What client-node falls back to when it finds nothing at all.
  if (cluster === null || (cluster.name === 'cluster' && cluster.server === 'http://localhost:8080')) {
    problems.push(
      'There is no cluster to connect to: set KUBECONFIG to a kubeconfig file with a current context, or run in a pod with a ServiceAccount.',
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
  if (!NAMESPACE.test(text)) throw new Error(`names ${JSON.stringify(text)}, which cannot be the name of a namespace`);
  return text;
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
