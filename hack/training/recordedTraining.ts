/** Trains in a process of its own, and keeps the result on this machine as long as what the training reads is the same. */
import { join } from 'node:path';
import { CACHE } from '../harness/cache.ts';
import { recordedRun } from '../harness/recordedRun.ts';
import type { Built, Files, Scored, TrainingOptions } from './build.ts';
import { root } from './inputs.ts';

export interface RecordedTraining extends Built {
  /** The state of each path that the training has read, relative to the project. */
  readonly reads: Readonly<Record<string, string>>;
  /** Whether this machine has trained earlier, with the same inputs. */
  readonly isCached: boolean;
}

export async function recordedTraining({ seed = 0, share = 1 }: TrainingOptions = {}): Promise<RecordedTraining> {
  const { output, isCached, inputs } = await recordedRun({
    root,
    command: [join(import.meta.dirname, 'printTraining.ts'), String(seed), String(share)],
    cache: join(CACHE, 'training'),
  });
  const { manifest, files } = JSON.parse(output) as { manifest: Scored; files: Record<keyof Files, string> };
  const decoded = (name: keyof Files): Buffer => Buffer.from(files[name], 'base64');
  return {
    manifest,
    files: {
      model: decoded('model'),
      gazetteer: decoded('gazetteer'),
      classifier: decoded('classifier'),
      knownNames: decoded('knownNames'),
    },
    reads: inputs,
    isCached,
  };
}
