/**
 * A guardrail under attack: the real program as a separate process, a concurrent victim, and the checks after each attack.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, type ManagedProcess, removeAtExit, startProcess, waitUntilReady } from '../../testing/processes.ts';
import { type RedisServer, startRedis } from '../../testing/redis.ts';
import { largeJsonMs } from '../largeJson.ts';
import { LEAST_SAMPLES, mebibytes, slowdown } from '../measure.ts';
import { COLLECTABLE, resetPeak, peakBytes, settledBytes, waitForMemory } from '../memory.ts';
import { Planted } from '../planted.ts';
import type { Random } from '../random.ts';
import { ATTACKER, basic, Client, type Answer, type Call } from './client.ts';
import { imageDataUrl } from './attackImages.ts';
import { podProgram } from './program.ts';
import { type VictimReport, type Sample, SETTINGS } from './victim.ts';

const READY_MS = 30_000;
const BACK_MS = 8_000;
/**
 * The OCR engine stays for two minutes after its last image, and retains this much more memory after a large one. All
 * attacks are compared with the memory before the first one, so their remains would add up.
 */
const ENGINE_BYTES = 128 * 2 ** 20;
/** The minimum measuring time of an attack: a quarter more than the fewest samples need. */
const LEAST_WINDOW_MS = 1_600;
const USUAL_MS = 2_600;
const CALM_MS = 300;
/**
 * The p99 that is always allowed for the victim's calls, as a multiple of {@link largeJsonMs}. Parsing or writing the JSON
 * of a large body cannot be interrupted, a call can wait for two such bodies, and the service shares two processors with the
 * attacker, the victim and the attacks on the operator.
 */
const FLOOR_TIMES = 15;

/** The store of the guardrail under attack. */
export type StoreKind = 'memory' | 'redis';

/** The interface of an attack to its target. */
export interface Target {
  readonly random: Random;
  readonly planted: Planted;
  readonly port: number;
  readonly store: StoreKind;
  /** API keys of two tenants; the victim has a third. */
  readonly keys: { readonly attacker: string; readonly other: string };
  /** Undefined if the mappings are in memory. */
  readonly redis: RedisServer | undefined;
  send(call: Call): Promise<Answer>;
  /** @returns the peak growth of the guardrail's memory during some work, in bytes. */
  peakDuring(work: () => Promise<unknown>): Promise<number>;
  /**
   * Ends the guardrail.
   *
   * @returns its exit status
   */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<string>;
  /** Restarts the guardrail on the same port. */
  restart(): Promise<void>;
  /** Reports a fault. */
  fault(phrase: string): void;
}

/** An attack on the guardrail. */
export interface GuardrailAttack {
  readonly name: string;
  /** Default: both. */
  readonly store?: StoreKind;
  /** The attack makes the service unavailable on purpose; the victim must be served only afterwards. */
  readonly outage?: true;
  readonly run: (target: Target) => Promise<void>;
}

export class GuardrailTestbed {
  readonly #store: StoreKind;
  readonly #port: number;
  readonly #metricsPort: number;
  readonly #redis: RedisServer | undefined;
  readonly #env: Readonly<Record<string, string>>;
  readonly #keys: Readonly<Record<'attacker' | 'other' | 'victim', string>>;
  readonly #folder: string;
  readonly #pod = podProgram();
  #usual: readonly Sample[] = [];
  #reported = { samples: [] as Sample[], faults: new Set<string>() };
  #reportedUntil = 0;
  #process: ManagedProcess | undefined;
  #victim: ChildProcess | undefined;
  #usualBytes = 0;
  #floorMs = 0;
  #logRead = 0;

