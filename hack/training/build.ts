import { createHash } from 'node:crypto';
import { EntityFinder } from '../../guardrail/detection/ner/entityFinder.ts';
import { Gazetteer } from '../../guardrail/detection/ner/gazetteer.ts';
import {
  packClassifier,
  packGazetteer,
  unpackClassifier,
  unpacked,
  unpackModel,
} from '../../guardrail/detection/ner/model.ts';
import { calibrated, packedRows, type ClassifierWeights } from '../../guardrail/detection/ner/spanClassifier.ts';
import { Tagger } from '../../guardrail/detection/ner/tagger.ts';
import { unpackNetwork } from '../../guardrail/detection/ner/tokenNetwork.ts';
import { fitCalibration, reliabilityOf, type Judgement, type ReliabilityRow } from './calibration.ts';
import { buildGazetteer, withHiddenWords } from './gazetteers.ts';
import { Generator } from './generate.ts';
import { heldOutTexts } from './heldOut/heldOut.ts';
import { buildKnownNames, withoutHiddenNames } from './knownNames.ts';
import type { LabelledText } from './labelledText.ts';
import { Random } from './random.ts';
import { classifierMessages } from './network/messages.ts';
import { heldOutScores, splitScores, type HeldOutScores, type SplitScore } from './scores.ts';
import { meanOf, trainClassifier } from './softmax.ts';
import { judgementsOf, joinedExamples, spanExamplesOf, type Knowledge } from './spanExamples.ts';
import { halfOf, seedOffset, type Taggers, type TrainingOptions } from './taggers.ts';
import { classifierTexts } from './texts.ts';
import { readWordNet } from './wordNet.ts';

const seeds = { classifiers: [77, 1077, 2077, 3077, 4077], kept: 811, development: 9_041_977 };
const epochs = 3;

export interface Built {
  readonly files: Files;
  readonly manifest: Scored;
}

/** The packed files that the detector reads. */
export interface Files {
  readonly model: Buffer;
  readonly gazetteer: Buffer;
  readonly classifier: Buffer;
  readonly knownNames: Buffer;
  readonly network: Buffer;
  readonly secondNetwork: Buffer;
}

/** Identifies the shipped files and records their scores. */
export interface Manifest extends Scored {
  /** The result of a training with a {@link SMALL_SHARE} of the texts, which tests repeat. */
  readonly small: Scored;
}

/** The part of the texts of a small training. */
export const SMALL_SHARE = 0.002;

/** The files of one training and their scores. */
export interface Scored {
  /** SHA-256 of the contents before compression. Compressed bytes may differ between machines. */
  readonly sha256: Readonly<Record<keyof Files, string>>;
  readonly trainingTexts: number;
  readonly trainingCharacters: number;
  /** Candidates from which the classifier learned. */
  readonly candidates: number;
  /** Scores on templates and names that training does not see. They decide which trained model is shipped. */
  readonly development: Readonly<Record<string, SplitScore>>;
  /** Scores on templates and names that neither training nor the choice of the model sees. */
  readonly heldOut: HeldOutScores;
  /** How often finds of each score are right, on templates that neither training nor the calibration sees. */
  readonly reliability: { readonly personal: readonly ReliabilityRow[]; readonly any: readonly ReliabilityRow[] };
}

/** SHA-256 of the uncompressed contents of a packed file. */
export const contentHash = (packed: Buffer): string => createHash('sha256').update(unpacked(packed)).digest('hex');

const hashesOf = (files: Files): Manifest['sha256'] => ({
  model: contentHash(files.model),
  gazetteer: contentHash(files.gazetteer),
  classifier: contentHash(files.classifier),
  knownNames: contentHash(files.knownNames),
  network: contentHash(files.network),
  secondNetwork: contentHash(files.secondNetwork),
});

/** What the detector knows of names, and the same with a part hidden, for training and scores. */
class Lists {
  readonly wordNet = readWordNet();
  readonly words = buildGazetteer(this.wordNet);
  readonly names = buildKnownNames(this.wordNet);
  readonly hidden: Knowledge = {
    gazetteer: Gazetteer.of(withHiddenWords(this.words, this.wordNet)),
    knownNames: Gazetteer.of(withoutHiddenNames(this.names)),
  };
  /** Texts of the templates that are kept for calibration, in two parts: one to fit, one to measure. */
  readonly kept: readonly (readonly LabelledText[])[];

