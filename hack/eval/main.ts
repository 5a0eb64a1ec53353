/**
 * Scores the built-in detector on labelled texts: `node hack/eval/main.ts [--presidio] [file.jsonl …]`. Without files,
 * those of EVAL_DIR. With --presidio, or with PRESIDIO_URL set, Presidio stands beside it, alone and united with it.
 */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createAnalyzer,
  createBuiltinDetector,
  createPresidioDetector,
  type Detector,
} from '../../guardrail/detection/detection.ts';
import { scoreAnalyzer, table, type Row } from './evaluate.ts';
import { startPresidio } from './presidio.ts';
import { readTexts } from './texts.ts';

const { values, positionals } = parseArgs({ options: { presidio: { type: 'boolean' } }, allowPositionals: true });

async function filesOf(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return [];
  return (await readdir(folder)).filter((file) => file.endsWith('.jsonl')).map((file) => join(folder, file));
}

const files = positionals.length > 0 ? positionals : await filesOf(process.env.EVAL_DIR);
if (files.length === 0) {
  process.stderr.write('Name files of labelled texts (JSONL), or a folder of them in EVAL_DIR.\n');
  process.exit(2);
}

const given = process.env.PRESIDIO_URL;
const server =
  given === undefined && values.presidio ? await startPresidio((line) => process.stderr.write(`${line}\n`)) : undefined;
const url = given ?? server?.url;
const presidio = url === undefined ? undefined : createPresidioDetector({ url, timeoutMs: 30_000 });

const settings = (['precise', 'balanced', 'thorough'] as const).map(
  (recall): readonly [string, readonly Detector[]] => [`builtin ${recall}`, [createBuiltinDetector({ recall })]],
);
const contenders: readonly (readonly [string, readonly Detector[]])[] = presidio
  ? [...settings, ['presidio', [presidio]], ['both, balanced', [createBuiltinDetector(), presidio]]]
  : settings;

for (const file of files) {
  const texts = await readTexts(file);
  const rows: Row[] = [];
  for (const [name, detectors] of contenders) {
    rows.push({ name, score: await scoreAnalyzer(createAnalyzer({ detectors }), texts) });
  }
  process.stdout.write(`${basename(file)} (${texts.length} texts)\n${table(rows)}\n\n`);
}
await presidio?.close();
await server?.close();
