import type { Recall } from '../contract.ts';
import type { NameType } from './entityClasses.ts';
import type { TagKind } from './labels.ts';
import type { NameModels } from './nameModels.ts';
import { SpanClassifier, thresholds } from './spanClassifier.ts';
import { SpanFeatures, type Candidate } from './spanFeatures.ts';
import { textContextOf } from './textContext.ts';
import { Tagger, type EmitTag } from './tagger.ts';
import { gaps } from './tokens.ts';

/** What is subtracted from the tagger's score of O. */
const biases = {
  /** For spans with exact limits. */
  usual: 60,
  /** For more candidates where there are no such spans. */
  more: 400,
} as const;

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
    this.features = new SpanFeatures(gazetteer, knownNames);
    this.classifier = new SpanClassifier(classifier);
  }

  /** @param context of the whole text, if `text` is a piece of it. */
  find(text: string, recall: Recall, context = textContextOf(text)): FoundName[] {
    const { tagger, features, classifier } = this;
    const { tokens } = tagger;
    const candidates = candidatesOf(tagger, text);
    if (candidates.length === 0) return [];
    features.readText(text, context);
    return candidates.flatMap((candidate) => {
      const count = features.of(tokens, candidate);
      const decision = classifier.decide(features.out, count, candidate, thresholds[recall]);
      const { first, last } = candidate;
      return decision === undefined ? [] : { start: tokens.start[first] ?? 0, end: tokens.end[last] ?? 0, ...decision };
    });
  }
}

interface Mutable {
  kind: TagKind;
  first: number;
  last: number;
  margin: number;
}

/**
 * The candidates in a text: the spans of the tagger, and more spans with a lower score beside them. The parts of an address or
 * of a person's name are joined.
 */
export function candidatesOf(tagger: Tagger, text: string): Candidate[] {
  const more: Mutable[] = [];
  tagger.tag(text, biases.more, joining(tagger, text, more));
  if (more.length === 0) return [];
  const usual: Mutable[] = [];
  tagger.tagAgain(biases.usual, joining(tagger, text, usual));
  const covered = new Set(
    usual.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at)),
  );
  const isFree = ({ first, last }: Mutable): boolean => {
    for (let token = first; token <= last; token++) if (covered.has(token)) return false;
    return true;
  };
  return [...usual, ...more.filter(isFree)].sort((a, b) => a.first - b.first);
}

/** Adds each span to a list, or joins it with the one before. */
function joining({ tokens }: Tagger, text: string, found: Mutable[]): EmitTag {
  return (kind, first, last, margin) => {
    const before = found.at(-1);
    if (before && continues(before, kind, first)) {
      before.last = last;
      before.margin = Math.max(before.margin, margin);
    } else found.push({ kind, first, last, margin });
  };

  /** Whether a span continues the one before it: a family name after a given name, or a town or postcode after an address. */
  function continues(before: Mutable, kind: TagKind, first: number): boolean {
    if (kind === 'PERSON')
      return before.kind === 'PERSON' && first === before.last + 1 && tokens.gap[first] === gaps.space;
    if (before.kind !== 'ADDRESS' || (kind !== 'ADDRESS' && kind !== 'LOCATION')) return false;
    const between = text.slice(tokens.end[before.last] ?? 0, tokens.start[first] ?? 0);
    return /^,? ?\n? {0,4}$/.test(between);
  }
}
