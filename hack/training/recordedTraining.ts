/** Trains in a process of its own, and keeps the result on this machine as long as what the training reads is the same. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../harness/cache.ts';
import { recordedRun } from '../harness/recordedRun.ts';
import { shippedFiles } from '../../guardrail/detection/ner/model.ts';
import { valuesFile } from '../../guardrail/detection/ner/valueNetwork.ts';
import { contentHash, type Files, type Scored } from './build.ts';
import { root } from './inputs.ts';
import type { TrainingOptions } from './taggers.ts';

/** All files that a training writes. */
export const trainedFiles = { ...shippedFiles, values: valuesFile } as const;

type Hashes = Readonly<Record<keyof typeof trainedFiles, string>>;

export interface RecordedTraining {
  readonly files: Readonly<Record<keyof typeof trainedFiles, Buffer>>;
  readonly manifest: Scored & { readonly sha256: Hashes };
  /** The state of each path that the training has read, relative to the project. */
  readonly reads: Readonly<Record<string, string>>;
  /** Whether this machine has trained earlier, with the same inputs. */
  readonly isCached: boolean;
}

/** What `printTaggers.ts` prints: see `Taggers`. */
export interface EncodedTaggers {
  readonly model: string;
  readonly halves: readonly string[];
  readonly trainingTexts: number;
  readonly trainingCharacters: number;
}

const cache = join(CACHE, 'training');

/**
 * Trains in three stages, so that a change of the classifier alone takes the taggers of an earlier training. The network of
 * values depends on neither.
 * @throws Error if a stage fails
 */
export async function recordedTraining({ seed = 0, share = 1 }: TrainingOptions = {}): Promise<RecordedTraining> {
  const args = [String(seed), String(share)];
  const command = (program: string, ...more: string[]): readonly [string, ...string[]] => [
    join(import.meta.dirname, program),
    ...args,
    ...more,
  ];
  const taggers = await recordedRun({ root, command: command('printTaggers.ts'), cache: join(cache, 'taggers') });
  const file = join(cache, `taggers-${createHash('sha256').update(taggers.output).digest('hex')}.txt`);
  writeFileSync(file, taggers.output);
  const { output, isCached, inputs } = await recordedRun({ root, command: command('printTraining.ts', file), cache });
  const { manifest, files } = JSON.parse(output) as { manifest: Scored; files: Record<keyof Files, string> };
  const decoded = (name: keyof Files): Buffer => Buffer.from(files[name], 'base64');
  const network = await recordedRun({
    root,
    command: command('valueModel/printValues.ts'),
    cache: join(cache, 'values'),
  });
  const values = Buffer.from(network.output, 'base64');
  return {
    manifest: { ...manifest, sha256: { ...manifest.sha256, values: contentHash(values) } },
    files: {
      model: decoded('model'),
      gazetteer: decoded('gazetteer'),
      classifier: decoded('classifier'),
      knownNames: decoded('knownNames'),
      values,
    },
    reads: { ...taggers.inputs, ...inputs, ...network.inputs },
    isCached: taggers.isCached && isCached && network.isCached,
  };
}
