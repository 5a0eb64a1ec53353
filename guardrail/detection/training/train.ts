/**
 * Trains the tagger: `npm run train` writes the weights, the gazetteers and the manifest. `npm run train -- --score` keeps
 * the weights and only updates their scores in the manifest.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gazetteerFile, modelFile } from '../ner/model.ts';
import { build, rescored, type Manifest } from './build.ts';

const manifestFile = new URL('./manifest.json', import.meta.url);
const { values } = parseArgs({ options: { score: { type: 'boolean' } } });

function trained(): Manifest {
  const { model, gazetteer, manifest } = build((line) => process.stderr.write(`${line}\n`));
  writeFileSync(modelFile, model);
  writeFileSync(gazetteerFile, gazetteer);
  process.stderr.write(`${model.length} bytes of weights, ${gazetteer.length} bytes of gazetteers\n`);
  return manifest;
}

const manifest = values.score
  ? rescored(JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest, readFileSync(modelFile))
  : trained();
writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
process.stderr.write(`${JSON.stringify({ development: manifest.development, heldOut: manifest.heldOut }, null, 2)}\n`);
