import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MIN_SAMPLES, slowdown } from '../measure.ts';
import { isPaused, type Pause } from '../pauses.ts';
import { type Sample, SETTINGS, type VictimOrder, type VictimReport } from './victim.ts';

const USUAL_MS = 2_600;

/** The address, the API key and the personal value of the victim. */
export interface VictimSettings {
  readonly url: string;
  readonly key: string;
  readonly email: string;
}

/** The victim's samples and faults of one period. */
export interface VictimPeriod {
  readonly samples: readonly Sample[];
  readonly faults: ReadonlySet<string>;
  /** The pauses of the guardrail. */
  readonly pauses: readonly Pause[];
}

function emptyPeriod() {
  return { samples: [] as Sample[], faults: new Set<string>(), pauses: [] as Pause[] };
}

/** Runs the victim (see victim.ts) and collects its reports. */
export class VictimProcess {
  readonly #child: ChildProcess;
  #usual: readonly number[] = [];
  #current = emptyPeriod();
  #completeUntil = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message) => {
      const { samples, faults, pauses, completeUntil } = message as VictimReport;
      this.#completeUntil = completeUntil;
      this.#current.samples.push(...samples);
      this.#current.pauses.push(...pauses);
      for (const fault of faults) this.#current.faults.add(fault);
    });
  }

  static async start({ url, key, email }: VictimSettings): Promise<VictimProcess> {
    const env = { ...process.env, [SETTINGS.url]: url, [SETTINGS.key]: key, [SETTINGS.email]: email };
    const child = fork(join(import.meta.dirname, 'victim.ts'), { env });
    child.unref();
    child.channel?.unref();
    const victim = new VictimProcess(child);
    await delay(100);
    return victim;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  /**
   * Starts a new period: discards the samples and faults so far.
   *
   * @param pid the process id of the guardrail
   */
  startPeriod(pid: number): void {
    const order: VictimOrder = { pid };
    this.#child.send(order);
    this.#current = emptyPeriod();
  }

  /** Waits for the answers to all calls that have begun in the period. */
  async endPeriod(): Promise<VictimPeriod> {
    const until = Date.now();
    const { samples, faults, pauses } = this.#current;
    while (this.#completeUntil < until) await delay(50);
    return { samples: samples.filter(({ at }) => at <= until), faults, pauses };
  }

  /** Measures the usual latencies of the guardrail with this process id. */
  async calibrate(pid: number): Promise<void> {
    this.startPeriod(pid);
    await delay(USUAL_MS);
    // The first calls run code that is not compiled yet.
    this.#usual = latencies(await this.endPeriod()).slice(-2 * MIN_SAMPLES);
  }

  /**
   * @param floorMs the p99 that is always allowed
   * @returns a fault if the calls of a period were too slow
   */
  slowdown(period: VictimPeriod, floorMs: number): string | undefined {
    return slowdown({ usual: this.#usual, during: latencies(period) }, floorMs);
  }
}

/** @returns the latencies that the guardrail is responsible for */
function latencies({ samples, pauses }: VictimPeriod): number[] {
  return samples
    .filter(({ at, ms }) => !isPaused(at, at + ms, pauses))
    .map(({ ms, isServed }) => (isServed ? ms : Number.POSITIVE_INFINITY));
}
