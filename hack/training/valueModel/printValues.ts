/** Trains the network of values and prints its file, for `recordedTraining.ts`. Arguments: the seed, and the part of the texts. */
import { packValues } from '../../../guardrail/detection/ner/valueNetwork.ts';
import { trainValues } from './trainValues.ts';

const [seed = 0, share = 1] = process.argv.slice(2).map(Number);
process.stdout.write(packValues(trainValues({ seed, share })).toString('base64'));
