import type { Recall } from '../contract.ts';
import { candidatesOf } from './candidates.ts';
import type { NameType } from './entityClasses.ts';
import type { NameModels } from './nameModels.ts';
import { SpanClassifier, thresholds } from './spanClassifier.ts';
import { SpanFeatures } from './spanFeatures.ts';
import { textContextOf } from './textContext.ts';
import { Tagger } from './tagger.ts';

/** A name that was found. */
export interface FoundName {
  readonly start: number;
  readonly end: number;
  readonly type: NameType;
  /** The probability that it is a name of this sort. */
  readonly score: number;
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

  /** @param context of the whole text, if `text` is a piece of it. */
  find(text: string, recall: Recall, context = textContextOf(text)): FoundName[] {
    const { tagger, features, classifier } = this;
    const { tokens } = tagger;
    const candidates = candidatesOf(tagger, text);
    if (candidates.length === 0) return [];
    features.readText(text, tokens, candidates, context);
    return candidates.flatMap((candidate, index) => {
      const count = features.of(tokens, index);
      const { kind, margin, first, last } = candidate;
      const [isCommon, hasNumber] = [features.isCommon(tokens, index), features.hasNumber(tokens, index)];
      const judged = { kind, margin, isCommon, hasNumber };
      const decision = classifier.decide(features.out, count, judged, thresholds[recall]);
      return decision === undefined ? [] : { start: tokens.start[first] ?? 0, end: tokens.end[last] ?? 0, ...decision };
    });
  }
}
