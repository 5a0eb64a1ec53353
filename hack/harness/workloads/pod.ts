import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answersOk, freePort, type ManagedProcess, startProcess } from '../processes.ts';
import { ContainerConfigError, environment, localPaths, mountedPaths, type Sources, volumeFiles } from './container.ts';
import type { PodAddress, PodPort } from './addresses.ts';
import type { Container, Pod } from './kinds.ts';
import { writeVolume } from './volume.ts';

export interface LocalPodOptions {
  /** The pod, as a ReplicaSet creates it from its template. */
  pod: Pod;
  /** Its address in the cluster. */
  ip: string;
  /** The folder of its volumes. It is private, and removed with the pod. */
  folder: string;
  logFile: string;
  /** Replaces the image's file system: the folder in which commands run. */
  workingDirectory: string;
  /** How long an ended process waits for its first restart. Each further wait is twice as long. */
  restartMs: number;
  sources: () => Sources;
  /** Reports failures in one line. */
  report: (line: string) => void;
  /** Called when the pod becomes ready or unready. */
  changed: () => void;
}

const LAST_RESTART_MS = 30_000;
const PROBE_UNTIL_READY_MS = 100;
/** A process that ran for this time was healthy: its next restart has the first, shortest delay. */
const STABLE_MS = 60_000;

/** The port of the guardrail's inline proxy. */
const INLINE_PORT = 'inline';

/**
 * Runs the single container of a pod as a local process. Its volumes are files, and its ports are free ones of 127.0.0.1. The
 * process is restarted when it ends. Its readiness probe decides whether it is ready.
 */
export class LocalPod {
  readonly #options: LocalPodOptions;
  readonly #container: Container;
  readonly #stopped = new AbortController();
  readonly #life: Promise<void>;
  readonly #written = new Map<string, string>();
  #process: ManagedProcess | undefined;
  /** The first port, and that of the inline proxy. Empty before the first start. */
  #ports: readonly PodPort[] = [];
  #ready = false;
  #lastReported = '';

  constructor(options: LocalPodOptions) {
    const container = options.pod.spec?.containers[0];
    if (!container) throw new Error('A pod template without a container cannot run.');
    this.#options = options;
    this.#container = container;
    this.#life = this.#live();
  }