  private constructor(
    store: StoreKind,
    ports: readonly [number, number],
    redis: RedisServer | undefined,
    random: Random,
  ) {
    this.#store = store;
    [this.#port, this.#metricsPort] = ports;
    this.#redis = redis;
    this.#keys = {
      attacker: `sk-${random.letters(20)}`,
      other: `sk-${random.letters(20)}`,
      victim: `sk-${random.letters(20)}`,
    };
    this.#folder = mkdtempSync(join(tmpdir(), 'attack-guardrail-'));
    removeAtExit(this.#folder);
    this.#env = {
      GUARDRAIL_HOST: '127.0.0.1',
      GUARDRAIL_PORT: String(this.#port),
      GUARDRAIL_METRICS_PORT: String(this.#metricsPort),
      GUARDRAIL_API_KEYS: Object.entries(this.#keys)
        .map(([name, key]) => `${name}:${key}`)
        .join(','),
      GUARDRAIL_SESSION_KEY: random.letters(32),
      ...(redis === undefined ? {} : { GUARDRAIL_STORE: redis.url, GUARDRAIL_ENCRYPTION_KEYS: 'a1'.repeat(32) }),
      // As in the image.
      MALLOC_MMAP_THRESHOLD_: '131072',
    };
  }

  static async start(store: StoreKind, random: Random): Promise<GuardrailTestbed> {
    // Stored data is searched for planted values, which compression would hide.
    const redis = store === 'redis' ? await startRedis({ args: ['--rdbcompression', 'no'] }) : undefined;
    const testbed = new GuardrailTestbed(store, [await freePort(), await freePort()], redis, random);
    try {
      await testbed.#startProgram();
      await testbed.#startVictim(random);
      await testbed.#calibrate();
    } catch (error) {
      await testbed.stop();
      throw error;
    }
    return testbed;
  }

  async stop(): Promise<void> {
    this.#victim?.kill('SIGKILL');
    await this.#process?.kill();
    await this.#redis?.stop();
  }

  /**
   * Runs one attack and the checks after it. If only the victim's calls were slow, runs the attack a second time: other work
   * on the machine slows down one of two runs, a fault slows down both.
   *
   * @returns the faults
   */
  async runAttack(attack: GuardrailAttack, random: Random): Promise<string[]> {
    const first = await this.#runAttackOnce(attack, random);
    if (first.slow === undefined) return first.faults;
    const again = await this.#runAttackOnce(attack, random);
    return [...new Set([...first.faults, ...again.faults, ...(again.slow === undefined ? [] : [again.slow])])];
  }

  async #runAttackOnce(
    attack: GuardrailAttack,
    random: Random,
  ): Promise<{ faults: string[]; slow: string | undefined }> {
    const faults = new Set<string>();
    const planted = new Planted(random);
    const leaks = new Set<string>();
    const look = (where: string, text: string): void => {
      for (const token of planted.scan(text)) leaks.add(`${where} shows a planted value (${token})`);
    };
    const client = new Client(`http://127.0.0.1:${this.#port}`, ({ status, text, headers }) => {
      if (status !== 200) look(`an answer with status ${status}`, text);
      look('a header of an answer', JSON.stringify(headers));
    });
    if (this.#process?.end !== undefined) await this.#restartAfterCrash();
    const pid = this.#process?.pid ?? 0;
    let restarts = 0;
    const target = this.#target(client, random, planted, (fault) => void faults.add(fault));
    const counted: Target = {
      ...target,
      restart: async () => {
        restarts += 1;
        await target.restart();
      },
    };

    if (pid > 0) resetPeak(pid);
    this.#resetReports();
    const began = performance.now();
    try {
      await attack.run(counted);
    } catch (error) {
      faults.add(`the attack aborted: ${error instanceof Error ? error.message : String(error)}`);
    }
    await client.close();
    await delay(Math.max(0, LEAST_WINDOW_MS - (performance.now() - began)));

    if (restarts === 0 && this.#process?.pid !== pid) faults.add('it is another process');
    const add = (fault: string): void => void faults.add(fault);
    const slow = await this.#judge(attack, restarts > 0, add).catch((error: unknown) => {
      // The exit of the process is reported below.
      if (this.#process?.end === undefined) add(`the check failed: ${String(error)}`);
      return undefined;
    });
    for (const [where, text] of await this.#traces()) look(where, text);
    const ended = this.#exitFault();
    return { faults: [...faults, ...leaks, ...(ended === undefined ? [] : [ended])], slow };
  }

  /** The implementation of {@link Target}. */
  #target(client: Client, random: Random, planted: Planted, fault: (phrase: string) => void): Target {
    return {
      random,
      planted,
      port: this.#port,
      store: this.#store,
      keys: this.#keys,
      redis: this.#redis,
      send: (call) => client.send(call),
      peakDuring: async (work) => {
        const pid = this.#process?.pid ?? 0;
        const before = await settledBytes(pid, 3);
        resetPeak(pid);
        await work();
        return peakBytes(pid) - before;
      },
      end: async (signal) => {
        const child = this.#process;
        await (signal === 'SIGKILL' ? child?.kill() : child?.stop(40_000));
        return child?.end ?? 'not at all';
      },
      restart: () => this.#startProgram(),
      fault,
    };
  }

  /** @returns a fault if the program has exited. */
  #exitFault(): string | undefined {
    const child = this.#process;
    if (child?.end === undefined) return undefined;
    const fatal = child.lastLines(40).find((line) => line.includes('FATAL ERROR')) ?? '';
    return `the guardrail ended with ${child.end} ${fatal}`.trim();
  }

  /** Searches the places where no planted value may appear. */
  async #traces(): Promise<[where: string, text: string][]> {
    return [
      ['the log', this.#newLog()],
      ['a metric', this.#process?.end === undefined ? await this.#metrics() : ''],
      ['the data of Redis', await this.#redisData()],
    ];
  }

  /**
   * Checks the state after an attack, beyond the faults that the attack itself reports.
   *
   * @returns the excessive slowdown of the victim's calls, if any
   */
  async #judge(attack: GuardrailAttack, isAnother: boolean, add: (fault: string) => void): Promise<string | undefined> {
    const { samples, faults: heard } = await this.#collectReports();
    const pid = this.#process?.pid ?? 0;
    let slow: string | undefined;
    if (attack.outage === undefined) {
      const judge = (): string | undefined =>
        slowdown({ usual: latencies(this.#usual), during: latencies(samples) }, this.#floorMs);
      // The machine may have become slower since it was measured.
      if (judge() !== undefined) this.#floorMs = Math.max(this.#floorMs, FLOOR_TIMES * (await largeJsonMs()));
      const found = judge();
      if (found !== undefined) slow = [found, ...[...heard].slice(0, 2)].join(': ');
      const peak = peakBytes(pid);
      const has = this.#pod.memoryBytes;
      if (peak > has) add(`it used ${mebibytes(peak)}; its container limit is ${mebibytes(has)}`);
    }
    const health = await fetch(`http://127.0.0.1:${this.#port}/healthz`, { signal: AbortSignal.timeout(5_000) });
    if (health.status !== 200) add(`/healthz answers ${health.status}`);
    await this.#eraseAttackers();
    if (isAnother) {
      await this.#calibrate();
    } else {
      const more = await waitForMemory(pid, this.#usualBytes, BACK_MS, ENGINE_BYTES);
      if (more !== undefined) {
        add(more);
        // Reported once: the next attack is compared with the new value.
        this.#usualBytes = await settledBytes(pid);
      }
    }
    const unserved = await this.#untilServed();
    if (unserved !== undefined) add(unserved);
    return slow;
  }

  /**
   * Waits for a period in which every call of the victim is served.
   *
   * @returns the faults if there is none
   */
  async #untilServed(): Promise<string | undefined> {
    const deadline = performance.now() + BACK_MS;
    for (;;) {
      this.#resetReports();
      await delay(CALM_MS);
      const { samples, faults } = await this.#collectReports();
      if (samples.length > 0 && samples.every(([, ms]) => ms !== null)) return undefined;
      if (performance.now() > deadline) return `other tenants are not served afterwards: ${[...faults].join(', ')}`;
    }
  }

  /** Erases the attackers' mappings, which are retained by design. What remains is what the attack left behind. */
  async #eraseAttackers(): Promise<void> {
    const client = new Client(`http://127.0.0.1:${this.#port}`, () => undefined);
    for (const key of [this.#keys.attacker, this.#keys.other]) {
      await client.send({ path: '/subjects/erase', key, body: { end_user_id: ATTACKER } });
    }
    await client.close();
  }

  async #startProgram(): Promise<void> {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GUARDRAIL_'));
    const child = await startProcess({
      name: 'The guardrail',
      command: process.execPath,
      args: [...COLLECTABLE, ...this.#pod.nodeArguments, join(import.meta.dirname, '../../../guardrail/main.ts')],
      env: { ...Object.fromEntries(inherited), ...this.#env },
      logFile: join(this.#folder, 'guardrail.log'),
    });
    this.#process = child;
    await waitUntilReady(child, () => isReady(this.#port), READY_MS);
  }

  /** Restarts the guardrail after a crash. */
  async #restartAfterCrash(): Promise<void> {
    await this.#startProgram();
    await this.#calibrate();
  }

  async #startVictim(random: Random): Promise<void> {
    const child = fork(join(import.meta.dirname, 'victim.ts'), {
      env: {
        ...process.env,
        [SETTINGS.url]: `http://127.0.0.1:${this.#port}`,
        [SETTINGS.key]: this.#keys.victim,
        [SETTINGS.email]: `${random.letters(8)}.victim@example.org`,
      },
    });
    child.unref();
    child.channel?.unref();
    child.on('message', (message) => {
      const { samples, faults, completeUntil } = message as VictimReport;
      this.#reportedUntil = completeUntil;
      this.#reported.samples.push(...samples);
      for (const fault of faults) this.#reported.faults.add(fault);
    });
    this.#victim = child;
    await delay(100);
  }

  /** Sends ordinary work of every kind, and measures the usual latencies and memory. */
  async #calibrate(): Promise<void> {
    const client = new Client(`http://127.0.0.1:${this.#port}`, () => undefined);
    const key = this.#keys.other;
    const text = 'Please write to bernd.meyer@example.org about the invoice. The figures look fine so far. '.repeat(
      2_000,
    );
    for (let n = 0; n < 3; n += 1) {
      await client.send({ key, body: basic('request', { texts: [text] }) });
      await client.send({ key, body: basic('request', { texts: [], images: [await imageDataUrl()] }) });
    }
    await this.#eraseAttackers();
    await client.close();
    this.#resetReports();
    await delay(USUAL_MS);
    const { samples } = await this.#collectReports();
    // The first calls run code that is not compiled yet.
    this.#usual = samples.slice(Math.max(0, samples.length - 2 * LEAST_SAMPLES));
    this.#floorMs = FLOOR_TIMES * (await largeJsonMs());
    this.#usualBytes = await settledBytes(this.#process?.pid ?? 0);
  }

  /** Discards the victim's samples so far. */
  #resetReports(): void {
    this.#reported = { samples: [], faults: new Set() };
  }

  /** Waits for the answers to all calls that have begun. */
  async #collectReports(): Promise<{ samples: Sample[]; faults: ReadonlySet<string> }> {
    const until = Date.now();
    const { samples, faults } = this.#reported;
    while (this.#reportedUntil < until) await delay(50);
    return { samples: samples.filter(([at]) => at <= until), faults };
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

  /** @returns the data of Redis as written to disk. */
  async #redisData(): Promise<string> {
    if (this.#redis === undefined) return '';
    const [, folder = ''] = (await this.#redis.cli('CONFIG', 'GET', 'dir')).trim().split('\n');
    await this.#redis.cli('SAVE');
    return readFileSync(join(folder, 'dump.rdb'), 'latin1');
  }
}

function latencies(samples: readonly Sample[]): number[] {
  return samples.map(([, ms]) => ms ?? Number.POSITIVE_INFINITY);
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
