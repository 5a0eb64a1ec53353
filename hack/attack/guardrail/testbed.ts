/** A guardrail under attack: the real program, a concurrent victim, and the checks after each attack. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type RedisServer, startRedis } from '../../harness/redis.ts';
import { Canaries } from '../canaries.ts';
import { largeJsonMs } from '../largeJson.ts';
import { type AttackResult, confirm, mebibytes, slowdown } from '../measure.ts';
import { peakBytes, processorMs, resetPeak, settledBytes, waitForMemory } from '../memory.ts';
import type { Random } from '../random.ts';
import type { GuardrailAttack, StoreKind, Target } from './attack.ts';
import { imageDataUrl } from './attackImages.ts';
import { ATTACKER, basic, Client } from './client.ts';
import { type Keys, startGuardrail } from './program.ts';
import type { Program } from '../program.ts';
import { VictimProcess } from './victimProcess.ts';

/** The maximum time until the victim is served again. */
const RECOVERY_MS = 8_000;
/** The maximum time until memory is released. OCR can go on after its call ended, for five seconds of processor time. */
const MEMORY_TIMEOUT_MS = 30_000;
/**
 * Smaller growth is ignored. Buffers of half-received bodies leave 60 to 150 MiB of pages in the allocator that are partly
 * free. Later attacks reuse them, so an attack that leaves more runs again.
 */
const FREE_PAGES_BYTES = 96 * 2 ** 20;
const SERVED_MS = 100;
/**
 * The latency that is always allowed for the victim's calls, as a multiple of {@link largeJsonMs}. Parsing or writing the JSON
 * of a large body cannot be interrupted, and a call can wait for two such bodies.
 */
const LATENCY_RATIO = 15;

type Fault = (phrase: string) => void;

export class GuardrailTestbed {
  readonly #store: StoreKind;
  readonly #redis: RedisServer | undefined;
  readonly #keys: Keys;
  readonly #guardrail: Program;
  readonly #victim: VictimProcess;
  /** Undefined after a start. */
  #usual: { readonly bytes: number; readonly limitMs: number } | undefined;

  private constructor(
    store: StoreKind,
    redis: RedisServer | undefined,
    keys: Keys,
    guardrail: Program,
    victim: VictimProcess,
  ) {
    this.#store = store;
    this.#redis = redis;
    this.#keys = keys;
    this.#guardrail = guardrail;
    this.#victim = victim;
  }

