/** Trains the tagger: `npm run train` writes its weights, its gazetteers and the manifest anew. */
import { writeFileSync } from 'node:fs';
import { gazetteerFile, modelFile } from '../tagger/model.ts';
import { build } from './build.ts';

const { model, gazetteer, manifest } = build((line) => process.stderr.write(`${line}\n`));
writeFileSync(modelFile, model);
writeFileSync(gazetteerFile, gazetteer);
writeFileSync(new URL('./manifest.json', import.meta.url), `${JSON.stringify(manifest, null, 2)}\n`);
process.stderr.write(
  `${model.length} bytes of weights, ${gazetteer.length} bytes of gazetteers\n${JSON.stringify(manifest.blind, null, 2)}\n`,
);
