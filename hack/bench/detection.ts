/**
 * Measures the speed of the built-in detector as a ratio to a reference from the same run: copying the same texts through
 * JSON, which every guardrail call does anyway. Measures processor time, to reduce the influence of other work. Every text
 * is analyzed once, and no two are the same. Other texts are a warm-up: V8 compiles what runs, and a service runs for weeks. The
 * output has the median and the best of the batches, because other work can only slow a batch down.
 *
 *     node hack/bench/detection.ts [seconds of warm-up]
 */
import { createBuiltinDetector } from '../../guardrail/detection/builtinDetector.ts';
import { Generator } from '../training/generate.ts';
import type { LabelledText } from '../training/labelledText.ts';
import { readWordNet } from '../training/wordNet.ts';
import { median } from './harness.ts';

/** @returns the processor time so far, in milliseconds. That of one thread is counted in steps of 4 ms by some kernels. */
function clock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const signal = new AbortController().signal;
const detector = createBuiltinDetector();
const wordNet = readWordNet();

const batches = 8;
/** Then V8 has compiled the code of all kinds of texts. */
const WARM_UP_MS = 1000 * Number(process.argv[2] ?? 30);

/** @returns texts of about `length` characters each, joined from the pieces in order. */
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

/** Shuffles the pieces: 7,919 is a prime that divides none of the counts. */
const mixed = (pieces: readonly LabelledText[]): LabelledText[] =>
  pieces.flatMap((_, at) => pieces[(at * 7919) % pieces.length] ?? []);

/** The texts of a kind, in batches. */
interface Kind {
  readonly name: string;
  readonly count: number;
  readonly parts: readonly (readonly string[])[];
}

/** No text is analyzed twice. */
const analyzed = new Set<string>();

function kindsOf(seed: number): Kind[] {
  const generator = new Generator(seed, 'development', wordNet);
  const made = (count: number): LabelledText[] => [
    ...generator.passages(['development', 'shapes', 'everyday'], count * batches),
    ...generator.dictionary.explanations(count * batches),
    ...generator.dictionary.examples(count * batches),
  ];
  const texts: Readonly<Record<string, readonly string[]>> = {
    'of some 100 characters': mixed(made(500)).map(({ text }) => text),
    'of some 1,000 characters': joined(mixed(made(1000)), 1000),
    'of some 10,000 characters': joined(mixed(made(1000)), 10_000),
    // The same with each seed: one has the odd ones, and one the even ones.
    'of code and manuals': joined(generator.code(), 1000).filter((_, at) => (at + seed) % 2 === 0),
  };
  return Object.entries(texts).map(([name, all]) => {
    const different = [...new Set(all)].filter((text) => !analyzed.has(text));
    for (const text of different) analyzed.add(text);
    const size = Math.floor(different.length / batches);
    const parts = Array.from({ length: batches }, (_, batch) => different.slice(batch * size, (batch + 1) * size));
    return { name, count: different.length, parts };
  });
}

/** A single copy is too short to measure. */
const copies = 40;
const lines: string[] = [];
// Before any measurement, so that the order of the kinds does not matter.
const warmUp = kindsOf(98);
for (const end = performance.now() + WARM_UP_MS; performance.now() < end;)
  for (const { parts } of warmUp) for (const part of parts) await detector.detect(part, { signal });
for (const { name, count, parts } of kindsOf(99)) {
  const speeds: number[] = [];
  const ratios: number[] = [];
  for (const part of parts) {
    const characters = part.reduce((sum, text) => sum + text.length, 0);
    const before = clock();
    await detector.detect(part, { signal });
    const middle = clock();
    for (let copy = 0; copy < copies; copy++) for (const text of part) JSON.parse(JSON.stringify({ text }));
    const after = clock();
    speeds.push(characters / (middle - before) / 1000);
    ratios.push(((middle - before) / (after - middle)) * copies);
  }
  lines.push(
    `${String(count).padStart(6)} texts ${name.padEnd(26)} ${median(speeds).toFixed(1)} M characters per second (best batch ${Math.max(...speeds).toFixed(1)}), ${median(ratios).toFixed(0)} times the reference`,
  );
}
process.stdout.write([...lines, ''].join('\n'));
