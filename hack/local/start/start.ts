import { mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { portInUse } from '../../harness/processes.ts';
import type { Progress } from '../../harness/progress.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { GuardrailFile } from './guardrailFile.ts';
import { type Local, startLocal } from './local.ts';
import { Parts, type Places } from './parts.ts';
import { SettingsError, type StartSettings } from './settings.ts';
import { fullSummary, type LocalSummary, localSummary, type Row, withoutCluster } from './summary.ts';

export interface StartOptions {
  settings: StartSettings;
  progress: Progress;
  /** The root of the project. */
  root: string;
  /** The folder of the data that is kept between runs. */
  home: string;
}

/** The running parts. The local parts start first; they need no cluster. */
export interface Running {
  /**
   * The table of the local parts, and commands to try. They remain valid when the cluster is ready. Undefined if nothing has to
   * be fetched for the cluster: its own table follows within seconds and contains this one.
   */
  readonly local: string | undefined;
  /** Resolves to the table of all parts, and commands to try. If the cluster failed to start, the text names the parts that still run. */
  readonly outcome: Promise<{ readonly complete: boolean; readonly text: string }>;
  /** Resolves with a message and the end of its log when a part ends unexpectedly. */
  readonly failed: Promise<string>;
  /** Ends all parts in reverse order. */
  stop(): Promise<void>;
}

/**
 * Starts the local parts, and begins to start the cluster.
 * @throws Error that names the local part that failed. No part remains running.
 */
export async function start({ settings, progress, root, home }: StartOptions): Promise<Running> {
  const started = performance.now();
  await refuseTakenPorts(settings);
  const places = prepareFolders(root, home, settings.reset);
  const file = new GuardrailFile(places.guardrailFile);
  const [localParts, clusterParts] = [new Parts(), new Parts()];
  const stop = async (): Promise<void> => {
    await clusterParts.stop();
    await localParts.stop();
  };
  const local = startLocal(settings, { places, parts: localParts, progress }).then((running) => {
    file.write(running.playground);
    return running;
  });
  const cluster = new ClusterStart(
    { places, progress, apiPort: settings.apiPort, local, guardrailFile: file },
    clusterParts,
  );
  try {
    const running = await local;
    const seconds = (): number => (performance.now() - started) / 1000;
    const summary = describeLocal(running, root, seconds());
    const isFetched = cluster.isFetched;
    const withoutClusterTable = isFetched ? `${localSummary(summary, false)}\n\n` : '';
    return {
      local: isFetched ? undefined : localSummary(summary, !cluster.hasFailed),
      outcome: cluster.outcome.then(
        (whole) => ({ complete: true, text: describeAll(running, whole, { root, home, seconds: seconds() }) }),
        async (error: unknown) => {
          await clusterParts.stop();
          return { complete: false, text: `${withoutClusterTable}${withoutCluster(sentence(error), summary)}` };
        },
      ),
      failed: Promise.race([localParts.failed, cluster.failed]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Deletes the logs of the last run and, after a reset, all data. */
function prepareFolders(root: string, home: string, reset: boolean): Places {
  const logs = join(home, 'logs');
  const guardrailFile = join(home, 'guardrail.json');
  if (reset) {
    for (const name of ['control-plane', 'gateway.json', 'addresses.json']) {
      rmSync(join(home, name), { recursive: true, force: true });
    }
  }
  // Each run has new logs, so that they do not grow without limit.
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  rmSync(guardrailFile, { force: true });
  return { root, home, logs, guardrailFile };
}

/** The start of the cluster, which continues after the local parts are ready. */
class ClusterStart {
  /** Rejects if a part of the cluster fails to start. */
  readonly outcome: Promise<Cluster>;
  /** Resolves when a part of the complete cluster ends unexpectedly. Earlier failures are part of the outcome. */
  readonly failed: Promise<string>;
  #isFetched = false;
  #hasFailed = false;

  constructor(options: Omit<ClusterOptions, 'parts' | 'fetched'>, parts: Parts) {
    this.outcome = Promise.race([
      startCluster({ ...options, parts, fetched: () => (this.#isFetched = true) }),
      parts.failed.then((message): never => {
        throw new Error(message);
      }),
    ]);
    this.failed = this.outcome.then(
      () => parts.failed,
      () => {
        this.#hasFailed = true;
        return new Promise<never>(() => undefined);
      },
    );
  }

  /** Whether the binaries of the API server are available. */
  get isFetched(): boolean {
    return this.#isFetched;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }
}

async function refuseTakenPorts({ gateway, gatewayPort, apiPort }: StartSettings): Promise<void> {
  const taken = async (port: number, what: string, flag: string): Promise<void> => {
    if (port === 0 || !(await portInUse(port))) return;
    throw new SettingsError(
      `Port ${port} of 127.0.0.1 is in use. End the program that uses it, or choose another port for the ${what} ` +
        `with npm start -- ${flag} PORT.`,
    );
  };
  if (!gateway) await taken(gatewayPort, 'development gateway', '--gateway-port');
  if (apiPort !== undefined) await taken(apiPort, 'API server', '--api-port');
}

function describeLocal({ gateway, playground }: Local, root: string, seconds: number): LocalSummary {
  const log = gateway.log && relative(root, gateway.log);
  return {
    rows: [
      { what: log === undefined ? 'your gateway' : 'development gateway', where: gateway.url, log: log ?? '' },
      { what: 'guardrail, playground', where: `${playground.url}/playground`, log: relative(root, playground.log) },
    ],
    gateway: gateway.url,
    masterKey: gateway.masterKey,
    gatewayLog: log,
    playground,
    seconds,
  };
}

function describeAll(
  local: Local,
  { servers, operator, guardrail, kubectl }: Cluster,
  { root, home, seconds }: { root: string; home: string; seconds: number },
): string {
  const path = (file: string): string => relative(root, file);
  const summary = describeLocal(local, root, seconds);
  const rows: Row[] = [
    { what: 'Kubernetes API server', where: servers.url, log: path(join(servers.dir, 'kube-apiserver.log')) },
    { what: 'operator (metrics)', where: operator.metricsUrl, log: path(operator.log) },
    { what: 'guardrail of the instance', where: guardrail.url, log: path(join(home, 'logs/default-*.log')) },
    { what: 'guarded gateway (Inline)', where: guardrail.guarded, log: '' },
  ];
  return fullSummary({
    ...summary,
    rows: [...rows.slice(0, 2), ...summary.rows, ...rows.slice(2)],
    kubeconfig: path(servers.kubeconfig),
    kubectl: path(kubectl.path),
    hasKubectl: kubectl.exists,
    guardrail,
  });
}

/** Errors for users are of class Error or have a name of their own. All other errors are bugs of this program. */
export function sentence(error: unknown): string {
  const mistake = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return error instanceof Error ? ((mistake ? error.stack : undefined) ?? error.message) : String(error);
}
