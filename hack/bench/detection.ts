/**
 * How fast the built-in detector is, as a ratio to a reference in the same run: copying the same texts through JSON,
 * which every guardrail call does anyway. `node hack/bench/detection.ts`; processor time, so that a busy machine does
 * not count. Texts are made by the training's generator with another seed: all different, with and without names.
 */
import { createBuiltinDetector } from '../../guardrail/detection/detection.ts';
import { Generator } from '../../guardrail/detection/builtin/training/generate.ts';
import { readWordNet } from '../../guardrail/detection/builtin/training/lexicon.ts';

const generator = new Generator(99, 'blind', readWordNet());
const texts = [...generator.templates('blind', 40), ...generator.prose(1500), ...generator.carriers(1500)].map(
  ({ text }) => text,
);
const characters = texts.reduce((sum, text) => sum + text.length, 0);

async function best(run: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 12; round++) {
    const before = process.threadCpuUsage();
    await run();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

globalThis.gc?.();
const rss = process.memoryUsage.rss();
const beforeStart = process.threadCpuUsage();
const detector = createBuiltinDetector();
const signal = new AbortController().signal;
await detector.detect(texts.slice(0, 1), { signal });
const start = process.threadCpuUsage(beforeStart);

const detection = await best(() => detector.detect(texts, { signal }));
/** One copy is too short for the clock. */
const copies = 50;
const reference =
  (await best(() => {
    for (let copy = 0; copy < copies; copy++) for (const text of texts) JSON.parse(JSON.stringify({ text }));
  })) / copies;
process.stdout.write(
  [
    `${texts.length} texts, ${characters} characters`,
    `detection   ${(characters / detection).toFixed(2)} M characters a second`,
    `reference   ${(characters / reference).toFixed(2)} M characters a second (JSON there and back)`,
    `ratio       ${(detection / reference).toFixed(1)} times the reference`,
    `ready in    ${((start.user + start.system) / 1000).toFixed(0)} ms of processor time, modules apart`,
    `memory      ${((process.memoryUsage.rss() - rss) / 1e6).toFixed(0)} MB more than before`,
    '',
  ].join('\n'),
);
