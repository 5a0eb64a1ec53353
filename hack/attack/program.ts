/** A program of the project with the limits of its pod, as a process that can be restarted on the same ports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quantityBytes } from '../../operator/guardrail/memory.ts';
import { freePort, type ManagedProcess, startProcess, temporaryFolder, waitUntilReady } from '../harness/processes.ts';
import { collectable } from './memory.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A kubelet gives up after this time. */
const HEALTH_MS = 5_000;
const STOP_MS = 40_000;

/** The two ports that a program listens on. */
export interface Ports {
  readonly port: number;
  readonly metricsPort: number;
}

/** How a program is started. */
export interface ProgramOptions {
  readonly name: string;
  /** The program, relative to the project. */
  readonly script: string;
  /** The arguments of Node.js before the program. */
  readonly nodeArguments: readonly string[];
  /** The memory limit of its container, as a Kubernetes quantity. */
  readonly memory: string;
  readonly args?: (ports: Ports) => readonly string[];
  readonly env: (ports: Ports) => Readonly<Record<string, string>>;
  /** Variables of this process that begin so belong to another program. */
  readonly foreign: RegExp;
  readonly isReady: (program: Program) => Promise<boolean>;
  readonly readyMs: number;
}

export class Program implements Ports {
  readonly port: number;
  readonly metricsPort: number;
  /** The memory limit of its container. */
  readonly memoryBytes: number;
  readonly #options: ProgramOptions;
  readonly #logFile: string;
  #child: ManagedProcess | undefined;
  #logRead = 0;

  private constructor(options: ProgramOptions, [port, metricsPort]: readonly [number, number]) {
    this.port = port;
    this.metricsPort = metricsPort;
    this.#options = options;
    const bytes = quantityBytes(options.memory);
    if (bytes === undefined) throw new Error(`${options.name} has no memory limit: ${options.memory}`);
    this.memoryBytes = bytes;
    const folder = temporaryFolder('attack-program-');
    this.#logFile = join(folder, 'program.log');
  }

  /** Starts a program on free ports. */
  static async start(options: ProgramOptions): Promise<Program> {
    const program = new Program(options, [await freePort(), await freePort()]);
    await program.start();
    return program;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The process id; 0 before the first start. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** How the process ended; undefined while it runs. */
  get exit(): string | undefined {
    return this.#child?.end;
  }

  /** Starts the process again, and waits until it is ready. */
  async start(): Promise<void> {
    const { name, script, nodeArguments, args = () => [], env, foreign, isReady, readyMs } = this.#options;
    const inherited = Object.entries(process.env).filter(([variable]) => !foreign.test(variable));
    this.#child = await startProcess({
      name,
      command: process.execPath,
      args: [...collectable(), ...nodeArguments, join(ROOT, script), ...args(this)],
      env: { ...Object.fromEntries(inherited), ...env(this) },
      logFile: this.#logFile,
    });
    await waitUntilReady(this.#child, () => isReady(this), readyMs);
  }

  /** @returns the exit status */
  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<string> {
    await (signal === 'SIGKILL' ? this.#child?.kill() : this.#child?.stop(STOP_MS));
    return this.exit ?? 'no exit';
  }

  /** @returns a fault if the process has ended */
  exitFault(): string | undefined {
    if (this.exit === undefined) return undefined;
    const fatal = this.#child?.lastLines(40).find((line) => line.includes('FATAL ERROR')) ?? '';
    return `${this.#options.name} ended with ${this.exit} ${fatal}`.trim();
  }

  /** @returns whether /healthz answers 200 */
  async isHealthy(): Promise<boolean> {
    const health = fetch(`${this.url}/healthz`, { signal: AbortSignal.timeout(HEALTH_MS) });
    return (await health.catch(() => undefined))?.status === 200;
  }

  async metrics(): Promise<string> {
    const signal = AbortSignal.timeout(HEALTH_MS);
    return (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`, { signal })).text();
  }

  /** @returns what the process has written since the last call */
  newLog(): string {
    const log = readFileSync(this.#logFile, 'utf8');
    const fresh = log.slice(this.#logRead);
    this.#logRead = log.length;
    return fresh;
  }
}