  static async start(store: StoreKind, random: Random): Promise<GuardrailTestbed> {
    // Stored data is searched for canary values, which compression would hide.
    const redis = store === 'redis' ? await startRedis({ args: ['--rdbcompression', 'no'] }) : undefined;
    const keys = {
      attacker: `sk-${random.letters(20)}`,
      other: `sk-${random.letters(20)}`,
      victim: `sk-${random.letters(20)}`,
    };
    const guardrail = await startGuardrail(keys, random.letters(32), redis);
    try {
      const email = `${random.letters(8)}.victim@example.org`;
      const victim = await VictimProcess.start({ url: guardrail.url, key: keys.victim, email });
      return new GuardrailTestbed(store, redis, keys, guardrail, victim);
    } catch (error) {
      await guardrail.end('SIGKILL');
      await redis?.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#victim.stop();
    await this.#guardrail.end('SIGKILL');
    await this.#redis?.stop();
  }

  /**
   * Runs one attack and the checks after it.
   *
   * @returns the faults
   */
  runAttack(attack: GuardrailAttack, random: Random): Promise<string[]> {
    return confirm(() => this.#runAttackOnce(attack, random));
  }

  async #runAttackOnce(attack: GuardrailAttack, random: Random): Promise<AttackResult> {
    const faults = new Set<string>();
    const leaks = new Set<string>();
    const fault: Fault = (phrase) => void faults.add(phrase);
    const canaries = new Canaries(random);
    const search = (where: string, text: string): void => {
      for (const token of canaries.scan(text)) leaks.add(`${where} contains a canary value (${token})`);
    };
    const client = new Client(this.#guardrail.url, ({ status, text, headers }) => {
      if (status !== 200) search(`an answer with status ${status}`, text);
      search('a header of an answer', JSON.stringify(headers));
    });
    if (this.#guardrail.exit !== undefined) await this.#start();
    // An attack that ends the guardrail is not measured.
    if (attack.outage === undefined) this.#usual ??= await this.#calibrate();
    await this.#attackOnce(attack, client, { random, canaries, fault });
    const checked = await this.#check(attack, fault).catch((error: unknown) => {
      // The exit of the process is reported below.
      if (this.#guardrail.exit === undefined) fault(`the check failed: ${String(error)}`);
      return { slowdown: undefined, growth: undefined };
    });
    for (const [where, text] of await this.#traces()) search(where, text);
    const exit = this.#guardrail.exitFault();
    return { faults: [...faults, ...leaks, ...(exit === undefined ? [] : [exit])], ...checked };
  }

  /** @returns what the guardrail has written since the last call, in each place where no canary value may appear */
  async #traces(): Promise<[where: string, text: string][]> {
    return [
      ['the log', this.#guardrail.newLog()],
      ['a metric', this.#guardrail.exit === undefined ? await this.#guardrail.metrics() : ''],
      ['the data of Redis', await this.#redisData()],
    ];
  }

  /** @returns the data of Redis as written to disk */
  async #redisData(): Promise<string> {
    if (this.#redis === undefined) return '';
    const [, folder = ''] = (await this.#redis.cli('CONFIG', 'GET', 'dir')).trim().split('\n');
    await this.#redis.cli('SAVE');
    return readFileSync(join(folder, 'dump.rdb'), 'latin1');
  }

  async #start(): Promise<void> {
    this.#usual = undefined;
    await this.#guardrail.start();
  }

  async #attackOnce(
    attack: GuardrailAttack,
    client: Client,
    context: { readonly random: Random; readonly canaries: Canaries; readonly fault: Fault },
  ): Promise<void> {
    const { pid } = this.#guardrail;
    resetPeak(pid);
    this.#victim.startPeriod(pid);
    try {
      await attack.run(this.#target(client, context));
    } catch (error) {
      context.fault(`the attack aborted: ${error instanceof Error ? error.message : String(error)}`);
    }
    await client.close();
  }

  /** The implementation of {@link Target}. */
  #target(
    client: Client,
    { random, canaries, fault }: { readonly random: Random; readonly canaries: Canaries; readonly fault: Fault },
  ): Target {
    const guardrail = this.#guardrail;
    return {
      random,
      canaries,
      port: guardrail.port,
      store: this.#store,
      keys: this.#keys,
      redis: this.#redis,
      send: (call) => client.send(call),
      processorMs: () => processorMs(guardrail.pid),
      peakDuring: async (work) => {
        const { pid } = guardrail;
        const before = await settledBytes(pid, 3);
        resetPeak(pid);
        await work();
        return peakBytes(pid) - before;
      },
      end: (signal) => guardrail.end(signal),
      restart: () => this.#start(),
      fault,
    };
  }

  /**
   * Checks the state after an attack, in addition to the faults that the attack itself reports.
   *
   * @returns the excessive slowdown of the victim's calls, and the memory that was not released, if any
   */
  async #check(attack: GuardrailAttack, fault: Fault): Promise<Pick<AttackResult, 'slowdown' | 'growth'>> {
    if (!(await this.#guardrail.isHealthy())) fault('/healthz does not return 200');
    await this.#eraseAttackers();
    const result =
      this.#usual === undefined
        ? { slowdown: undefined, growth: undefined }
        : {
            growth: await this.#checkMemory(this.#usual.bytes),
            slowdown: await this.#checkVictim(attack, this.#usual.limitMs, fault),
          };
    const unserved = await this.#untilServed();
    if (unserved !== undefined) fault(unserved);
    return result;
  }

  /** Checks the victim's latencies and the peak memory. Neither applies to an attack that ends the guardrail. */
  async #checkVictim(attack: GuardrailAttack, limitMs: number, fault: Fault): Promise<string | undefined> {
    if (attack.outage !== undefined) return undefined;
    const peak = peakBytes(this.#guardrail.pid);
    const limit = this.#guardrail.memoryBytes;
    if (peak > limit) fault(`the guardrail used ${mebibytes(peak)}; its container limit is ${mebibytes(limit)}`);
    const { latencies, faults } = await this.#victim.endPeriod();
    const found = slowdown(latencies, limitMs);
    return found === undefined ? undefined : [found, ...faults.slice(0, 2)].join(': ');
  }

  /** @returns the memory that was not released, if any */
  async #checkMemory(usualBytes: number): Promise<string | undefined> {
    const { pid } = this.#guardrail;
    const growth = await waitForMemory(pid, usualBytes, MEMORY_TIMEOUT_MS, FREE_PAGES_BYTES);
    // The next run is compared with the new value.
    if (growth !== undefined && this.#usual) this.#usual = { ...this.#usual, bytes: await settledBytes(pid) };
    return growth;
  }

  /**
   * Waits for a period in which every call of the victim is served.
   *
   * @returns a fault if there is none
   */
  async #untilServed(): Promise<string | undefined> {
    const deadline = performance.now() + RECOVERY_MS;
    for (;;) {
      this.#victim.startPeriod(this.#guardrail.pid);
      await delay(SERVED_MS);
      const { latencies, faults } = await this.#victim.endPeriod();
      if (latencies.length > 0 && latencies.every(Number.isFinite)) return undefined;
      if (performance.now() > deadline) return `other tenants are not served after the attack: ${faults.join(', ')}`;
    }
  }

  /** Erases the attackers' mappings, which the guardrail retains by design. The remaining memory is a leak. */
  async #eraseAttackers(): Promise<void> {
    const client = new Client(this.#guardrail.url, () => undefined);
    for (const key of [this.#keys.attacker, this.#keys.other]) {
      await client.send({ path: '/subjects/erase', key, body: { end_user_id: ATTACKER } });
    }
    await client.close();
  }

  /** Sends ordinary work of every kind. @returns the usual memory, and the limit of the victim's latencies */
  async #calibrate(): Promise<{ readonly bytes: number; readonly limitMs: number }> {
    const client = new Client(this.#guardrail.url, () => undefined);
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
    return { limitMs: LATENCY_RATIO * (await largeJsonMs()), bytes: await settledBytes(this.#guardrail.pid) };
  }
}
