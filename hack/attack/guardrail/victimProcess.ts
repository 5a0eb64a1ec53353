import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MIN_SAMPLES, slowdown } from '../measure.ts';
import { type Sample, SETTINGS, type VictimReport } from './victim.ts';

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
}

/** Runs the victim (see victim.ts) and collects its reports. */
export class VictimProcess {
  readonly #child: ChildProcess;
  #usual: readonly Sample[] = [];
  #current = { samples: [] as Sample[], faults: new Set<string>() };
  #completeUntil = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message) => {
      const { samples, faults, completeUntil } = message as VictimReport;
      this.#completeUntil = completeUntil;
      this.#current.samples.push(...samples);
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

  /** Starts a new period: discards the samples and faults so far. */
  startPeriod(): void {
    this.#current = { samples: [], faults: new Set() };
  }

  /** Waits for the answers to all calls that have begun in the period. */
  async endPeriod(): Promise<VictimPeriod> {
    const until = Date.now();
    const { samples, faults } = this.#current;
    while (this.#completeUntil < until) await delay(50);
    return { samples: samples.filter(([at]) => at <= until), faults };
  }

  /** Measures the usual latencies. */
  async calibrate(): Promise<void> {
    this.startPeriod();
    await delay(USUAL_MS);
    const { samples } = await this.endPeriod();
    // The first calls run code that is not compiled yet.
    this.#usual = samples.slice(Math.max(0, samples.length - 2 * MIN_SAMPLES));
  }

  /**
   * @param floorMs the p99 that is always allowed
   * @returns a fault if the calls of a period were too slow
   */
  slowdown({ samples }: VictimPeriod, floorMs: number): string | undefined {
    return slowdown({ usual: latencies(this.#usual), during: latencies(samples) }, floorMs);
  }
}

function latencies(samples: readonly Sample[]): number[] {
  return samples.map(([, ms]) => ms ?? Number.POSITIVE_INFINITY);
}
