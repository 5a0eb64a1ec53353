/**
 * A real Kubernetes control plane on this machine's loopback interface: only etcd and kube-apiserver, with RBAC. There is no
 * kubelet. Without a controller manager, which is optional, there is no garbage collection and no namespace deletion.
 *
 * In a test:
 *
 *     const cluster = withControlPlane();
 *     it('…', async () => {
 *       const namespace = await cluster().createNamespace();
 *       const api = cluster().kubeConfig().makeApiClient(CoreV1Api);
 *     });
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CoreV1Api, KubeConfig, V1Namespace, V1ObjectMeta } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import { ensureBinaries } from './controlplane/binaries.ts';
import { openPki, type Pki } from './controlplane/certificates.ts';
import {
  freePort,
  type ManagedProcess,
  portInUse,
  ProcessFailure,
  removeAtExit,
  startProcess,
  waitUntilReady,
} from './processes.ts';
import { type Report, sparsely } from './progress.ts';

export interface ControlPlaneOptions {
  /**
   * The folder of data, keys, logs and kubeconfig, which is reused. Default: a temporary folder, which is removed at the end.
   */
  dir?: string;
  /** Ports of 127.0.0.1. Default: free ones; with `dir`, the API server's last port if it is free. */
  ports?: { api?: number };
  /** Also runs kube-controller-manager with these controllers (`*`: its default ones). Its first build takes minutes. */
  controllers?: readonly string[];
  /** Restarts an API server that ended unexpectedly, instead of failing. */
  keepAlive?: boolean;
  /** Additional arguments of the API server, as `--name=value`. */
  apiServerArguments?: readonly string[];
  /** Reports the progress of long steps. Default: no report. */
  report?: Report;
}

/** A control plane, as clients of its API need it. */
export interface Servers {
  /** The address of the API server: `https://127.0.0.1:…`. */
  readonly url: string;
  /** Path of a kubeconfig whose user has all permissions. */
  readonly kubeconfig: string;
  /** The folder of the data and the logs (`etcd.log`, `kube-apiserver.log`). */
  readonly dir: string;
  /**
   * A client configuration, by default of the user with all permissions. Any other user has the permissions that RBAC grants.
   */
  kubeConfig(user?: string, groups?: readonly string[]): KubeConfig;
  /** Writes a kubeconfig of a user and returns its path. Users need not be created: RBAC decides by the name. */
  kubeconfigFor(user: string, groups?: readonly string[]): string;
  /** Kills the API server, as a crash does. etcd and its data remain. */
  kill(): Promise<void>;
  /** Starts the API server on the same port; stops it first if it runs. Resolves when it is ready. */
  restart(): Promise<void>;
  /** The running processes: etcd, kube-apiserver and, if requested, kube-controller-manager. */
  readonly processes: readonly ManagedProcess[];
  /** Resolves with a message and the end of the log when a part ends unexpectedly. */
  readonly failed: Promise<string>;
  /** Stops all parts. */
  stop(): Promise<void>;
}

/** A control plane with a kubectl of a compatible version. */
export interface ControlPlane extends Servers {
  /** Runs kubectl as the user with all permissions. Resolves to its output; rejects with its error output. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Creates a namespace with a random name that begins with the prefix (`test`), and returns its name. */
  createNamespace(prefix?: string): Promise<string>;
}

const ADMIN = { user: 'admin', groups: ['system:masters'] };
const READY_TIMEOUT_MS = 60_000;
/** Another process can take a free port before these servers listen on it. */
const ATTEMPTS = 3;
/** The maximum number of runs of `kubectl apply` while etcd answers late. Each run waits 7 s. */
const APPLY_ATTEMPTS = 5;

