import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  answersOk,
  freePort,
  type ManagedProcess,
  removeAtExit,
  startProcess,
  waitUntilReady,
} from '../../harness/processes.ts';
import type { RedisServer } from '../../harness/redis.ts';
import { collectable } from '../memory.ts';
import { podProgram } from './program.ts';

const READY_MS = 30_000;

/** The names of the tenants. */
export type TenantName = 'attacker' | 'other' | 'victim';

/** The settings of the guardrail under attack. */
export interface GuardrailSettings {
  /** The API key of each tenant. */
  readonly keys: Readonly<Record<TenantName, string>>;
  readonly sessionKey: string;
  /** Undefined stores the mappings in memory. */
  readonly redis: RedisServer | undefined;
}

/** The guardrail with the settings of its pod, as a separate process that can be restarted on the same ports. */
export class GuardrailProcess {
  readonly port: number;
  readonly #metricsPort: number;
  readonly #redis: RedisServer | undefined;
  readonly #env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #pod = podProgram();
  #child: ManagedProcess | undefined;
  #logRead = 0;

  private constructor([port, metricsPort]: readonly [number, number], { keys, sessionKey, redis }: GuardrailSettings) {
    this.port = port;
    this.#metricsPort = metricsPort;
    this.#redis = redis;
    this.#folder = mkdtempSync(join(tmpdir(), 'attack-guardrail-'));
    removeAtExit(this.#folder);
    this.#env = {
      GUARDRAIL_HOST: '127.0.0.1',
      GUARDRAIL_PORT: String(port),
      GUARDRAIL_METRICS_PORT: String(metricsPort),
      GUARDRAIL_API_KEYS: Object.entries(keys)
        .map(([name, key]) => `${name}:${key}`)
        .join(','),
      GUARDRAIL_SESSION_KEY: sessionKey,
      ...(redis === undefined ? {} : { GUARDRAIL_STORE: redis.url, GUARDRAIL_ENCRYPTION_KEYS: 'a1'.repeat(32) }),
      // As in the image.
      MALLOC_MMAP_THRESHOLD_: '131072',
    };
  }

  /** Reserves the ports. Does not start the process. */
  static async create(settings: GuardrailSettings): Promise<GuardrailProcess> {
    return new GuardrailProcess([await freePort(), await freePort()], settings);
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

  /** The memory limit of the pod's container. */
  get memoryLimitBytes(): number {
    return this.#pod.memoryBytes;
  }

  async start(): Promise<void> {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GUARDRAIL_'));
    const child = await startProcess({
      name: 'The guardrail',
      command: process.execPath,
      args: [...collectable(), ...this.#pod.nodeArguments, join(import.meta.dirname, '../../../guardrail/main.ts')],
      env: { ...Object.fromEntries(inherited), ...this.#env },
      logFile: join(this.#folder, 'guardrail.log'),
    });
    this.#child = child;
    await waitUntilReady(child, () => answersOk(`${this.url}/readyz`), READY_MS);
  }

  /** @returns the exit status */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<string> {
    const child = this.#child;
    await (signal === 'SIGKILL' ? child?.kill() : child?.stop(40_000));
    return child?.end ?? 'no exit';
  }

  /** @returns a fault if the process has ended */
  exitFault(): string | undefined {
    if (this.exit === undefined) return undefined;
    const fatal = this.#child?.lastLines(40).find((line) => line.includes('FATAL ERROR')) ?? '';
    return `the guardrail ended with ${this.exit} ${fatal}`.trim();
  }

  /** @returns what the process has written since the last call, in each place where no canary value may appear */
  async traces(): Promise<[where: string, text: string][]> {
    return [
      ['the log', this.#newLog()],
      ['a metric', this.exit === undefined ? await this.#metrics() : ''],
      ['the data of Redis', await this.#redisData()],
    ];
  }

  #newLog(): string {
    const log = readFileSync(join(this.#folder, 'guardrail.log'), 'utf8');
    const fresh = log.slice(this.#logRead);
    this.#logRead = log.length;
    return fresh;
  }

  async #metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`)).text();
  }

  /** @returns the data of Redis as written to disk */
  async #redisData(): Promise<string> {
    if (this.#redis === undefined) return '';
    const [, folder = ''] = (await this.#redis.cli('CONFIG', 'GET', 'dir')).trim().split('\n');
    await this.#redis.cli('SAVE');
    return readFileSync(join(folder, 'dump.rdb'), 'latin1');
  }
}
