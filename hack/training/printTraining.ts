/**
 * Trains the classifier and prints the files and the manifest, for `recordedTraining.ts`. Arguments: the seed, the part of the
 * texts, the file with the taggers, and those with the networks.
 */
import { readFileSync } from 'node:fs';
import { build } from './build.ts';
import type { EncodedTaggers } from './recordedTraining.ts';

const [seed, share, file = '', network = '', secondNetwork = ''] = process.argv.slice(2);
const { model, halves, ...size } = JSON.parse(readFileSync(file, 'utf8')) as EncodedTaggers;
const decoded = (text: string): Buffer => Buffer.from(text, 'base64');
const taggers = { model: decoded(model), halves: halves.map(decoded), ...size };
const networks = { network: readFileSync(network), secondNetwork: readFileSync(secondNetwork) };
const { files, manifest } = build(taggers, networks, { seed: Number(seed), share: Number(share) });
const encoded = Object.entries(files).map(([name, content]: [string, Buffer]) => [name, content.toString('base64')]);
process.stdout.write(JSON.stringify({ manifest, files: Object.fromEntries(encoded) as unknown }));