/**
 * Starts etcd and kube-apiserver. Fetches them and kubectl first if they are not available (see controlplane/binaries.ts).
 * Resolves when the API server is ready.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const sources = options.report ? { report: options.report } : {};
  const { kubectl } = await ensureBinaries(['kube-apiserver', 'etcd', 'kubectl'], sources);
  const servers = await startServers(options);
  const run = async (args: readonly string[], input?: string): Promise<string> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runKubectl(kubectl, servers.kubeconfig, args, input);
      } catch (error) {
        // On a machine with a busy disk, etcd answers late for some seconds. Only `apply` can be repeated after any failure.
        const isLate = error instanceof Error && error.message.includes('etcdserver: request timed out');
        if (!isLate || args[0] !== 'apply' || attempt >= APPLY_ATTEMPTS) throw error;
      }
    }
  };
  const api = servers.kubeConfig().makeApiClient(CoreV1Api);
  return Object.assign(servers, {
    kubectl: run,
    // Without kubectl: nearly every test creates a namespace, and a process for each would take a tenth of the test time.
    createNamespace: async (prefix = 'test') => {
      const name = `${prefix}-${randomBytes(4).toString('hex')}`;
      const metadata = Object.assign(new V1ObjectMeta(), { name });
      await api.createNamespace({ body: Object.assign(new V1Namespace(), { metadata }) });
      return name;
    },
  });
}

/** Like {@link startControlPlane}, without kubectl, which takes time to fetch and which programs do not need. */
export async function startServers(options: ControlPlaneOptions = {}): Promise<Servers> {
  const report = options.report ?? (() => undefined);
  const controllers = options.controllers ?? [];
  const binaries = await ensureBinaries(['kube-apiserver', 'etcd'], { report });
  const manager =
    controllers.length > 0
      ? (await ensureBinaries(['kube-controller-manager'], { report }))['kube-controller-manager']
      : undefined;
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'control-plane-'));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (options.dir === undefined) removeAtExit(dir);
  const apiPort = options.ports?.api;
  if (apiPort !== undefined && (await portInUse(apiPort))) {
    throw new Error(`Port ${apiPort} of 127.0.0.1 is in use. Choose another port, or end the process that uses it.`);
  }
  for (let attempt = 1; ; attempt += 1) {
    const port = apiPort ?? (await lastPort(join(dir, 'kubeconfig'))) ?? (await freePort());
    const servers = new RunningServers({ ...options, dir, report, port, isTemporary: options.dir === undefined });
    try {
      await servers.start(binaries.etcd, binaries['kube-apiserver']);
    } catch (error) {
      if (attempt < ATTEMPTS && error instanceof ProcessFailure && error.message.includes('address already in use')) {
        continue;
      }
      throw error;
    }
    if (manager !== undefined) await servers.startControllerManager(manager, controllers);
    return servers;
  }
}

interface ServerOptions extends ControlPlaneOptions {
  readonly dir: string;
  readonly report: Report;
  /** The port of the API server. */
  readonly port: number;
  /** No data outlives the servers, because the folder is removed. */
  readonly isTemporary: boolean;
}

