/** The processor time and memory of a process and its descendants, from /proc. */
import { readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** Of the process and all its descendants, also those that have ended, in milliseconds. */
  readonly cpuMs: number;
  /** The most that a descendant has used so far, or the process itself if it has none, in bytes. */
  readonly peakBytes: number;
}

/** Clock ticks of the kernel in a second. */
const TICKS = 100;

/** @throws Error if there is no such process, or no /proc */
export function processUsage(pid: number): ProcessUsage {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter((text) => text !== ''); // prettier-ignore
  const usages = children.flatMap((child) => usageIfAlive(Number(child)));
  // After the name of the program, which can contain spaces: user and system time, and those of children that have ended.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' '); // prettier-ignore
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const [, peak = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return {
    cpuMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, (ticks * 1000) / TICKS),
    peakBytes: usages.length > 0 ? Math.max(...usages.map(({ peakBytes }) => peakBytes)) : Number(peak) * 1024,
  };
}

/** A child can end while it is measured. */
function usageIfAlive(pid: number): ProcessUsage[] {
  try {
    return [processUsage(pid)];
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
