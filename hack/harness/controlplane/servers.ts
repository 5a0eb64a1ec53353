import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { freePort, type ManagedProcess, ProcessFailure, startProcess, waitUntilReady } from '../processes.ts';
import type { Report } from '../progress.ts';
import { isReady, startApiServer } from './apiServer.ts';
import { openPki, type Pki } from './certificates.ts';
import { startEtcd } from './etcd.ts';
import { kubeconfigText } from './kubeconfig.ts';

const ADMIN = { user: 'admin', groups: ['system:masters'] };
const READY_TIMEOUT_MS = 60_000;

export interface ControlPlaneOptions {
  /**
   * The folder of data, keys, logs and kubeconfig, which is reused. Default: a temporary folder, which is removed at the end.
   */
  dir?: string;
  /** Removes `dir` at the end, and does not wait for the disk. Default: only without `dir`. */
  temporary?: boolean;
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

/** The settings of one start. */
export interface ServerOptions extends ControlPlaneOptions {
  readonly dir: string;
  readonly report: Report;
  /** The port of the API server. */
  readonly port: number;
  /** No data outlives the servers, because the folder is removed. */
  readonly isTemporary: boolean;
}

/** Etcd, the API server and, if requested, the controller manager. */
export class RunningServers implements Servers {
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
    this.#options.report(new ProcessFailure(child, `ended with ${end} and is restarting`).message);
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
    return kubeconfigText(this.url, user, this.#pki.clientCertificate(user, groups));
  }

  #writeKubeconfig(path: string, user: string, groups: readonly string[]): void {
    writeFileSync(path, this.#kubeconfigText(user, groups), { mode: 0o600 });
  }
}
