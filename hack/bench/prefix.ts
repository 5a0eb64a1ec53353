/**
 * Measures how much of a conversation providers can cache: the share of what one call sends with which the next call begins, in
 * bytes. Without a guardrail it is all of it. Each conversation has ten turns, so at least 20 messages, of the project's own texts.
 *
 *     node hack/bench/prefix.ts [conversations]
 */
import fc from 'fast-check';
import { callsOf, SHAPES } from '../../guardrail/bodies/testing/conversations.ts';
import { createAnalyzer, createBuiltinDetector, withSpanCache } from '../../guardrail/detection/detection.ts';
import { createTestGuard } from '../../guardrail/pseudonymization/testing/testGuard.ts';
import { conversationsOf } from '../eval/conversations.ts';
import { print } from './harness.ts';

const [COUNT = 200] = process.argv.slice(2).map(Number);
/** The same conversations in each run. */
const SEED = 41;
const TURNS = 10;

const analyzer = createAnalyzer({ detectors: [withSpanCache(createBuiltinDetector())] });
const shape = SHAPES['chat completions'];
if (!shape) throw new Error('The form of a chat is unknown.');

/** The number of bytes with which both begin. */
function sharedBytes(a: Buffer, b: Buffer): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

let [sent, kept, whole] = [0, 0, 0];
for (const conversation of fc.sample(conversationsOf(TURNS, TURNS), { numRuns: COUNT, seed: SEED })) {
  let last: Buffer | undefined;
  let isWhole = true;
  for await (const { before, messages } of callsOf(conversation, shape, createTestGuard(analyzer).guard)) {
    const body = Buffer.from([before, ...messages].join(','));
    const shared = last ? sharedBytes(last, body) : 0;
    sent += last?.length ?? 0;
    kept += shared;
    isWhole &&= shared === (last?.length ?? 0);
    last = body;
  }
  if (isWhole) whole += 1;
}
print(
  `${COUNT} conversations of ${TURNS} turns`,
  `${((100 * kept) / sent).toFixed(1)} % of the last call stays cached`,
);
print('conversations in which all of it does', `${whole} of ${COUNT}`);
