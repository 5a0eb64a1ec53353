/** Measures the memory of child processes that were started with {@link COLLECTABLE}. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { growth } from './measure.ts';

/** Node.js arguments that make a program collect its garbage at SIGUSR2, and change nothing else. */
export const COLLECTABLE: readonly string[] = ['--expose-gc', '--import', join(import.meta.dirname, 'collect.ts')];

const SAMPLE_MS = 250;

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
  for (let n = 0; n < samples; n += 1) least = Math.min(least, await sampleOnce(pid));
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
  for (;;) {
    const problem = growth(beforeBytes, await sampleOnce(pid), minBytes);
    if (problem === undefined || performance.now() > deadline) return problem;
  }
}

async function sampleOnce(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  await delay(SAMPLE_MS);
  return residentBytes(pid);
}

function statusOf(pid: number, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
