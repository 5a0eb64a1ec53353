/**
 * Finds the times in which the kernel did not run a process although it could run. On a busy machine of two processors they
 * last for seconds, and say nothing about the process.
 */
import { readFileSync } from 'node:fs';

/** The interval of the readings, in milliseconds. */
export const READ_EVERY_MS = 50;
/** A shorter wait is the process's share of a busy processor. */
const MIN_PAUSE_MS = 250;
/** A process that waits for this part of the time between two readings does not run. Below it, it shares a processor. */
const PAUSED_PART = 0.8;

/** Milliseconds since 1970. */
export interface Pause {
  readonly from: number;
  readonly until: number;
}

/** The total time that a process has waited for a processor, in milliseconds. */
interface Reading {
  readonly at: number;
  readonly waitedMs: number;
}

/** @returns the pause between two readings, if any. The kernel counts a wait when it ends. */
export function pauseBetween(before: Reading, now: Reading): Pause | undefined {
  const waited = now.waitedMs - before.waitedMs;
  if (waited < Math.max(MIN_PAUSE_MS, PAUSED_PART * (now.at - before.at))) return undefined;
  return { from: now.at - waited, until: now.at };
}

/**
 * Whether a call was open during a pause, or while the process worked off what had arrived in it, which takes at most as long.
 *
 * @param from the scheduled start of the call
 * @param until its end
 */
export function isPaused(from: number, until: number, pauses: readonly Pause[]): boolean {
  return pauses.some((pause) => from < 2 * pause.until - pause.from && until > pause.from);
}

/** Watches the main thread of one process at a time. Finds no pause on other systems than Linux. */
export class PauseWatch {
  #pid = 0;
  #last: Reading | undefined;
  #pauses: Pause[] = [];

  /** Watches this process from now on. */
  watch(pid: number): void {
    if (pid === this.#pid) return;
    this.#pid = pid;
    this.#last = undefined;
  }

  /** Reads the counter of the kernel. Call it every {@link READ_EVERY_MS}. */
  read(): void {
    const now = readingOf(this.#pid);
    const pause = now && this.#last && pauseBetween(this.#last, now);
    if (pause) this.#pauses.push(pause);
    this.#last = now;
  }

  /** @returns the pauses since the last call */
  take(): Pause[] {
    const pauses = this.#pauses;
    this.#pauses = [];
    return pauses;
  }
}

/** @returns undefined if the process does not exist */
function readingOf(pid: number): Reading | undefined {
  try {
    // Nanoseconds on a processor, nanoseconds of waiting for one, and the number of time slices.
    const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return { at: Date.now(), waitedMs: Number(waited) / 1e6 };
  } catch {
    return undefined;
  }
}
