/** The first stage of the training: the lists of names, and the taggers. The classifier learns from the candidates of these. */
import { Gazetteer } from '../../guardrail/detection/ner/gazetteer.ts';
import { packModel } from '../../guardrail/detection/ner/model.ts';
import { wordHash } from '../../guardrail/detection/ner/tokens.ts';
import { buildGazetteer, withHiddenWords } from './gazetteers.ts';
import { Generator } from './generate.ts';
import type { LabelledText } from './labelledText.ts';
import { examplesOf, train } from './perceptron.ts';
import { Random } from './random.ts';
import { taggerTexts } from './texts.ts';
import { readWordNet } from './wordNet.ts';

const seeds = { texts: 20_261_121, order: 3 };
/** Two passes over many texts give better scores than many passes over few, because names and words vary. */
const epochs = 2;
/** The distance between the random seeds of two trainings. */
const SEED_STEP = 1_000_003;

/** How a training differs from that of the shipped files. */
export interface TrainingOptions {
  /** Chooses other draws of names and templates, another order of the texts, and so other weights. Default: 0. */
  readonly seed?: number;
  /** The part of the texts, above 0. Default: 1. */
  readonly share?: number;
}

/** What is added to each random seed. */
export const seedOffset = ({ seed = 0 }: TrainingOptions): number => seed * SEED_STEP;

/** The half to which a text belongs: see {@link Taggers.halves}. */
export const halfOf = ({ source, text }: LabelledText): number =>
  (wordHash(/[{[]/.test(source) ? source : text) >>> 7) & 1;

/** Packed weights of taggers, and the size of what they learned from. */
export interface Taggers {
  /** The tagger that is shipped, which learned from all texts. */
  readonly model: Buffer;
  /**
   * A tagger that learned from each half. A tagger is surer of the texts that it learned from, so the candidates of each half come
   * from the tagger of the other.
   */
  readonly halves: readonly Buffer[];
  readonly trainingTexts: number;
  readonly trainingCharacters: number;
}

/** Generates the texts and trains the taggers. The output is the same on every machine. */
export function trainTaggers(options: TrainingOptions, log: (line: string) => void = () => undefined): Taggers {
  const wordNet = readWordNet();
  const gazetteer = Gazetteer.of(withHiddenWords(buildGazetteer(wordNet), wordNet));
  const offset = seedOffset(options);
  const texts = taggerTexts(new Generator(seeds.texts + offset, 'train', wordNet, options.share ?? 1));
  const trained = (learned: readonly LabelledText[]): Buffer =>
    packModel(train(examplesOf(learned, gazetteer), epochs, new Random(seeds.order + offset), log));
  const trainingCharacters = texts.reduce((sum, { text }) => sum + text.length, 0);
  log(`${texts.length} texts of ${trainingCharacters} characters`);
  return {
    halves: [0, 1].map((half) => trained(texts.filter((text) => halfOf(text) === half))),
    model: trained(texts),
    trainingTexts: texts.length,
    trainingCharacters,
  };
}
