/** Trains the network and prints its file, for `recordedTraining.ts`. Arguments: the seed, and the part of the texts. */
import { packNetwork } from '../../../guardrail/detection/ner/tokenNetwork.ts';
import { trainNetwork } from './trainNetwork.ts';

const [seed = 0, share = 1] = process.argv.slice(2).map(Number);
process.stdout.write(packNetwork(trainNetwork({ seed, share })).toString('base64'));
