/** The manifest of the shipped weights, which lies beside them in the product: `guardrail/detection/ner/manifest.json`. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { root, type Inputs } from './inputs.ts';

/** What identifies the shipped weights. */
export interface WeightsManifest {
  /** Counts the trainings that changed a shipped file. */
  readonly version: number;
  /** The SHA-256 of each file, unpacked. */
  readonly sha256: Readonly<Record<string, string>>;
  /** The SHA-256 of the digests of all files that the training has read: of `inputs.json`. */
  readonly inputs: string;
}

const file = join(root, 'guardrail/detection/ner/manifest.json');

export const readWeightsManifest = (): WeightsManifest => JSON.parse(readFileSync(file, 'utf8')) as WeightsManifest;

/** The manifest after a training. Other inputs alone make no new version: a new comment in a list changes no weight. */
export const manifestAfter = (
  before: WeightsManifest,
  { sha256 }: Pick<WeightsManifest, 'sha256'>,
  inputs: Inputs,
): WeightsManifest => ({
  version: before.version + (isDeepStrictEqual(before.sha256, sha256) ? 0 : 1),
  sha256,
  inputs: createHash('sha256').update(JSON.stringify(inputs)).digest('hex'),
});

export function writeWeightsManifest(manifest: WeightsManifest): void {
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
