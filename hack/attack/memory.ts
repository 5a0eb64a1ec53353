/** The memory of child processes that were started with {@link COLLECTABLE}. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { growth } from './measure.ts';

/** Arguments of Node by which a program collects its garbage at SIGUSR2; else it is as it would be. */
export const COLLECTABLE: readonly string[] = ['--expose-gc', '--import', join(import.meta.dirname, 'collect.ts')];

const LOOK_MS = 250;

/** Resident bytes of a process. */
export function residentBytes(pid: number): number {
  if (process.platform === 'linux') return 1024 * statusOf(pid, 'VmRSS');
  return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
}

/** From now on, {@link peakBytes} tells the most since now. */
export function resetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** The most resident bytes since {@link resetPeak}; where the system does not tell, those of now. */
export function peakBytes(pid: number): number {
  return process.platform === 'linux' ? 1024 * statusOf(pid, 'VmHWM') : residentBytes(pid);
}

/** The least resident bytes that are seen while the process collects its garbage over and over. */
export async function settledBytes(pid: number, looks = 6): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < looks; look += 1) least = Math.min(least, await lookOnce(pid));
  return least;
}

/**
 * Waits until memory is back.
 * @param leastBytes growth that says nothing: see {@link growth}
 * @returns what is wrong where it does not come back within `withinMs`
 */
export async function waitForMemory(
  pid: number,
  beforeBytes: number,
  withinMs: number,
  leastBytes?: number,
): Promise<string | undefined> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const problem = growth(beforeBytes, await lookOnce(pid), leastBytes);
    if (problem === undefined || performance.now() > deadline) return problem;
  }
}

async function lookOnce(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  await delay(LOOK_MS);
  return residentBytes(pid);
}

function statusOf(pid: number, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
