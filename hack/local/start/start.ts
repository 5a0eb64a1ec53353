import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type ControlPlane, startControlPlane } from '../controlplane.ts';
import { ensureBinaries } from '../controlplane/binaries.ts';
import {
  freePort,
  type ManagedProcess,
  portInUse,
  ProcessFailure,
  startProcess,
  waitUntilReady,
} from '../processes.ts';
import type { Progress } from '../progress.ts';
import { startWorkloadRunner, type WorkloadRunner } from '../workloads.ts';
import { apply } from './apply.ts';
import { GuardrailFile } from './guardrailFile.ts';
import { OPERATOR, operatorRights } from './operatorRights.ts';
import { readResources, unready } from './readiness.ts';
import { readSamples } from './samples.ts';
import { SettingsError, type StartSettings } from './settings.ts';
import { summary } from './summary.ts';

export interface StartOptions {
  settings: StartSettings;
  progress: Progress;
  /** The project. */
  root: string;
  /** What is kept from run to run. */
  home: string;
}

/** Everything that `npm start` runs. */
export interface Running {
  /** Resolves when a part ends unasked, with a sentence and the end of its log. */
  readonly failed: Promise<string>;
  /** The table and the commands to try. */
  readonly summary: string;
  /** Ends all parts, the last started first. */
  stop(): Promise<void>;
}

const INSTANCE = { namespace: 'default', name: 'dev' };
const LOCAL_KEY = 'sk-local-development';
const PART_TIMEOUT_MS = 60_000;
const READY_TIMEOUT_MS = 120_000;

/**
 * Starts the parts and waits until every sample is Ready or Synced.
 * @throws Error that says which part failed; then nothing of it runs any more
 */
