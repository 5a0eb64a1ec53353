/** Searches for what keeps the event loop long, and prints the worst. It sets no limit: machines differ. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Group } from '../suite.ts';
import type { LongTick } from './ticks.ts';

const NAME = 'event-loop';
const SECONDS = 30;
/** What is printed in any case, and what is printed if it took longer. */
const WORST = 3;
const LONG_MS = 100;

export const tickSearch: Group = {
  name: 'guardrail/search',
  attacks: [NAME],
  run: async (trial) => {
    if (!trial.isChosen(NAME)) return;
    const found: LongTick[] = [];
    await trial.attempt(NAME, async () => {
      const program = join(import.meta.dirname, 'ticks.ts');
      const seed = String(trial.random(NAME).int(2 ** 31));
      const options = { maxBuffer: 2 ** 26 };
      const { stdout } = await promisify(execFile)(process.execPath, [program, seed, String(SECONDS)], options);
      found.push(...(JSON.parse(stdout) as LongTick[]));
      return found.length === 0 ? ['the search sent no body'] : [];
    });
    const long = found.filter(({ longestMs }) => longestMs > LONG_MS);
    trial.progress.line(`  ${found.length} bodies; ${long.length} kept the event loop for more than ${LONG_MS} ms.`);
    for (const { what, bytes, status, longestMs } of found.slice(0, Math.max(WORST, Math.min(long.length, 10)))) {
      trial.progress.line(`  ${longestMs.toFixed(0)} ms: ${bytes} bytes, ${what} (${status})`);
    }
  },
};
