/** The two networks that read images: their weights, which are checked, and their inputs and outputs. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import * as z from 'zod';
import { LINE_HEIGHT } from './lineCrops.ts';
import type { ProbabilityMap } from './textRegions.ts';

const FOLDER = new URL('models/', import.meta.url);
const manifestSchema = z.object({ files: z.record(z.string(), z.string()) });

/** Output of the recognition network: for each line and step, the probability of each class. */
export interface Classified {
  readonly data: Float32Array;
  readonly steps: number;
  readonly classes: number;
}

export interface Networks {
  /** The characters by class. The first one is not used. */
  readonly characters: readonly string[];
  /** @param input three planes, blue, green and red, with values from -1 to 1. Sides are multiples of 32. */
  detect(input: Float32Array, width: number, height: number): Promise<ProbabilityMap>;
  /** @param input the lines, each of three planes of {@link LINE_HEIGHT} rows */
  recognize(input: Float32Array, lines: number, columns: number): Promise<Classified>;
}

/** @throws Error if a file is not the one of the manifest. */
export async function loadNetworks(): Promise<Networks> {
  const manifest = manifestSchema.parse(JSON.parse(await readFile(new URL('manifest.json', FOLDER), 'utf8')));
  const load = async (name: string): Promise<Buffer> => {
    const bytes = await readFile(new URL(name, FOLDER));
    if (createHash('sha256').update(bytes).digest('hex') !== manifest.files[name]) {
      throw new Error(`The file ${name} of the image reader is damaged.`);
    }
    return bytes;
  };
  const [detection, recognition, list] = await Promise.all(
    ['detection.onnx', 'recognition.onnx', 'characters.txt'].map(load),
  );
  if (!detection || !recognition || !list) throw new Error('The image reader has no weights.');
  const [detector, recognizer] = [await createSession(detection), await createSession(recognition)];
  return {
    characters: ['', ...list.toString('utf8').split('\n'), ' '],
    async detect(input, width, height) {
      return { width, height, data: (await run(detector, input, [1, 3, height, width])).data };
    },
    async recognize(input, lines, columns) {
      const { data, sizes } = await run(recognizer, input, [lines, 3, LINE_HEIGHT, columns]);
      return { data, steps: sizes[1] ?? 0, classes: sizes[2] ?? 0 };
    },
  };
}

/** One thread: other calls need the processors. Without an arena, memory is freed after each run. */
function createSession(bytes: Buffer): Promise<InferenceSession> {
  return InferenceSession.create(bytes, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    enableCpuMemArena: false,
    enableMemPattern: false,
    logSeverityLevel: 4,
  });
}

async function run(
  session: InferenceSession,
  input: Float32Array,
  sizes: readonly number[],
): Promise<{ readonly data: Float32Array; readonly sizes: readonly number[] }> {
  const [from = '', to = ''] = [session.inputNames[0], session.outputNames[0]];
  const output = (await session.run({ [from]: new Tensor('float32', input, sizes) }))[to];
  if (!(output?.data instanceof Float32Array)) throw new Error('A network of the image reader has no output.');
  return { data: output.data, sizes: output.dims };
}
