/** What the environment asks OpenTelemetry to export. Pure. */

type Environment = Readonly<Record<string, string | undefined>>;

/** The exporters of each signal, and what is wrong with the variables. */
export interface TelemetryRequest {
  readonly traces: readonly string[];
  readonly metrics: readonly string[];
  readonly logs: readonly string[];
  /** Sentences about variables that cannot be used. What they ask for is not exported. */
  readonly problems: readonly string[];
}

type Signal = 'traces' | 'metrics' | 'logs';

/** `prometheus` needs no exporter of its own: the programs always serve `/metrics`. */
const EXPORTERS: Readonly<Record<Signal, readonly string[]>> = {
  traces: ['otlp', 'console', 'zipkin'],
  metrics: ['otlp', 'console', 'prometheus'],
  logs: ['otlp', 'console'],
};
const PROTOCOLS = ['http/protobuf', 'http/json', 'grpc'];

/**
 * Reads the variables as OpenTelemetry's SDK does, with one difference: a signal is exported only if its own variable
 * names an exporter, or if an endpoint is set for it.
 * @returns undefined: nothing is to be exported
 */
export function telemetryRequest(env: Environment): TelemetryRequest | undefined {
  if (valueOf(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const problems: string[] = [];
  const exporters = (signal: Signal): readonly string[] => {
    const found: string[] = [];
    const wanted = exportersOf(env, signal, found);
    problems.push(...found);
    return found.length === 0 ? wanted : [];
  };
  const request = { traces: exporters('traces'), metrics: exporters('metrics'), logs: exporters('logs') };
  const isEmpty = Object.values(request).every((list) => list.length === 0);
  // The same variable may concern several signals.
  return isEmpty && problems.length === 0 ? undefined : { ...request, problems: [...new Set(problems)] };
}

/** The protocol of metrics over OTLP. undefined: the default of the SDK. */
export function metricsProtocol(env: Environment): string | undefined {
  return ofSignal(env, 'metrics', 'PROTOCOL')?.value;
}

function exportersOf(env: Environment, signal: Signal, problems: string[]): readonly string[] {
  const variable = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  const named = (valueOf(env, variable) ?? '').split(',').flatMap((name) => name.trim() || []);
  if (named.includes('none')) return [];
  if (named.length === 0 && endpointOf(env, signal) === undefined) return [];
  const exporters = named.length === 0 ? ['otlp'] : [...new Set(named)];
  if (!exporters.every((name) => EXPORTERS[signal].includes(name))) {
    problems.push(`${variable} must be one of ${EXPORTERS[signal].join(', ')} or none.`);
  }
  if (exporters.includes('otlp')) checkOtlp(env, signal, problems);
  return exporters.filter((name) => name !== 'prometheus');
}

function checkOtlp(env: Environment, signal: Signal, problems: string[]): void {
  const protocol = ofSignal(env, signal, 'PROTOCOL');
  if (protocol !== undefined && !PROTOCOLS.includes(protocol.value)) {
    problems.push(`${protocol.name} must be one of ${PROTOCOLS.join(', ')}.`);
  }
  const endpoint = endpointOf(env, signal);
  // An endpoint of gRPC has no scheme that must be checked.
  if (endpoint === undefined || protocol?.value === 'grpc') return;
  const scheme = URL.parse(endpoint.value)?.protocol;
  if (scheme !== 'http:' && scheme !== 'https:') {
    problems.push(`${endpoint.name} must be an http or https address, for example http://collector:4318.`);
  }
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

function endpointOf(env: Environment, signal: Signal): Variable | undefined {
  return ofSignal(env, signal, 'ENDPOINT');
}

/** The variable of the signal, or else that of all signals. */
function ofSignal(env: Environment, signal: Signal, what: 'ENDPOINT' | 'PROTOCOL'): Variable | undefined {
  for (const name of [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${what}`, `OTEL_EXPORTER_OTLP_${what}`]) {
    const value = valueOf(env, name);
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

/** An empty variable counts as not set. */
function valueOf(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
