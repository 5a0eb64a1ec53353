/** Measures this machine's speed at work that cannot be interrupted, as a reference for latencies during attacks. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { threadMs } from './measure.ts';

const ROUNDS = 7;

/**
 * @returns the processor time to parse and write a JSON body of 5 MB with 50,000 members, in milliseconds: the median of
 * several rounds. Runs in a separate process, so that the timers of this process continue.
 */
export async function largeJsonMs(): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename]);
  return Number(stdout);
}

function measure(): number {
  const members = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`member-${at}`, 'Anna Schmidt']));
  const text = JSON.stringify({ ...members, ['k'.repeat(4_000_000)]: '' });
  const rounds = Array.from({ length: ROUNDS }, () => {
    const began = threadMs();
    JSON.stringify(JSON.parse(text));
    return threadMs() - began;
  });
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

if (import.meta.main) process.stdout.write(String(measure()));
