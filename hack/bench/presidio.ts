/**
 * Measures Presidio's API of the guardrail as a ratio to the real Presidio, with spaCy's small English model, in turns, for the
 * same calls. One client calls one of the two at a time, and each text is new. The output has the medians of a run.
 *
 *     node hack/bench/presidio.ts
 */
import { startHarness } from '../../guardrail/testing/appHarness.ts';
import { startPresidio, startPresidioAnonymizer } from '../harness/presidio.ts';

const CALLS = 40;
const WARM_UP = 5;

const harness = await startHarness({ env: { GUARDRAIL_PRESIDIO_API: 'true' } });
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

async function timed(base: string, path: string, body: object): Promise<number> {
  const start = performance.now();
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key-of-litellm', connection: 'close' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

async function compare(what: string, path: string, reference: string, bodyOf: (call: number) => object): Promise<void> {
  const [own, real]: [number[], number[]] = [[], []];
  for (let call = 0; call < CALLS + WARM_UP; call++) {
    const body = bodyOf(call);
    const times = [await timed(harness.url, path, body), await timed(reference, path, body)] as const;
    if (call < WARM_UP) continue;
    own.push(times[0]);
    real.push(times[1]);
  }
  console.log(`${what}: ${(median(own) / median(real)).toFixed(3)} of the time of Presidio`);
}

for (const lines of [1, 10, 100]) {
  const analyze = (call: number): object => ({ text: text(call, lines), language: 'en' });
  await compare(`analyze, ${lines} lines`, '/analyze', analyzer.url, analyze);
}
await compare('anonymize, 100 results', '/anonymize', anonymizer.url, (call) => ({
  text: text(call, 100),
  analyzer_results: Array.from({ length: 100 }, (_, at) => ({
    ...{ start: at * 90, end: at * 90 + 12 },
    ...{ entity_type: at % 2 === 0 ? 'PERSON' : 'LOCATION', score: 0.85 },
  })),
}));
await Promise.all([analyzer.close(), anonymizer.close(), harness.stop()]);
