/** Trains the taggers and prints them, for `recordedTraining.ts`. Arguments: the seed, and the part of the texts. */
import { trainTaggers } from './taggers.ts';

const [seed = 0, share = 1] = process.argv.slice(2).map(Number);
const { model, halves, ...size } = trainTaggers({ seed, share });
const encoded = { model: model.toString('base64'), halves: halves.map((half) => half.toString('base64')), ...size };
process.stdout.write(JSON.stringify(encoded));
