/** Starts the parts that need an API server: the operator, the samples, and the guardrail that the operator deploys. */
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Servers, startServers } from '../../harness/controlplane.ts';
import { ensureBinaries, findBinaries } from '../../harness/controlplane/binaries.ts';
import { answersOk, freePort, startProcess, waitUntilReady } from '../../harness/processes.ts';
import type { Progress, Report } from '../../harness/progress.ts';
import { startWorkloadRunner, type WorkloadRunner } from '../../harness/workloads.ts';
import { apply } from './apply.ts';
import { DeployedGuardrail, type GuardrailFile, type InstanceGuardrail } from './guardrailFile.ts';
import type { Local } from './local.ts';
import { OPERATOR, operatorRights } from './operatorRights.ts';
import type { Parts, Places } from './parts.ts';
import { awaited, readResources, unready } from './readiness.ts';
import { readSamples } from './samples.ts';

export interface ClusterOptions {
  places: Places;
  parts: Parts;
  progress: Progress;
  apiPort: number | undefined;
  /** The gateway that the operator manages. The API server starts without it. */
  local: Promise<Local>;
  guardrailFile: GuardrailFile;
  /** Called when the binaries of the API server are available. */
  fetched: () => void;
}

/** The operator, as a local process. */
interface OperatorProcess {
  readonly metricsUrl: string;
  readonly log: string;
}

/** The running parts of the cluster. */
export interface Cluster {
  readonly servers: Servers;
  readonly operator: OperatorProcess;
  /** The guardrail that the operator deployed. */
  readonly guardrail: InstanceGuardrail;
  readonly kubectl: {
    /** The path of kubectl, which may not exist yet. */
    readonly path: string;
    readonly exists: boolean;
  };
}

const INSTANCE = { namespace: 'default', name: 'dev' };
const OPERATOR_TIMEOUT_MS = 60_000;
const READY_TIMEOUT_MS = 120_000;

/**
 * Starts the parts of the cluster and waits until every sample is Ready or Synced.
 * @throws Error with the failure. The caller stops the parts that were started.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { places, parts, progress, guardrailFile } = options;
  const servers = await progress.step('Kubernetes API server', (report) => startApiServer(options, report));
  const kubectl = join(places.home, 'kubectl');
  void provideKubectl(kubectl, progress);
  const { gateway, playground } = await options.local;

  const deployed = new DeployedGuardrail(guardrailFile, servers.kubeConfig(), INSTANCE);
  const runner: WorkloadRunner = startWorkloadRunner({
    kubeConfig: servers.kubeConfig(),
    logFolder: places.logs,
    workingDirectory: places.root,
    podFolder: join(places.home, 'pods'),
    addressFile: join(places.home, 'addresses.json'),
    report: (line) => {
      progress.line(line);
    },
    changed: () => void deployed.update((url) => runner.resolve(url)),
  });
  parts.add(() => {
    deployed.leave(playground);
    return runner.stop();
  });

  const operator = await progress.step('Operator', () => startOperator(servers, places, parts));
  await progress.step('Samples', async () => {
    await apply(servers.kubeConfig(), readSamples(join(places.root, 'hack/samples'), gateway));
  });
  const guardrail = await progress.step('Instance, customers and guardrail', (report) =>
    waitForSamples(servers, deployed, { report, ending: parts.ending }),
  );
  return { servers, operator, guardrail, kubectl: { path: kubectl, exists: existsSync(kubectl) } };
}

async function startApiServer(
  { places: { root, home }, parts, progress, apiPort, fetched }: ClusterOptions,
  report: Report,
): Promise<Servers> {
  await ensureBinaries(['kube-apiserver', 'etcd'], { report });
  fetched();
  let ready = false;
  const servers = await startServers({
    dir: join(home, 'control-plane'),
    keepAlive: true,
    // After the start, output of the API server is not progress of a step.
    report: (line) => {
      if (ready) progress.line(line);
      else report(line);
    },
    ...(apiPort !== undefined && { ports: { api: apiPort } }),
  });
  ready = true;
  parts.add(() => servers.stop());
  void servers.failed.then((sentence) => {
    parts.fail(sentence);
  });
  await apply(servers.kubeConfig(), operatorRights(join(root, 'operator/manifests')));
  return servers;
}

/** Provides a kubectl of the right version. No other step needs it, so no step waits for it, and its failure stops nothing. */
async function provideKubectl(link: string, progress: Progress): Promise<void> {
  rmSync(link, { force: true });
  try {
    const found = (await findBinaries(['kubectl'])).get('kubectl');
    const fetch = (report: Report): Promise<{ kubectl: string }> => ensureBinaries(['kubectl'], { report });
    symlinkSync(found ?? (await progress.step('kubectl', fetch)).kubectl, link);
  } catch (error) {
    progress.line(error instanceof Error ? error.message : String(error));
  }
}

async function startOperator(servers: Servers, { root, home, logs }: Places, parts: Parts): Promise<OperatorProcess> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = parts.addProcess(
    await startProcess({
      name: 'The operator',
      command: process.execPath,
      args: [
        `--import=${pathToFileURL(join(root, 'hack/harness/workloads/clusterNetwork.ts')).href}`,
        join(root, 'operator/main.ts'),
        '--http-host=127.0.0.1',
        `--http-port=${port}`,
        `--metrics-port=${metricsPort}`,
        // The lock of the folder already prevents a second operator. The lease of a killed operator would delay the start.
        '--leader-elect=false',
        `--namespace=${OPERATOR.namespace}`,
        '--guardrail-image=gateway-guardrail-operator:local',
      ],
      env: {
        ...process.env,
        KUBECONFIG: servers.kubeconfigFor(OPERATOR.user, OPERATOR.groups),
        CLUSTER_ADDRESSES: join(home, 'addresses.json'),
      },
      cwd: root,
      logFile: join(logs, 'operator.log'),
    }),
  );
  await waitUntilReady(child, () => answersOk(`http://127.0.0.1:${port}/readyz`), OPERATOR_TIMEOUT_MS);
  return { metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`, log: child.logFile };
}

async function waitForSamples(
  servers: Servers,
  deployed: DeployedGuardrail,
  { report, ending }: { report: Report; ending: AbortSignal },
): Promise<InstanceGuardrail> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    // If the API server ends, `failed` stops all parts. A failed call alone is retried.
    const resources = await readResources(servers.kubeConfig()).catch((error: unknown) => String(error));
    const { address } = deployed;
    const lacking =
      typeof resources === 'string' ? [`the API server did not respond (${resources})`] : unready(resources);
    if (lacking.length === 0 && address) return address;
    if (!address) lacking.push('the guardrail is not ready');
    if (performance.now() > deadline) {
      throw new Error(
        `The samples are not ready after ${READY_TIMEOUT_MS / 1000} s: ${lacking.join('; ')}. See the logs in .local/logs.`,
      );
    }
    report(typeof resources === 'string' ? 'waiting for the API server to respond' : awaited(resources));
    await delay(200, undefined, { signal: ending });
  }
}
