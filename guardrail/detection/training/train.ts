/**
 * Trains the tagger: `npm run train` writes the weights, the gazetteers and the manifest. `npm run train -- --score` keeps
 * the weights and only updates their scores in the manifest. With `--print` it trains, prints the manifest and writes no file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { shippedFiles } from '../ner/model.ts';
import { build, rescored, type Files, type Manifest } from './build.ts';

const manifestFile = new URL('./manifest.json', import.meta.url);
const { values } = parseArgs({ options: { score: { type: 'boolean' }, print: { type: 'boolean' } } });

const names = Object.keys(shippedFiles) as (keyof Files)[];

function trained(): Manifest {
  const { files, manifest } = build((line) => process.stderr.write(`${line}\n`));
  for (const name of names) {
    writeFileSync(shippedFiles[name], files[name]);
    process.stderr.write(`${name}: ${files[name].length} bytes\n`);
  }
  return manifest;
}

const shipped = (): Files =>
  Object.fromEntries(names.map((name) => [name, readFileSync(shippedFiles[name])])) as unknown as Files;

/** Trains or scores, and writes the result. */
function update(): void {
  const manifest = values.score
    ? rescored(JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest, shipped())
    : trained();
  writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  const { development, heldOut, reliability } = manifest;
  process.stderr.write(`${JSON.stringify({ development, heldOut, reliability }, null, 2)}\n`);
}

if (values.print) process.stdout.write(JSON.stringify(build(() => undefined).manifest));
else update();
