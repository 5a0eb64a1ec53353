/** Trains and prints the files and the manifest, for `recordedTraining.ts`. Arguments: the seed, and the part of the texts. */
import { build } from './build.ts';

const [seed = 0, share = 1] = process.argv.slice(2).map(Number);
const { files, manifest } = build({ seed, share });
const encoded = Object.entries(files).map(([name, file]: [string, Buffer]) => [name, file.toString('base64')]);
process.stdout.write(JSON.stringify({ manifest, files: Object.fromEntries(encoded) as unknown }));
