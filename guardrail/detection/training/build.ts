import { createHash } from 'node:crypto';
import type { Gazetteer } from '../ner/gazetteer.ts';
import { Tagger } from '../ner/tagger.ts';
import { packGazetteer, packModel, unpacked, unpackModel } from '../ner/model.ts';
import { buildGazetteer, gazetteerOf, withHidden } from './gazetteers.ts';
import { Generator } from './generate.ts';
import { heldOutTexts } from './heldOut/heldOut.ts';
import { readWordNet, type WordNet } from './wordNet.ts';
import { examplesOf, train } from './perceptron.ts';
import { Random } from './random.ts';
import { heldOutScores, splitScores, type HeldOutScores, type SplitScore } from './scores.ts';

const seeds = { texts: 20_261_121, order: 3, development: 9_041_977 };
/** More texts, each seen less often, teach more than fewer texts seen more often: names and words vary. */
const epochs = 2;

export interface Built {
  readonly model: Buffer;
  readonly gazetteer: Buffer;
  readonly manifest: Manifest;
}

/** What is written beside the program, so that everyone can see what the shipped weights are and how they do. */
export interface Manifest {
  /** SHA-256 of the contents before compression, which may differ from machine to machine. */
  readonly sha256: { readonly model: string; readonly gazetteer: string };
  readonly trainingTexts: number;
  readonly trainingCharacters: number;
  /** On texts whose templates and names training does not see. They decide which of several trained models is shipped. */
  readonly development: Readonly<Record<string, SplitScore>>;
  /** On texts whose templates and names neither training nor that decision sees. */
  readonly heldOut: HeldOutScores;
}

/** SHA-256 of what a packed file holds. */
export const contentHash = (packed: Buffer): string => createHash('sha256').update(unpacked(packed)).digest('hex');

/** Scores weights on the texts that training does not see. */
function scoresOf(model: Buffer, hidden: Gazetteer, wordNet: WordNet): Pick<Manifest, 'development' | 'heldOut'> {
  const tagger = new Tagger(unpackModel(model), hidden);
  const development = new Generator(seeds.development, 'development', wordNet).templates('development', 40);
  return { development: splitScores(tagger, development), heldOut: heldOutScores(tagger, heldOutTexts()) };
}

/** The manifest of weights that were trained before, with its scores anew: for a change of the sets that are scored. */
export function rescored(manifest: Manifest, model: Buffer): Manifest {
  const wordNet = readWordNet();
  const hidden = gazetteerOf(withHidden(buildGazetteer(wordNet), wordNet));
  return { ...manifest, ...scoresOf(model, hidden, wordNet) };
}

/** Makes texts, learns, and scores what was learnt; the same on every machine. */
export function build(log: (line: string) => void): Built {
  const wordNet = readWordNet();
  const entries = buildGazetteer(wordNet);
  const hidden = gazetteerOf(withHidden(entries, wordNet));
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
    ...generator.examples(80_000),
    ...generator.explanations(16_000),
    ...generator.prose('prose', 60),
    ...generator.carriers('carriers', 160),
    ...generator.encyclopedia(9000),
    ...generator.foreign(),
    ...generator.plain(96),
    ...generator.catalogues(36000),
    ...generator.code(),
    ...generator.code(),
    ...generator.carriers('knowledge', 60),
  ];
  const trainingCharacters = texts.reduce((sum, { text }) => sum + text.length, 0);
  log(`${texts.length} texts of ${trainingCharacters} characters, ${entries.size} words in the gazetteers`);
  const learnt = train(examplesOf(texts, hidden), epochs, new Random(seeds.order), log);
  const model = packModel(learnt);
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
