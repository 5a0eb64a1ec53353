/** Trains in a process of its own, and keeps the result on this machine as long as what the training reads is the same. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../harness/cache.ts';
import { recordedRun, type RecordedResult } from '../harness/recordedRun.ts';
import { shippedFiles } from '../../guardrail/detection/ner/model.ts';
import { networkFiles } from '../../guardrail/detection/ner/tokenNetwork.ts';
import type { Files, Scored } from './build.ts';
import { root } from './inputs.ts';
import type { TrainingOptions } from './taggers.ts';

/** All files that a training writes. */
export const trainedFiles = { ...shippedFiles, ...networkFiles } as const;

export interface RecordedTraining {
  readonly files: Files;
  readonly manifest: Scored;
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
 * Trains in three stages, so that a change of the classifier alone takes the taggers of an earlier training. The networks
 * depend on neither. The taggers and the networks are trained at the same time.
 * @throws Error if a stage fails
 */
export async function recordedTraining({ seed = 0, share = 1 }: TrainingOptions = {}): Promise<RecordedTraining> {
  const args = [String(seed), String(share)];
  const command = (program: string, ...more: string[]): readonly [string, ...string[]] => [
    join(import.meta.dirname, program),
    ...args,
    ...more,
  ];
  const kept = (name: string, output: string, content: string | Buffer): string => {
    const file = join(cache, `${name}-${createHash('sha256').update(output).digest('hex')}`);
    writeFileSync(file, content);
    return file;
  };
  const network = (which: number): Promise<RecordedResult> =>
    recordedRun({ root, command: command('network/printNetwork.ts', String(which)), cache: join(cache, 'network') });
  const [taggers, ...networks] = await Promise.all([
    recordedRun({ root, command: command('printTaggers.ts'), cache: join(cache, 'taggers') }),
    ...Object.keys(networkFiles).map((_, which) => network(which)),
  ]);
  const files = [
    kept('taggers', taggers.output, taggers.output),
    ...networks.map(({ output }) => kept('network', output, Buffer.from(output, 'base64'))),
  ];
  const classifier = await recordedRun({ root, command: command('printTraining.ts', ...files), cache });
  const trained = JSON.parse(classifier.output) as { manifest: Scored; files: Record<keyof Files, string> };
  const stages = [taggers, ...networks, classifier];
  return {
    manifest: trained.manifest,
    files: Object.fromEntries(
      Object.entries(trained.files).map(([name, content]) => [name, Buffer.from(content, 'base64')]),
    ) as Record<keyof Files, Buffer>,
    reads: Object.assign({}, ...stages.map(({ inputs }) => inputs)) as RecordedTraining['reads'],
    isCached: stages.every(({ isCached }) => isCached),
  };
}