  /** Whether its readiness probe succeeds. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Its addresses in the cluster and on this machine; undefined before its first start. */
  get address(): PodAddress | undefined {
    if (this.#ports.length === 0) return undefined;
    return { ip: this.#options.ip, ports: this.#ports, ready: this.#ready };
  }

  /** The current process. */
  get process(): ManagedProcess | undefined {
    return this.#process;
  }

  /** Updates the files of its volumes, like a kubelet does while the container runs. */
  refresh(): void {
    try {
      this.#writeVolumes();
    } catch (error) {
      this.#tell(error);
    }
  }

  /** Stops the process and removes the volumes. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#ready = false;
    await this.#process?.stop();
    await this.#life;
    rmSync(this.#options.folder, { recursive: true, force: true });
  }

  async #live(): Promise<void> {
    const { signal } = this.#stopped;
    let wait = this.#options.restartMs;
    while (!signal.aborted) {
      const started = performance.now();
      try {
        this.#process = await this.#start();
        await this.#probeWhileRunning(this.#process);
      } catch (error) {
        this.#tell(error);
      }
      this.#setReady(false);
      if (performance.now() - started > STABLE_MS) wait = this.#options.restartMs;
      await pause(wait, signal);
      wait = Math.min(wait * 2, LAST_RESTART_MS);
    }
  }

  async #start(): Promise<ManagedProcess> {
    const { pod, folder, logFile, workingDirectory, sources } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const mounts = this.#writeVolumes();
    const variables = environment(this.#container, sources());
    // In a pod, each container has its ports to itself. Here it gets free ones.
    if (this.#ports.length === 0) this.#ports = await freePorts(this.#container);
    const inline = this.#ports.find(({ name }) => name === INLINE_PORT);
    const env: NodeJS.ProcessEnv = {
      PATH: process.env.PATH,
      HOME: folder,
      ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, localPaths(value, mounts)])),
      GUARDRAIL_PORT: String(this.#ports[0]?.localPort),
      ...(inline && { GUARDRAIL_PROXY_PORT: String(inline.localPort), GUARDRAIL_PROXY_HOST: '127.0.0.1' }),
      GUARDRAIL_METRICS_PORT: '0',
      GUARDRAIL_HOST: '127.0.0.1',
    };
    const [command = 'node', ...args] = (this.#container.command ?? []).map((word) => localPaths(word, mounts));
    const child = await startProcess({
      name: pod.metadata?.name ?? 'pod',
      command: command === 'node' ? process.execPath : command,
      args,
      cwd: workingDirectory,
      env,
      logFile,
    });
    if (this.#stopped.signal.aborted) await child.stop();
    return child;
  }

  /**
   * Returns when the process has ended.
   * @throws Error that says how it ended, with the end of its log, unless it was stopped
   */
  async #probeWhileRunning(child: ManagedProcess): Promise<void> {
    const probe = this.#container.readinessProbe;
    const period = (probe?.periodSeconds ?? 10) * 1000;
    const over = new AbortController();
    void child.exited.then(() => {
      over.abort();
    });
    while (child.end === undefined) {
      this.#setReady(
        probe?.httpGet
          ? await answersOk(
              `${(probe.httpGet.scheme ?? 'HTTP').toLowerCase()}://127.0.0.1:${this.#ports[0]?.localPort ?? 0}${probe.httpGet.path ?? '/'}`,
            )
          : true,
      );
      await pause(this.#ready ? period : PROBE_UNTIL_READY_MS, over.signal);
    }
    if (this.#stopped.signal.aborted) return;
    const lines = child.lastLines(5).map((line) => `\n  ${line}`);
    throw new Error(
      `It ended with ${child.end} and is restarting. The end of its log (${child.logFile}):${lines.join('')}`,
    );
  }

  /** @returns the local path of each mount path */
  #writeVolumes(): ReadonlyMap<string, string> {
    const { pod, folder, sources } = this.#options;
    const mounts = mountedPaths(this.#container, (volume) => join(folder, volume));
    for (const volume of pod.spec?.volumes ?? []) {
      const files = new Map(volumeFiles(volume, sources()));
      const fromConfigMap = volume.configMap !== undefined;
      for (const [path, content] of files) {
        // A configuration file may name files of other volumes.
        if (fromConfigMap) files.set(path, Buffer.from(localPaths(content.toString(), mounts)));
      }
      const fingerprint = JSON.stringify([...files].map(([path, content]) => [path, content.toString('base64')]));
      if (this.#written.get(volume.name) === fingerprint) continue;
      writeVolume(join(folder, volume.name), files);
      this.#written.set(volume.name, fingerprint);
    }
    return mounts;
  }

  #setReady(ready: boolean): void {
    if (this.#ready === ready || (ready && this.#stopped.signal.aborted)) return;
    this.#ready = ready;
    if (ready) this.#lastReported = '';
    this.#options.changed();
  }

  /** A repeated failure is reported once. */
  #tell(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    const [head = ''] = text.split('\n');
    if (head === this.#lastReported) return;
    this.#lastReported = head;
    const waits = error instanceof ContainerConfigError ? 'waits: ' : '';
    this.#options.report(`${this.#options.pod.metadata?.name ?? 'A pod'} ${waits}${text}`);
  }
}

async function freePorts({ ports = [] }: Container): Promise<PodPort[]> {
  const [first, ...others] = ports;
  const served: Omit<PodPort, 'localPort'>[] = [
    first ?? { containerPort: await freePort() },
    ...others.filter(({ name }) => name === INLINE_PORT),
  ];
  const found: PodPort[] = [];
  for (const { name, containerPort } of served) found.push({ name, containerPort, localPort: await freePort() });
  return found;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
