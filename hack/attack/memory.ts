/** Measures processes: their memory and processor time, and the event loop of those started with {@link collectable}. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../harness/processes.ts';
import { growth } from './measure.ts';

/** The maximum time until a program reports. It reports when its event loop is free. */
const REPORTED_WITHIN_MS = 30_000;
/** Threads collect after the main thread has reported. */
const THREADS_MS = 50;
let folder: string | undefined;

/** @returns Node.js arguments that make a program collect its garbage at SIGUSR2, and change nothing else. */
export function collectable(): string[] {
  folder ??= temporaryFolder('attack-reports-');
  const preload = pathToFileURL(join(import.meta.dirname, 'collect.ts'));
  preload.searchParams.set('reports', folder);
  return ['--expose-gc', '--import', preload.href];
}

/** What a program reports after it has collected its garbage. */
export interface Collected {
  /** Resident memory, in bytes. */
  readonly bytes: number;
  /** Live objects, and buffers outside of the heap, in bytes. */
  readonly liveBytes: number;
  /** The longest time for which the event loop was blocked since the last report, in milliseconds of processor time. */
  readonly blockedMs: number;
}

/** @throws Error if the process has ended, or if its event loop stays blocked */
export async function collected(pid: number): Promise<Collected> {
  const file = join(folder ?? '', String(pid));
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  const deadline = performance.now() + REPORTED_WITHIN_MS;
  while (!existsSync(file)) {
    if (performance.now() > deadline)
      throw new Error(`process ${pid} did not report within ${REPORTED_WITHIN_MS / 1000} s`);
    process.kill(pid, 0);
    await delay(5);
  }
  await delay(THREADS_MS);
  const report = JSON.parse(readFileSync(file, 'utf8')) as Omit<Collected, 'bytes'>;
  return { ...report, bytes: residentBytes(pid) };
}

/** @returns the resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  if (process.platform === 'linux') return 1024 * statusOf(pid, 'VmRSS');
  return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
}

/** Starts a new measurement of {@link peakBytes}. */
export function resetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** @returns the peak of resident bytes since {@link resetPeak}; on other systems than Linux, the current value. */
export function peakBytes(pid: number): number {
  return process.platform === 'linux' ? 1024 * statusOf(pid, 'VmHWM') : residentBytes(pid);
}

/** @returns the minimum of resident bytes over several garbage collections. */
export async function settledBytes(pid: number, samples = 6): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < samples; n += 1) least = Math.min(least, (await collected(pid)).bytes);
  return least;
}

/**
 * Waits until memory is released.
 *
 * @param minBytes smaller growth is ignored, see {@link growth}
 * @returns the fault if memory is not released within `withinMs`
 */
export async function waitForMemory(
  pid: number,
  beforeBytes: number,
  withinMs: number,
  minBytes?: number,
): Promise<string | undefined> {
  const deadline = performance.now() + withinMs;
  for (let bytes = residentBytes(pid); ; bytes = (await collected(pid)).bytes) {
    const problem = growth(beforeBytes, bytes, minBytes);
    if (problem === undefined || performance.now() > deadline) return problem;
  }
}

/** The unit of the kernel's processor times is the same on all Linux systems. */
const TICK_MS = 10;

/** @returns the processor time of all threads of a process, in milliseconds; on other systems than Linux, the elapsed time */
export function processorMs(pid: number): number {
  if (process.platform !== 'linux') return performance.now();
  // The name of the program, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return TICK_MS * (Number(fields[11]) + Number(fields[12]));
}

/**
 * @returns the total time for which the main thread of a process could run but waited for a processor, in milliseconds;
 * 0 if the process does not exist, and on other systems than Linux
 */
export function waitedMs(pid: number): number {
  try {
    // Nanoseconds on a processor, nanoseconds of waiting for one, and the number of time slices.
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

function statusOf(pid: number, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
