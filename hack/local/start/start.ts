import { mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { portInUse } from '../../testing/processes.ts';
import type { Progress } from '../../testing/progress.ts';
import { type Cluster, startCluster } from './cluster.ts';
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

/** The running parts. They start in two steps: the local parts, which need no cluster, and then the cluster. */
export interface Running {
  /**
   * The table of the local parts, and commands to try. They remain valid when the cluster is ready. Undefined if nothing has to
   * be fetched for the cluster: its own table follows within seconds and contains this one.
   */
  readonly local: string | undefined;
  /** Resolves to the table of all parts, and commands to try. If the cluster failed to start, it says what still runs. */
  readonly outcome: Promise<{ readonly complete: boolean; readonly text: string }>;
  /** Resolves with a message and the end of its log when a part ends unexpectedly. */
  readonly failed: Promise<string>;
  /** Ends all parts in reverse order. */
  stop(): Promise<void>;
}

/**
 * Starts the local parts, and begins to start the cluster.
 * @throws Error that says which local part failed; then none of them runs any more
 */
export async function start({ settings, progress, root, home }: StartOptions): Promise<Running> {
  const started = performance.now();
  await refuseTakenPorts(settings);
  const logs = join(home, 'logs');
  const guardrailFile = join(home, 'guardrail.json');
  if (settings.reset) {
    for (const name of ['control-plane', 'gateway.json', 'addresses.json']) {
      rmSync(join(home, name), { recursive: true, force: true });
    }
  }
  // Each run has new logs, so that they do not grow without limit.
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  rmSync(guardrailFile, { force: true });

  const places: Places = { root, home, logs, guardrailFile };
  const file = new GuardrailFile(guardrailFile);
  const [localParts, clusterParts] = [new Parts(), new Parts()];
  const stop = async (): Promise<void> => {
    await clusterParts.stop();
    await localParts.stop();
  };
  let [fetched, missing] = [false, false];
  const local = startLocal(settings, { places, parts: localParts, progress }).then((running) => {
    file.write(running.playground);
    return running;
  });
  const cluster = Promise.race([
    startCluster({
      places,
      parts: clusterParts,
      progress,
      apiPort: settings.apiPort,
      local,
      guardrailFile: file,
      fetched: () => (fetched = true),
    }),
    clusterParts.failed.then((sentence): never => {
      throw new Error(sentence);
    }),
  ]);
  cluster.catch(() => (missing = true));

  try {
    const localRunning = await local;
    const seconds = (): number => (performance.now() - started) / 1000;
    const summary = describeLocal(localRunning, root, seconds());
    const soon = fetched;
    return {
      local: soon ? undefined : localSummary(summary, !missing),
      outcome: cluster.then(
        (whole) => ({ complete: true, text: describeAll(localRunning, whole, { root, home, seconds: seconds() }) }),
        async (error: unknown) => {
          await clusterParts.stop();
          const table = soon ? `${localSummary(summary, false)}\n\n` : '';
          return { complete: false, text: `${table}${withoutCluster(sentence(error), summary)}` };
        },
      ),
      failed: Promise.race([
        localParts.failed,
        // Until the cluster is ready, its failures are part of the outcome.
        cluster.then(
          () => clusterParts.failed,
          () => new Promise<never>(() => undefined),
        ),
      ]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function refuseTakenPorts({ gateway, gatewayPort, apiPort }: StartSettings): Promise<void> {
  const taken = async (port: number, what: string, flag: string): Promise<void> => {
    if (port === 0 || !(await portInUse(port))) return;
    throw new SettingsError(
      `Port ${port} of 127.0.0.1 is in use: end the program that holds it, or choose another port for the ${what} with ` +
        `npm start -- ${flag} PORT.`,
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
      { what: 'guardrail, playground', where: playground.url, log: relative(root, playground.log) },
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
  ];
  return fullSummary({
    ...summary,
    rows: [...rows.slice(0, 2), ...summary.rows, ...rows.slice(2)],
    kubeconfig: path(servers.kubeconfig),
    kubectl: path(kubectl.path),
    hasKubectl: kubectl.isThere,
    guardrail,
  });
}

/** Errors for users are of class Error or have a name of their own. All other errors are bugs of this program. */
export function sentence(error: unknown): string {
  const mistake = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return error instanceof Error ? ((mistake ? error.stack : undefined) ?? error.message) : String(error);
}
