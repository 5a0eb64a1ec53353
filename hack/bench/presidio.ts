/**
 * Measures Presidio's API of the guardrail as a ratio to the real Presidio, with spaCy's small English model, in turns, for the
 * same calls. One client calls one of the two at a time, and each text is new. The output has the medians of a run.
 *
 *     node hack/bench/presidio.ts [calls]
 */
import { Pool } from 'undici';
import { startPresidio, startPresidioAnonymizer } from '../harness/presidio.ts';
import { median, post, print, startGuardrail, timeOf } from './harness.ts';

const CALLS = Number(process.argv[2] ?? 40);
const WARM_UP = 5;

const guardrail = await startGuardrail({ GUARDRAIL_PRESIDIO_API: 'true' });
const [analyzer, anonymizer] = await Promise.all([
  startPresidio(console.error),
  startPresidioAnonymizer(console.error),
]);

/** @returns a text of about 100 characters for each line, with an e-mail address and a name in some */
function text(call: number, lines: number): string {
  const line = (at: number): string =>
    at % 3 === 0
      ? `Anna Schmidt (anna.${call}.${at}@example.org) asked whether order ${call}${at} can be sent to another depot.`
      : `The delivery ${at} of week ${call} was late, because the road was closed and the driver had to wait for it.`;
  return Array.from({ length: lines }, (_, at) => line(at)).join('\n');
}

async function compare(what: string, path: string, reference: string, bodyOf: (call: number) => object): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (let call = 0; call < CALLS + WARM_UP; call++) {
    for (const [at, url] of [guardrail.url, reference].entries()) {
      const pool = new Pool(url);
      const time = await timeOf(() => post(pool, path, JSON.stringify(bodyOf(call))));
      await pool.close();
      if (call >= WARM_UP) times[at]?.push(time);
    }
  }
  print(what, `${(median(times[0]) / median(times[1])).toFixed(3)} of the time of Presidio`);
}

for (const lines of [1, 10, 100]) {
  const analyze = (call: number): object => ({ text: text(call, lines), language: 'en' });
  await compare(`analyze, ${lines} lines`, '/analyze', analyzer.url, analyze);
}
await compare('anonymize, 100 results', '/anonymize', anonymizer.url, (call) => ({
  text: text(call, 100),
  analyzer_results: Array.from({ length: 100 }, (_, at) => ({
    start: at * 90,
    end: at * 90 + 12,
    entity_type: at % 2 === 0 ? 'PERSON' : 'LOCATION',
    score: 0.85,
  })),
}));
await Promise.all([analyzer.close(), anonymizer.close(), guardrail.stop()]);
