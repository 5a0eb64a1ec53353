/**
 * How fast the built-in detector is, as a ratio to a reference in the same run: copying the same texts through JSON,
 * which every guardrail call does anyway. `node hack/bench/detection.ts`; processor time, so that a busy machine weighs
 * less. Every text is looked at once and no two are the same. Texts of a first batch warm the program up; of the batches
 * that follow the median and the best are told, since what else the machine does can only slow one down.
 */
import type { LabelledText } from '../../guardrail/detection/builtin/training/generate.ts';

/** Milliseconds of processor time of this thread so far. */
function clock(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

// First of all, while nothing else is loaded: what a program pays for the detector before its first answer.
const signal = new AbortController().signal;
globalThis.gc?.();
const rss = process.memoryUsage.rss();
const begun = clock();
const { createBuiltinDetector } = await import('../../guardrail/detection/builtin/builtin.ts');
const imported = clock();
const detector = createBuiltinDetector();
await detector.detect(['Hello, I am Anna Schmidt. Call +49 30 23125 437 or write to anna@example.org.'], { signal });
const answered = clock();
const memory = process.memoryUsage.rss() - rss;

const { Generator } = await import('../../guardrail/detection/builtin/training/generate.ts');
const { readWordNet } = await import('../../guardrail/detection/builtin/training/lexicon.ts');
const generator = new Generator(99, 'blind', readWordNet());

const batches = 9;

/** Texts of about `length` characters each, made of pieces in the order given. */
function joined(pieces: readonly LabelledText[], length: number): string[] {
  const texts: string[] = [];
  let current = '';
  for (const { text } of pieces) {
    current += current === '' ? text : `\n${text}`;
    if (current.length < length) continue;
    texts.push(current);
    current = '';
  }
  return texts;
}

const made = (count: number): LabelledText[] => [
  ...generator.passages(['blind', 'shapes', 'everyday'], count * batches),
  ...generator.explanations(count * batches),
  ...generator.examples(count * batches),
];
/** In another order: 7,919 is a prime that divides no count of ours. */
const mixed = (pieces: readonly LabelledText[]): LabelledText[] =>
  pieces.flatMap((_, at) => pieces[(at * 7919) % pieces.length] ?? []);

const sets: Readonly<Record<string, readonly string[]>> = {
  'of some 100 characters': mixed(made(500)).map(({ text }) => text),
  'of some 1,000 characters': joined(mixed(made(1000)), 1000),
  'of some 10,000 characters': joined(mixed(made(1000)), 10_000),
  'of code and manuals': joined(generator.code(), 1000),
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
/** One copy is too short for the clock. */
const copies = 40;
const lines: string[] = [];
for (const [name, texts] of Object.entries(sets)) {
  const different = [...new Set(texts)];
  const size = Math.floor(different.length / batches);
  const speeds: number[] = [];
  const ratios: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const part = different.slice(batch * size, (batch + 1) * size);
    const characters = part.reduce((sum, text) => sum + text.length, 0);
    const before = clock();
    await detector.detect(part, { signal });
    const middle = clock();
    for (let copy = 0; copy < copies; copy++) for (const text of part) JSON.parse(JSON.stringify({ text }));
    const after = clock();
    if (batch === 0) continue;
    speeds.push(characters / (middle - before) / 1000);
    ratios.push(((middle - before) / (after - middle)) * copies);
  }
  lines.push(
    `${String(different.length).padStart(6)} texts ${name.padEnd(26)} ${median(speeds).toFixed(1)} M characters a second (best batch ${Math.max(...speeds).toFixed(1)}), ${median(ratios).toFixed(0)} times the reference`,
  );
}
process.stdout.write(
  [
    ...lines,
    `ready in ${(answered - begun).toFixed(0)} ms of processor time, ${(imported - begun).toFixed(0)} of them to load the modules`,
    `${(memory / 1e6).toFixed(0)} MB more memory than before, modules included`,
    '',
  ].join('\n'),
);
