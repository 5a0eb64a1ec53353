/**
 * Trains the detector: `npm run train` writes the weights, the gazetteers, their manifests and the digests of what
 * it has read.
 * `npm run train -- --score` keeps the weights and only updates their scores in the manifest.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { rescored, SMALL_SHARE, type Files, type Manifest } from './build.ts';
import { recordedTraining, trainedFiles } from './recordedTraining.ts';
import { inputsFile, inputsOf, type Inputs } from './inputs.ts';
import { manifestAfter, readWeightsManifest, writeWeightsManifest } from './weightsManifest.ts';

const manifestFile = new URL('./manifest.json', import.meta.url);
const { values } = parseArgs({ options: { score: { type: 'boolean' } } });

const names = Object.keys(trainedFiles) as (keyof typeof trainedFiles)[];

/** Trains, and writes everything but the manifests. */
async function trained(): Promise<Manifest> {
  process.stderr.write('Training takes about twenty-five minutes.\n');
  const { files, manifest, reads } = await recordedTraining();
  const small = await recordedTraining({ share: SMALL_SHARE });
  for (const name of names) {
    writeFileSync(trainedFiles[name], files[name]);
    process.stderr.write(`${name}: ${files[name].length} bytes\n`);
  }
  writeFileSync(inputsFile, `${JSON.stringify(inputsOf(reads), null, 2)}\n`);
  return { ...manifest, small: small.manifest };
}

const shipped = (): Files =>
  Object.fromEntries(names.map((name) => [name, readFileSync(trainedFiles[name])])) as unknown as Files;

const manifest = values.score
  ? rescored(JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest, shipped())
  : await trained();
writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
const inputs = JSON.parse(readFileSync(inputsFile, 'utf8')) as Inputs;
writeWeightsManifest(manifestAfter(readWeightsManifest(), manifest, inputs));
const { development, heldOut, reliability } = manifest;
process.stderr.write(`${JSON.stringify({ development, heldOut, reliability }, null, 2)}\n`);
