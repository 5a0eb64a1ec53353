import { candidatesOf } from '../../guardrail/detection/ner/candidates.ts';
import { entityClasses, type EntityClass } from '../../guardrail/detection/ner/entityClasses.ts';
import type { Gazetteer } from '../../guardrail/detection/ner/gazetteer.ts';
import {
  nameOf,
  personalOf,
  SpanClassifier,
  type ClassifierWeights,
} from '../../guardrail/detection/ner/spanClassifier.ts';
import { SpanFeatures } from '../../guardrail/detection/ner/spanFeatures.ts';
import type { Tagger } from '../../guardrail/detection/ner/tagger.ts';
import { textContextOf } from '../../guardrail/detection/ner/textContext.ts';
import type { Judgement } from './calibration.ts';
import type { LabelledText } from './labelledText.ts';

/** What is known of names. */
export interface Knowledge {
  readonly gazetteer: Gazetteer;
  readonly knownNames: Gazetteer;
}

/** A text for the classifier. */
export interface ClassifierText extends LabelledText {
  /** Whether the spans are only the private ones: what is beside them is a public name or nothing. Default: false. */
  readonly hasOnlyPrivate?: boolean;
}

/** Candidates of the tagger in labelled texts: the features of each, and the index of its class. */
export interface SpanExamples {
  readonly classes: readonly number[];
  readonly features: readonly Int32Array[];
}

/** The class of a candidate that is not private: a public name, or none. */
export const NOT_PRIVATE = 255;

export const joinedExamples = (parts: readonly SpanExamples[]): SpanExamples => ({
  classes: parts.flatMap(({ classes }) => classes),
  features: parts.flatMap(({ features }) => features),
});

/** The share of a candidate that an entity must cover to give it its class. */
const LEAST_SHARE = 0.4;

/**
 * The class of a candidate by the labels of its text. A candidate with a part of a private value is private: to hide it is
 * right.
 * @returns undefined if the labels do not tell, or if a recognizer finds the candidate.
 */
export function classOf({ spans, values = [] }: LabelledText, start: number, end: number): EntityClass | undefined {
  let best: EntityClass | undefined = 'NONE';
  let most = 0;
  for (const span of spans) {
    const shared = Math.min(end, span.end) - Math.max(start, span.start);
    if (shared <= 0) continue;
    if (span.type === undefined) return undefined;
    const isPrivate = span.type === 'PERSON' || span.type === 'ADDRESS';
    const weight = isPrivate ? end - start + shared : shared;
    if (weight <= most || (!isPrivate && shared < LEAST_SHARE * (end - start))) continue;
    most = weight;
    best = span.type;
  }
  if (best === 'NONE' && values.some((value) => value.start < end && start < value.end)) return undefined;
  return best;
}

/** Calls `use` with each candidate of a tagger whose class is known. The features are valid during the call. */
function forEachCandidate(
  texts: readonly ClassifierText[],
  tagger: Tagger,
  { knownNames }: Knowledge,
  use: (own: EntityClass | 'NOT_PRIVATE', features: Int32Array, count: number) => void,
): void {
  const extractor = new SpanFeatures(knownNames, tagger.tokens.kernel);
  const { tokens } = tagger;
  for (const labelled of texts) {
    const candidates = candidatesOf(tagger, labelled.text);
    if (candidates.length === 0) continue;
    extractor.readText(tokens, candidates, textContextOf(labelled.text));
    for (const [index, candidate] of candidates.entries()) {
      const own = classOf(labelled, tokens.start[candidate.first] ?? 0, tokens.end[candidate.last] ?? 0);
      if (own !== undefined)
        use(own === 'NONE' && labelled.hasOnlyPrivate ? 'NOT_PRIVATE' : own, extractor.out, extractor.of(index));
    }
  }
}

/** Collects the candidates of a tagger in texts that it did not learn from. */
export function spanExamplesOf(texts: readonly ClassifierText[], tagger: Tagger, knowledge: Knowledge): SpanExamples {
  const classes: number[] = [];
  const features: Int32Array[] = [];
  forEachCandidate(texts, tagger, knowledge, (own, out, count) => {
    classes.push(own === 'NOT_PRIVATE' ? NOT_PRIVATE : entityClasses.indexOf(own));
    features.push(out.slice(0, count));
  });
  return { classes, features };
}

/** The probabilities that a classifier gives to the candidates of a tagger, and whether they are right. */
export function judgementsOf(
  texts: readonly ClassifierText[],
  tagger: Tagger,
  knowledge: Knowledge,
  weights: ClassifierWeights,
): { readonly personal: Judgement[]; readonly any: Judgement[] } {
  const classifier = new SpanClassifier(weights);
  const personal: Judgement[] = [];
  const any: Judgement[] = [];
  forEachCandidate(texts, tagger, knowledge, (own, out, count) => {
    const probabilities = classifier.probabilitiesOf(out, count);
    personal.push({ probability: personalOf(probabilities), isRight: own === 'PERSON' || own === 'ADDRESS' });
    if (own !== 'NOT_PRIVATE') any.push({ probability: nameOf(probabilities), isRight: own !== 'NONE' });
  });
  return { personal, any };
}
