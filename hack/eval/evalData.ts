import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The labelled sets for which the project has required scores. They are not in the repository. */
export const evalSets = ['presidio_synth_dev', 'prompts_dev', 'everyday_dev'] as const;
export type EvalSet = (typeof evalSets)[number];

const files = [...evalSets.map((name) => `${name}.jsonl`), 'score.py'];

/**
 * Returns the folder of the labelled sets.
 * @throws Error if `EVAL_DIR` is not set or a file is missing.
 */
export function evalFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const folder = env.EVAL_DIR ?? '';
  const remedy = `Set EVAL_DIR to a folder with ${files.join(', ')}, which docs/model-card.md describes.`;
  if (folder === '') throw new Error(`EVAL_DIR is not set, so detection cannot be measured. ${remedy}`);
  const missing = files.filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0) throw new Error(`EVAL_DIR (${folder}) does not contain ${missing.join(', ')}. ${remedy}`);
  return folder;
}