  constructor() {
    const generator = new Generator(seeds.kept, 'train', this.wordNet);
    const texts = [
      ...generator.registers('personal', 10, { kept: true }),
      ...generator.registers('public', 6, { kept: true }),
    ];
    this.kept = [0, 1].map((half) => texts.filter((text) => halfOf(text) === half));
  }
}

/** Trains the classifier, without its calibration: the mean of several, each from its own draw of names and templates. */
function trainedClassifier(
  lists: Lists,
  { halves }: Taggers,
  options: TrainingOptions,
  log: (line: string) => void,
): { readonly weights: Pick<ClassifierWeights, 'rows' | 'unit'>; readonly candidates: number } {
  const taggers = halves.map((half) => new Tagger(unpackModel(half), lists.hidden.gazetteer));
  let candidates = 0;
  const classifiers = seeds.classifiers.map((draw) => {
    const seed = draw + seedOffset(options);
    const generator = new Generator(seed, 'train', lists.wordNet, options.share ?? 1);
    const own = [...classifierTexts(generator), ...classifierMessages(new Random(seed), lists.hidden, options.share)];
    const parts = taggers.map((tagger, half) =>
      spanExamplesOf(
        own.filter((text) => halfOf(text) !== half),
        tagger,
        lists.hidden,
      ),
    );
    const examples = joinedExamples(parts);
    candidates += examples.classes.length;
    return trainClassifier(examples, epochs, new Random(seed), log);
  });
  const { rows, unit } = meanOf(classifiers);
  return { weights: { rows: packedRows(rows), unit }, candidates };
}

/** Judgements on one part of the kept texts. */
function keptJudgements(
  { kept, hidden }: Lists,
  part: number,
  files: Pick<Files, 'model' | 'classifier'>,
): { readonly personal: Judgement[]; readonly any: Judgement[] } {
  const tagger = new Tagger(unpackModel(files.model), hidden.gazetteer);
  return judgementsOf(kept[part] ?? [], tagger, hidden, unpackClassifier(files.classifier));
}

const uncalibrated = { slope: 1, offset: 0 };

/** Scores the files on the development set and the held-out set. */
function scoresOf(files: Files, lists: Lists): Pick<Scored, 'development' | 'heldOut' | 'reliability'> {
  const classifier = unpackClassifier(files.classifier);
  const networks = [files.network, files.secondNetwork].map(unpackNetwork);
  const finder = new EntityFinder({ model: unpackModel(files.model), classifier, networks, ...lists.hidden });
  const development = new Generator(seeds.development, 'development', lists.wordNet).templates('development', 40);
  const measured = keptJudgements(lists, 1, files);
  const rows = (judgements: readonly Judgement[], kind: 'personal' | 'any'): ReliabilityRow[] =>
    reliabilityOf(
      judgements.map(({ probability, isRight }) => ({
        probability: calibrated(probability, classifier[kind]),
        isRight,
      })),
    );
  return {
    development: splitScores(finder, development),
    heldOut: heldOutScores(finder, heldOutTexts()),
    reliability: { personal: rows(measured.personal, 'personal'), any: rows(measured.any, 'any') },
  };
}

/** Recomputes the scores of files that are already trained, after a change of the scored sets. */
export const rescored = (manifest: Manifest, files: Files): Manifest => ({
  ...manifest,
  ...scoresOf(files, new Lists()),
});

/**
 * Trains and calibrates the classifier, and scores the result. The output is the same on every machine.
 * @param networks the packed networks, for the scores
 */
export function build(
  taggers: Taggers,
  networks: Pick<Files, 'network' | 'secondNetwork'>,
  options: TrainingOptions = {},
  log: (line: string) => void = () => undefined,
): Built {
  const lists = new Lists();
  const { model, trainingTexts, trainingCharacters } = taggers;
  const { weights, candidates } = trainedClassifier(lists, taggers, options, log);
  const fitted = keptJudgements(lists, 0, {
    model,
    classifier: packClassifier({ ...weights, personal: uncalibrated, any: uncalibrated }),
  });
  const files: Files = {
    model,
    gazetteer: packGazetteer(lists.words),
    classifier: packClassifier({
      ...weights,
      personal: fitCalibration(fitted.personal),
      any: fitCalibration(fitted.any),
    }),
    knownNames: packGazetteer(lists.names),
    ...networks,
  };
  return {
    files,
    manifest: { sha256: hashesOf(files), trainingTexts, trainingCharacters, candidates, ...scoresOf(files, lists) },
  };
}