/** Etcd, the API server and, if requested, the controller manager. */
class RunningServers implements Servers {
  readonly url: string;
  readonly kubeconfig: string;
  readonly dir: string;
  readonly failed: Promise<string>;
  readonly #options: ServerOptions;
  readonly #pki: Pki;
  readonly #fail: (message: string) => void;
  /** Processes that are stopped on purpose. Their end is not a failure. */
  readonly #expected = new WeakSet<ManagedProcess>();
  #etcd: ManagedProcess | undefined;
  #api: ManagedProcess | undefined;
  #manager: ManagedProcess | undefined;
  #startApi: () => Promise<ManagedProcess> = () => Promise.reject(new Error('The API server has not been started.'));
  #isStopping = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.dir = options.dir;
    this.url = `https://127.0.0.1:${options.port}`;
    this.kubeconfig = join(options.dir, 'kubeconfig');
    this.#pki = openPki(join(options.dir, 'pki'));
    const { promise, resolve } = Promise.withResolvers<string>();
    this.failed = promise;
    this.#fail = resolve;
  }

  get processes(): readonly ManagedProcess[] {
    return [this.#etcd, this.#api, this.#manager].filter(
      (child): child is ManagedProcess => child?.end === undefined && child !== undefined,
    );
  }

  /** Starts etcd and the API server. Resolves when the API server is ready. If one fails to start, no process remains. */
  async start(etcdProgram: string, apiProgram: string): Promise<void> {
    const { dir, port, isTemporary, apiServerArguments: more = [] } = this.#options;
    const pki = this.#pki;
    const etcdPort = await freePort();
    const peerPort = await freePort();
    const admin = pki.clientCertificate(ADMIN.user, ADMIN.groups);
    this.#startApi = async () => {
      const child = await startApiServer(apiProgram, { dir, pki, port, etcdPort, more });
      await waitUntilReady(child, () => isReady(this.url, admin), READY_TIMEOUT_MS);
      if (this.#options.keepAlive === true) void this.#revive(child);
      else this.#failWith(child);
      return child;
    };
    try {
      const etcd = await startEtcd(etcdProgram, { dir, pki, port: etcdPort, peerPort, durable: !isTemporary });
      this.#etcd = etcd;
      // The API server itself waits for etcd, but needs a minute to report that etcd did not start.
      this.#api = await Promise.race([
        this.#startApi(),
        etcd.exited.then((end): never => {
          throw new ProcessFailure(etcd, `ended with ${end}`);
        }),
      ]);
      this.#failWith(etcd);
    } catch (error) {
      await this.#api?.kill();
      await this.#etcd?.kill();
      throw error;
    }
    this.#writeKubeconfig(this.kubeconfig, ADMIN.user, ADMIN.groups);
  }

  async startControllerManager(program: string, controllers: readonly string[]): Promise<void> {
    const kubeconfig = join(this.dir, 'controller-manager.kubeconfig');
    this.#writeKubeconfig(kubeconfig, 'system:kube-controller-manager', ['system:masters']);
    this.#manager = await startProcess({
      name: 'kube-controller-manager',
      command: program,
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--service-account-private-key-file=${this.#pki.serviceAccountKey}`,
        `--root-ca-file=${this.#pki.caCertificate}`,
        `--controllers=${controllers.join(',')}`,
        '--leader-elect=false',
        '--secure-port=0',
      ],
      logFile: join(this.dir, 'kube-controller-manager.log'),
    });
    this.#failWith(this.#manager);
  }

  kubeConfig(user = ADMIN.user, groups: readonly string[] = user === ADMIN.user ? ADMIN.groups : []): KubeConfig {
    const config = new KubeConfig();
    config.loadFromString(this.#kubeconfigText(user, groups));
    return config;
  }

  kubeconfigFor(user: string, groups: readonly string[] = []): string {
    const path = join(this.dir, `user-${randomBytes(6).toString('hex')}.kubeconfig`);
    this.#writeKubeconfig(path, user, groups);
    return path;
  }

  async kill(): Promise<void> {
    if (this.#api) this.#expected.add(this.#api);
    await this.#api?.kill();
  }

  async restart(): Promise<void> {
    if (this.#api) this.#expected.add(this.#api);
    await this.#api?.stop();
    this.#api = await this.#startApi();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#manager?.kill();
    if (this.#options.isTemporary) {
      await Promise.all([this.#api?.kill(), this.#etcd?.kill()]);
      rmSync(this.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    } else {
      await this.#api?.stop(3_000);
      await this.#etcd?.stop();
    }
  }

  /** Settles `failed` when a process ends unexpectedly. */
  #failWith(child: ManagedProcess): void {
    void child.exited.then((end) => {
      if (!this.#isStopping && !this.#expected.has(child)) {
        this.#fail(new ProcessFailure(child, `ended with ${end}`).message);
      }
    });
  }

  /** Restarts the API server when it ends unexpectedly. */
  async #revive(child: ManagedProcess): Promise<void> {
    const end = await child.exited;
    if (this.#isStopping || this.#expected.has(child)) return;
    this.#options.report(new ProcessFailure(child, `ended with ${end} and is started again`).message);
    try {
      this.#api = await this.#startApi();
      if (this.#stopped()) await this.#api.kill();
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** A function call, because TypeScript assumes that the field is unchanged after an `await`. */
  #stopped(): boolean {
    return this.#isStopping;
  }

  #kubeconfigText(user: string, groups: readonly string[]): string {
    return stringify(kubeconfigObject(this.url, user, this.#pki.clientCertificate(user, groups)));
  }

  #writeKubeconfig(path: string, user: string, groups: readonly string[]): void {
    writeFileSync(path, this.#kubeconfigText(user, groups), { mode: 0o600 });
  }
}

let shared: Promise<ControlPlane> | undefined;

/**
 * For the body of a mocha `describe`: the control plane that all test files of this process share. It starts before the first
 * test that needs it, and ends with the process. Tests use separate namespaces. A test that damages the control plane starts
 * its own.
 */
export function withControlPlane(): () => ControlPlane {
  let plane: ControlPlane | undefined;
  before(async function () {
    // The first run on a new machine may have to fetch or build the control plane.
    this.timeout(30 * 60_000);
    const { report, end } = sparsely((line) => {
      console.log(line);
    });
    shared ??= startControlPlane({ report });
    plane = await shared;
    end();
  });
  return () => {
    if (!plane) throw new Error('The control plane is available in tests and hooks, but not during their declaration.');
    return plane;
  };
}

interface EtcdOptions {
  dir: string;
  pki: Pki;
  port: number;
  peerPort: number;
  /** Whether writes are synced to disk. Without it, writes are several times as fast. */
  durable: boolean;
}

function startEtcd(command: string, { dir, pki, port, peerPort, durable }: EtcdOptions): Promise<ManagedProcess> {
  const url = `https://127.0.0.1:${port}`;
  const peerUrl = `https://127.0.0.1:${peerPort}`;
  const tls = (prefix: string): string[] => [
    `--${prefix}cert-file=${pki.serverCertificate}`,
    `--${prefix}key-file=${pki.serverKey}`,
    `--${prefix}trusted-ca-file=${pki.caCertificate}`,
    `--${prefix}client-cert-auth`,
  ];
  return startProcess({
    name: 'etcd',
    command,
    args: [
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      ...tls(''),
      ...tls('peer-'),
      ...(durable ? [] : ['--unsafe-no-fsync']),
      '--log-level=warn',
    ],
    logFile: join(dir, 'etcd.log'),
  });
}

interface ApiServerOptions {
  dir: string;
  pki: Pki;
  port: number;
  etcdPort: number;
  more: readonly string[];
}

function startApiServer(
  command: string,
  { dir, pki, port, etcdPort, more }: ApiServerOptions,
): Promise<ManagedProcess> {
  return startProcess({
    name: 'kube-apiserver',
    command,
    args: [
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      // Endpoints do not allow loopback addresses, and no client here looks up the API server in the cluster.
      '--endpoint-reconciler-type=none',
      `--tls-cert-file=${pki.serverCertificate}`,
      `--tls-private-key-file=${pki.serverKey}`,
      `--client-ca-file=${pki.caCertificate}`,
      `--etcd-servers=https://127.0.0.1:${etcdPort}`,
      `--etcd-cafile=${pki.caCertificate}`,
      `--etcd-certfile=${pki.serverCertificate}`,
      `--etcd-keyfile=${pki.serverKey}`,
      '--authorization-mode=RBAC',
      '--allow-privileged',
      '--service-cluster-ip-range=10.0.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${pki.serviceAccountKey}`,
      `--service-account-signing-key-file=${pki.serviceAccountKey}`,
      '--profiling=false',
      ...more,
    ],
    logFile: join(dir, 'kube-apiserver.log'),
  });
}

function isReady(
  url: string,
  { ca, certificate, key }: { ca: string; certificate: string; key: string },
): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request(`${url}/readyz`, { ca, cert: certificate, key, agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => {
      resolve(false);
    });
    call.end();
  });
}

function kubeconfigObject(
  url: string,
  user: string,
  { ca, certificate, key }: { ca: string; certificate: string; key: string },
): object {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: user, user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user, namespace: 'default' } }],
    'current-context': 'local',
  };
}

/** The port in this folder's kubeconfig, if it is free: terminals that use the file stay connected. */
async function lastPort(kubeconfigPath: string): Promise<number | undefined> {
  let text: string;
  try {
    text = readFileSync(kubeconfigPath, 'utf8');
  } catch {
    return undefined;
  }
  const port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
  return Number.isInteger(port) && !(await portInUse(port)) ? port : undefined;
}

function runKubectl(path: string, kubeconfig: string, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // kubectl's caches are in the folder of the cluster and are removed with it, instead of remaining in the user's home.
    const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dirname(kubeconfig), 'kubectl-cache') };
    const child = execFile(path, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr.trim() || error.message}`));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}