export async function start(options: StartOptions): Promise<Running> {
  const parts = new Parts();
  try {
    return await startParts(options, parts);
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

/** What has been started, to be ended in reverse order. */
class Parts {
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #failure = Promise.withResolvers<string>();
  #stopping: Promise<void> | undefined;

  readonly failed = this.#failure.promise;

  add(stop: () => Promise<void>): void {
    this.#stops.push(stop);
  }

  fail(sentence: string): void {
    if (!this.#stopping) this.#failure.resolve(sentence);
  }

  addProcess(child: ManagedProcess): ManagedProcess {
    this.add(() => child.stop());
    void child.exited.then((end) => {
      this.fail(new ProcessFailure(child, `ended with ${end}`).message);
    });
    return child;
  }

  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      for (const stop of this.#stops.reverse()) await stop();
    })();
    return this.#stopping;
  }
}

async function startParts({ settings, progress, root, home }: StartOptions, parts: Parts): Promise<Running> {
  const started = performance.now();
  const logs = join(home, 'logs');
  if (settings.reset) {
    for (const name of ['control-plane', 'gateway.json', 'guardrail.json', 'addresses.json']) {
      rmSync(join(home, name), { recursive: true, force: true });
    }
  }
  // Each run's own, so that they do not grow for ever.
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  const guardrailPath = join(home, 'guardrail.json');
  rmSync(guardrailPath, { force: true });

  const [plane, gateway] = await settle([
    progress.step('Kubernetes API server', async (report) => {
      const dir = join(home, 'control-plane');
      let ready = false;
      const { kubectl } = await ensureBinaries(['kube-apiserver', 'etcd', 'kubectl'], { report });
      const rights = operatorRights(kubectl, join(root, 'operator/manifests'));
      rights.catch(() => undefined);
      const made = await startControlPlane({
        dir,
        keepAlive: true,
        // Once it runs, what it has to say is no step's progress any more.
        report: (line) => {
          (ready ? progress.line.bind(progress) : report)(line);
        },
        ...(settings.apiPort !== undefined && { ports: { api: settings.apiPort } }),
      });
      ready = true;
      parts.add(() => made.stop());
      void made.failed.then((sentence) => {
        parts.fail(sentence);
      });
      await apply(made.kubeConfig(), await rights);
      return made;
    }),
    settings.gateway
      ? Promise.resolve({ ...settings.gateway, proxyName: 'litellm', log: undefined })
      : progress.step('Development gateway', () =>
          startGateway(settings.gatewayPort, { root, home, logs, parts, guardrailPath }),
        ),
  ]);
  linkKubectl(home, plane.kubectlPath);

  const guardrailFile = new GuardrailFile(guardrailPath, plane.kubeConfig(), INSTANCE);
  const runner: WorkloadRunner = startWorkloadRunner({
    kubeConfig: plane.kubeConfig(),
    logFolder: logs,
    workingDirectory: root,
    podFolder: join(home, 'pods'),
    addressFile: join(home, 'addresses.json'),
    report: (line) => {
      progress.line(line);
    },
    changed: () => void guardrailFile.update((url) => runner.resolve(url)),
  });
  parts.add(() => runner.stop());

  const operator = await progress.step('Operator', () => startOperator(plane, { root, home, logs, parts }));
  await progress.step('Samples', async () => {
    await apply(plane.kubeConfig(), readSamples(join(root, 'hack/samples'), gateway));
  });
  const guardrail = await progress.step('Instance, customers and guardrail', (report) =>
    Promise.race([
      parts.failed.then((sentence): never => {
        throw new Error(sentence);
      }),
      waitForSamples(plane, guardrailFile, report),
    ]),
  );

  const path = (file: string): string => relative(root, file);
  return {
    failed: parts.failed,
    stop: () => parts.stop(),
    summary: summary({
      rows: [
        { what: 'Kubernetes API server', where: plane.url, log: path(join(plane.dir, 'kube-apiserver.log')) },
        { what: 'operator (metrics)', where: `${operator.url}/metrics`, log: path(operator.log) },
        {
          what: gateway.log === undefined ? 'your gateway' : 'development gateway',
          where: gateway.url,
          log: gateway.log === undefined ? '' : path(gateway.log),
        },
        { what: 'guardrail', where: guardrail.url, log: path(join(logs, 'default-*.log')) },
      ],
      kubeconfig: path(plane.kubeconfig),
      kubectl: path(join(home, 'kubectl')),
      gateway: gateway.url,
      masterKey: gateway.masterKey,
      gatewayLog: gateway.log && path(gateway.log),
      guardrail,
      seconds: (performance.now() - started) / 1000,
    }),
  };
}

interface Where {
  root: string;
  home: string;
  logs: string;
  parts: Parts;
}

interface Gateway {
  url: string;
  masterKey: string;
  proxyName?: string;
  log: string | undefined;
}

async function startGateway(
  wantedPort: number,
  { root, home, logs, parts, guardrailPath }: Where & { guardrailPath: string },
): Promise<Gateway> {
  if (wantedPort !== 0 && (await portInUse(wantedPort))) {
    throw new SettingsError(
      `Port ${wantedPort} of 127.0.0.1 is in use: end the program that holds it, or choose another port for the ` +
        'development gateway with npm start -- --gateway-port PORT.',
    );
  }
  const port = wantedPort === 0 ? await freePort() : wantedPort;
  const child = parts.addProcess(
    await startProcess({
      name: 'The development gateway',
      command: process.execPath,
      args: [
        join(root, 'hack/local/gateway/main.ts'),
        `--port=${port}`,
        `--guardrail-file=${guardrailPath}`,
        `--state-file=${join(home, 'gateway.json')}`,
      ],
      env: { ...process.env, DEV_GATEWAY_MASTER_KEY: LOCAL_KEY },
      cwd: root,
      logFile: join(logs, 'gateway.log'),
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, () => answers(`${url}/health/liveliness`), PART_TIMEOUT_MS);
  return { url, masterKey: LOCAL_KEY, log: child.logFile };
}

async function startOperator(
  plane: ControlPlane,
  { root, home, logs, parts }: Where,
): Promise<{ url: string; log: string }> {
  const port = await freePort();
  const child = parts.addProcess(
    await startProcess({
      name: 'The operator',
      command: process.execPath,
      args: [
        `--import=${pathToFileURL(join(root, 'hack/local/clusterNetwork.ts')).href}`,
        join(root, 'operator/main.ts'),
        '--http-host=127.0.0.1',
        `--http-port=${port}`,
        // The folder's lock already keeps a second operator away, and a lease of a killed one would be waited for.
        '--leader-elect=false',
        `--namespace=${OPERATOR.namespace}`,
        '--guardrail-image=gateway-guardrail-operator:local',
      ],
      env: {
        ...process.env,
        KUBECONFIG: plane.kubeconfigFor(OPERATOR.user, OPERATOR.groups),
        CLUSTER_ADDRESSES: join(home, 'addresses.json'),
      },
      cwd: root,
      logFile: join(logs, 'operator.log'),
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, () => answers(`${url}/readyz`), PART_TIMEOUT_MS);
  return { url, log: child.logFile };
}

async function waitForSamples(
  plane: ControlPlane,
  guardrailFile: GuardrailFile,
  report: (detail: string) => void,
): Promise<{ url: string; key: string }> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    // An API server that is gone for good ends everything through `failed`; a call that fails now and then does not.
    const lacking = await readResources(plane.kubeConfig()).then(unready, (error: unknown) => [
      `the API server did not answer (${error instanceof Error ? error.message : String(error)})`,
    ]);
    const { address } = guardrailFile;
    if (lacking.length === 0 && address) return address;
    if (!address) lacking.push('the guardrail is not ready');
    if (performance.now() > deadline) {
      throw new Error(
        `Not everything is ready after ${READY_TIMEOUT_MS / 1000} s: ${lacking.join('; ')}. See .local/logs.`,
      );
    }
    report(lacking.join('; '));
    await delay(200);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** A short way to a kubectl of the right version. */
function linkKubectl(home: string, path: string): void {
  const link = join(home, 'kubectl');
  rmSync(link, { force: true });
  if (existsSync(path)) symlinkSync(path, link);
}

/** As Promise.all, but nothing is still being started when it rejects. */
async function settle<A, B>(work: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled(work);
  if (a.status === 'rejected') throw a.reason;
  if (b.status === 'rejected') throw b.reason;
  return [a.value, b.value];
}
