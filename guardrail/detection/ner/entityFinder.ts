import type { Recall } from '../contract.ts';
import { candidatesOf } from './candidates.ts';
import type { NameType } from './entityClasses.ts';
import type { NameModels } from './nameModels.ts';
import { SpanClassifier, thresholds, type Judged, type Thresholds } from './spanClassifier.ts';
import { SpanFeatures, type Candidate } from './spanFeatures.ts';
import { textContextOf, type TextContext } from './textContext.ts';
import { Tagger } from './tagger.ts';

/** A name that was found. */
export interface FoundName {
  readonly start: number;
  readonly end: number;
  readonly type: NameType;
  /** The probability that it is a name of this sort. */
  readonly score: number;
}

/** What is known of a text beside its words. */
export interface TextFacts {
  /** Properties of the whole text, if only a piece of it is searched. Default: those of the piece. */
  readonly context?: TextContext;
  /** Whether the text has other values of private persons. Default: false. */
  readonly isPersonal?: boolean;
}

/** Finds names and addresses in running text: the tagger proposes candidates, and the classifier decides what they are. */
export class EntityFinder {
  private readonly tagger: Tagger;
  private readonly features: SpanFeatures;
  private readonly classifier: SpanClassifier;

  constructor({ model, gazetteer, knownNames, classifier }: NameModels) {
    this.tagger = new Tagger(model, gazetteer);
    this.features = new SpanFeatures(knownNames);
    this.classifier = new SpanClassifier(classifier);
  }

  find(
    text: string,
    recall: Recall,
    { context = textContextOf(text), isPersonal = false }: TextFacts = {},
  ): FoundName[] {
    const { tagger, features } = this;
    const { tokens } = tagger;
    const candidates = candidatesOf(tagger, text);
    if (candidates.length === 0) return [];
    features.readText(text, tokens, candidates, context);
    const judged = candidates.map((candidate, index) => this.judge(candidate, index));
    const { alone, beside } = thresholds[recall];
    const decide = (limits: Thresholds): FoundName[] =>
      judged.flatMap((one) => {
        const decision = this.classifier.decide(one, limits);
        return decision === undefined
          ? []
          : { start: tokens.start[one.first] ?? 0, end: tokens.end[one.last] ?? 0, ...decision };
      });
    if (isPersonal) return decide(beside);
    const found = decide(alone);
    return found.some(({ type }) => type === 'PERSON' || type === 'ADDRESS') ? decide(beside) : found;
  }

  private judge(candidate: Candidate, index: number): Judged {
    const { features, classifier } = this;
    const { tokens } = this.tagger;
    return {
      ...candidate,
      isCommon: features.isCommon(tokens, index),
      hasNumber: features.hasNumber(tokens, index),
      probabilities: classifier.probabilitiesOf(features.out, features.of(tokens, index)),
    };
  }
}
