/**
 * Trains a network and prints its file, for `recordedTraining.ts`. Arguments: the seed, the part of the texts, and which of the
 * networks, from 0.
 */
import { packNetwork } from '../../../guardrail/detection/ner/tokenNetwork.ts';
import { trainNetwork } from './trainNetwork.ts';

const [seed = 0, share = 1, which = 0] = process.argv.slice(2).map(Number);
process.stdout.write(packNetwork(trainNetwork({ seed, share, which })).toString('base64'));
