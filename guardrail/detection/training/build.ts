import { createHash } from 'node:crypto';
import type { Gazetteer } from '../ner/gazetteer.ts';
import { Tagger } from '../ner/tagger.ts';
import { packGazetteer, packModel, unpacked, unpackModel } from '../ner/model.ts';
import { buildGazetteer, gazetteerOf, withHiddenWords } from './gazetteers.ts';
import { Generator } from './generate.ts';
import { heldOutTexts } from './heldOut/heldOut.ts';
import { readWordNet, type WordNet } from './wordNet.ts';
import { examplesOf, train } from './perceptron.ts';
import { Random } from './random.ts';
import { heldOutScores, splitScores, type HeldOutScores, type SplitScore } from './scores.ts';

const seeds = { texts: 20_261_121, order: 3, development: 9_041_977 };
/** Number of passes. Two passes over many texts give better scores than many passes over few, because names and words vary. */
const epochs = 2;

export interface Built {
  readonly model: Buffer;
  readonly gazetteer: Buffer;
  readonly manifest: Manifest;
}

/** Identifies the shipped weights and records their scores. */
export interface Manifest {
  /** SHA-256 of the contents before compression. Compressed bytes may differ between machines. */
  readonly sha256: { readonly model: string; readonly gazetteer: string };
  readonly trainingTexts: number;
  readonly trainingCharacters: number;
  /** Scores on templates and names that training does not see. They decide which trained model is shipped. */
  readonly development: Readonly<Record<string, SplitScore>>;
  /** Scores on templates and names that neither training nor the choice of the model sees. */
  readonly heldOut: HeldOutScores;
}

/** SHA-256 of the uncompressed contents of a packed file. */
export const contentHash = (packed: Buffer): string => createHash('sha256').update(unpacked(packed)).digest('hex');

/** Scores weights on the development set and the held-out set. */
function scoresOf(model: Buffer, hidden: Gazetteer, wordNet: WordNet): Pick<Manifest, 'development' | 'heldOut'> {
  const tagger = new Tagger(unpackModel(model), hidden);
  const development = new Generator(seeds.development, 'development', wordNet).templates('development', 40);
  return { development: splitScores(tagger, development), heldOut: heldOutScores(tagger, heldOutTexts()) };
}

/** Recomputes the scores of weights that are already trained, after a change of the scored sets. */
export function rescored(manifest: Manifest, model: Buffer): Manifest {
  const wordNet = readWordNet();
  const hidden = gazetteerOf(withHiddenWords(buildGazetteer(wordNet), wordNet));
  return { ...manifest, ...scoresOf(model, hidden, wordNet) };
}

/** Generates the texts, trains, and scores the result. The output is the same on every machine. */
export function build(log: (line: string) => void): Built {
  const wordNet = readWordNet();
  const entries = buildGazetteer(wordNet);
  const hidden = gazetteerOf(withHiddenWords(entries, wordNet));
  const generator = new Generator(seeds.texts, 'train', wordNet);
  const texts = [
    ...generator.templates('english', 200),
    ...generator.templates('forms', 240),
    ...generator.templates('foreign', 160),
    ...generator.templates('everyday', 96),
    ...generator.templates('negatives', 112),
    ...generator.templates('shapes', 144),
    ...generator.templates('labels', 600),
    ...generator.templates('notices', 160),
    ...generator.templates('small', 96),
    ...generator.templates('work', 120),
    ...generator.templates('marked', 96),
    ...generator.templates('science', 60),
    ...generator.passages(
      ['english', 'english', 'everyday', 'negatives', 'foreign', 'notices', 'small', 'work', 'marked', 'science'],
      36000,
    ),
    ...generator.dictionary.examples(80_000),
    ...generator.dictionary.explanations(16_000),
    ...generator.prose('prose', 60),
    ...generator.carriers('carriers', 160),
    ...generator.dictionary.encyclopedia(9000),
    ...generator.foreign(),
    ...generator.plain(96),
    ...generator.catalogues(36000),
    ...generator.code(),
    ...generator.code(),
    ...generator.carriers('knowledge', 60),
  ];
  const trainingCharacters = texts.reduce((sum, { text }) => sum + text.length, 0);
  log(`${texts.length} texts of ${trainingCharacters} characters, ${entries.size} words in the gazetteers`);
  const weights = train(examplesOf(texts, hidden), epochs, new Random(seeds.order), log);
  const model = packModel(weights);
  const gazetteer = packGazetteer(entries);
  return {
    model,
    gazetteer,
    manifest: {
      sha256: { model: contentHash(model), gazetteer: contentHash(gazetteer) },
      trainingTexts: texts.length,
      trainingCharacters,
      ...scoresOf(model, hidden, wordNet),
    },
  };
}
