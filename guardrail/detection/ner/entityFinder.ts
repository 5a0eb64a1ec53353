import type { Recall } from '../contract.ts';
import { isFalseName } from '../falseNames.ts';
import { modelRules, networkRules } from '../rules.ts';
import type { RuleId } from '../span.ts';
import type { DropReason, Trace } from '../trace.ts';
import { candidatesOf } from './candidates.ts';
import { followsTitle } from './courtesyTitles.ts';
import type { NameType } from './entityClasses.ts';
import { byClass, featureNames, strongest } from './featureNames.ts';
import { withListedNames } from './listedNames.ts';
import { isMonthOfDate } from './monthNames.ts';
import { createKernel } from '../kernelInstance.ts';
import type { NameModels } from './nameModels.ts';
import { privateScores } from './privateScores.ts';
import { SpanClassifier, type Decision, type Judged } from './spanClassifier.ts';
import { SpanFeatures, type Candidate } from './spanFeatures.ts';
import { textContextOf, type TextContext } from './textContext.ts';
import type { Tokens } from './tokens.ts';
import { isStructure } from './structure.ts';
import { Tagger } from './tagger.ts';
import { thresholds, type TextThresholds, type Thresholds } from './thresholds.ts';
import { TokenLabels, type Place } from './tokenLabels.ts';
import { wholeName, type FoundTokens } from './wholeNames.ts';

/** A name that was found. */
export interface FoundName {
  readonly start: number;
  readonly end: number;
  readonly type: NameType;
  /** The probability that it is a name of this sort. */
  readonly score: number;
  readonly rule: RuleId;
}

/** What is known of a text beside its words. */
export interface TextFacts {
  /** Properties of the whole text, if only a piece of it is searched. Default: those of the piece. */
  readonly context?: TextContext;
  /** Whether the text has other values of private persons. Default: false. */
  readonly isPersonal?: boolean;
  /** Collects the evidence of each candidate, and those that are no name. */
  readonly trace?: Trace | undefined;
}

/** The least probability of a candidate that is one of the names of people of a text. */
const PERSON_LIKE = 0.2;
/** The shortest and the longest name and address that only the network finds, in UTF-16 code units. */
const SHORTEST = 2;
const longest = { PERSON: 60, ADDRESS: 120 } as const;

/** Whether a decision or a name is for a private person or an address. */
export const isPrivate = (decision: { readonly type: string } | undefined): boolean =>
  decision?.type === 'PERSON' || decision?.type === 'ADDRESS';

/**
 * Adds a name to the others. It extends one of its type that it continues, unless it is doubtful. Plain words beside a name are none. An address alone has letters and digits.
 */
function withPart(
  text: string,
  names: readonly FoundName[],
  part: FoundName,
  { isDoubtful, isPlain }: { readonly isDoubtful: boolean; readonly isPlain: boolean },
): readonly FoundName[] {
  const continues = ({ start, end, type }: FoundName): boolean => {
    const [from, to] = start < part.start ? [end, part.start] : [part.end, start];
    return type === part.type && to - from <= 2 && /^(?:,? ?|-)$/.test(text.slice(from, to));
  };
  const at = isDoubtful ? -1 : names.findIndex(continues);
  const name = names[at];
  if (name && isPlain) return names;
  if (name)
    return names.with(at, { ...name, start: Math.min(name.start, part.start), end: Math.max(name.end, part.end) });
  return part.type === 'PERSON' || /\d.*\p{L}|\p{L}.*\d/u.test(text.slice(part.start, part.end))
    ? [...names, part]
    : names;
}

/** Finds names and addresses in running text: the tagger proposes candidates, and the classifier decides what they are. */
export class EntityFinder {
  private readonly tagger: Tagger;
  private readonly features: SpanFeatures;
  private readonly classifier: SpanClassifier;
  /** What the network says of the text that was searched last. */
  readonly labels: TokenLabels;

  constructor({ model, gazetteer, knownNames, classifier, networks }: NameModels) {
    const kernel = createKernel();
    this.labels = new TokenLabels(networks, { gazetteer, knownNames });
    this.tagger = new Tagger(model, gazetteer, { kernel });
    this.features = new SpanFeatures(knownNames, kernel);
    this.classifier = new SpanClassifier(classifier, kernel);
  }

  /** The tokens of the text that was searched last. */
  get tokens(): Tokens {
    return this.tagger.tokens;
  }

  find(
    text: string,
    recall: Recall,
    { context = textContextOf(text), isPersonal = false, trace }: TextFacts = {},
  ): readonly FoundName[] {
    const { tagger, features } = this;
    const { tokens } = tagger;
    this.labels.read(text);
    const candidates = candidatesOf(tagger, text).filter((candidate) => {
      const place = this.placeOf(candidate);
      if (!isStructure(text, place)) return true;
      const type = candidate.kind;
      trace?.drop({ ...place, type, score: 0, detector: 'builtin', rule: modelRules[type] }, 'structure');
      return false;
    });
    if (candidates.length === 0) return this.withUnproposed(text, [], [], thresholds[recall], isPersonal);
    features.readText(tokens, candidates, context);
    const judged = this.judged(candidates);
    const decisions = this.decisions(text, judged, thresholds[recall], isPersonal);
    if (trace) this.explain(text, judged, decisions, { trace, context, recall, isPersonal });
    const names = this.placed(text, judged, decisions);
    return this.withUnproposed(text, judged, names, thresholds[recall], isPersonal);
  }

  /**
   * Adds what only the network finds: names and addresses in scripts without spaces or in small letters, and the rest of those of
   * which the tagger found a part.
   * @param judged the candidates of the classifier: the network has its share in what they are
   */
  private withUnproposed(
    text: string,
    judged: readonly Candidate[],
    names: readonly FoundName[],
    { alone, beside }: TextThresholds,
    isPersonal: boolean,
  ): readonly FoundName[] {
    const places = judged.map((one) => this.placeOf(one));
    const isProposed = ({ start, end }: Place): boolean => places.some((one) => one.start < end && one.end > start);
    const withRuns = (found: readonly FoundName[], { unproposed }: Thresholds): readonly FoundName[] =>
      (['PERSON', 'ADDRESS'] as const).reduce((all, type) => {
        const runs = this.labels.runsOf(type, unproposed[type].word);
        return runs
          .filter(({ start, end }) => end - start <= longest[type])
          .flatMap((run) => this.labels.freeParts(run, type, all))
          .filter((part) => part.end - part.start >= SHORTEST && !isStructure(text, part))
          .reduce((before, part) => {
            if (part.score < unproposed[type].mean) return before;
            const isDoubtful = part.score < alone.unproposed[type].mean;
            const isPlain = this.labels.arePlain(part);
            if (isDoubtful && (isPlain || isProposed(part))) return before;
            const name: FoundName = { ...part, type, rule: networkRules[type] };
            return isFalseName(text, name) ? before : withPart(text, before, name, { isDoubtful, isPlain });
          }, all);
      }, found);
    const first = isPersonal || names.some(isPrivate) ? names : withRuns(names, alone);
    const all = isPersonal || first.some(isPrivate) ? withRuns(first, beside) : first;
    return all === names ? names : all.toSorted((a, b) => a.start - b.start);
  }

  private placeOf({ first, last }: Candidate): Place {
    const { tokens } = this.tagger;
    return { start: tokens.start[first] ?? 0, end: tokens.end[last] ?? 0 };
  }

  /** What each candidate is. A text with one private person has doubtful ones, too. */
  private decisions(
    text: string,
    judged: readonly Judged[],
    { alone, beside }: TextThresholds,
    isPersonal: boolean,
  ): readonly (Decision | undefined)[] {
    const decide = (one: Judged, limits: Thresholds): Decision | undefined => {
      const isTitled = limits === alone && !one.isCommon && followsTitle(this.tagger.tokens, text, one.first);
      const decision = this.classifier.decide(one, isTitled ? beside : limits);
      return decision && this.whyNoName(text, one, decision.type) === undefined ? decision : undefined;
    };
    const first = judged.map((one) => decide(one, isPersonal ? beside : alone));
    if (!first.some(isPrivate)) return first;
    // What is private alone is so beside others.
    const all = isPersonal ? first : judged.map((one, at) => (isPrivate(first[at]) ? first[at] : decide(one, beside)));
    return withListedNames(this.tagger.tokens, text, judged, all);
  }

  /** Why a candidate is no name, whatever the models say. */
  private whyNoName(text: string, candidate: Judged, type: NameType): DropReason | undefined {
    const { tokens } = this.tagger;
    if (type === 'PERSON' || type === 'PUBLIC_PERSON') {
      if (candidate.isProduct) return 'product';
      if (isMonthOfDate(tokens, text, candidate)) return 'month';
    }
    return isFalseName(text, { ...this.placeOf(candidate), type, rule: modelRules[type] }) ? 'falseName' : undefined;
  }

  /** The places of the names in the text. */
  private placed(text: string, judged: readonly Judged[], decisions: readonly (Decision | undefined)[]): FoundName[] {
    const { tokens } = this.tagger;
    const names: (FoundTokens & Decision)[] = [];
    for (const [index, { first, last }] of judged.entries()) {
      const decision = decisions[index];
      if (decision) names.push({ first, last, type: decision.type, score: decision.score });
    }
    let free = 0;
    return names.map((found, index) => {
      const { type, score } = found;
      const until = (names[index + 1]?.first ?? tokens.count) - 1;
      const whole = type === 'PERSON' ? wholeName(tokens, text, found, free, until) : found;
      free = whole.last + 1;
      const [start, end] = [tokens.start[whole.first] ?? 0, tokens.end[whole.last] ?? 0];
      return { start, end, type, score, rule: modelRules[type] };
    });
  }

  /** Records why each candidate is what it is, and which ones are no name. */
  private explain(
    text: string,
    judged: readonly Judged[],
    decisions: readonly (Decision | undefined)[],
    { trace, context, recall, isPersonal }: Required<TextFacts> & { readonly trace: Trace; readonly recall: Recall },
  ): void {
    const { features, classifier } = this;
    const { tokens } = this.tagger;
    const limits = thresholds[recall][isPersonal || decisions.some(isPrivate) ? 'beside' : 'alone'];
    const named = { text, candidates: judged, firstWords: context.firstWords.length };
    for (const [at, one] of judged.entries()) {
      const [start, end] = [tokens.start[one.first] ?? 0, tokens.end[one.last] ?? 0];
      const nearest = classifier.nearest(one, limits);
      const decision = decisions[at];
      const count = features.of(at);
      const weights = classifier.weightsFor((decision ?? nearest).type, features.out, count);
      const names = featureNames(tokens, named, at, features.knownOf(at));
      trace.model.push({
        ...{ start, end },
        probabilities: byClass(one.probabilities),
        features: strongest(names, weights),
      });
      if (decision) continue;
      const { type, score, threshold } = nearest;
      const why = one.isProduct ? 'product' : this.whyNoName(text, one, type);
      const by = why === undefined || (why === 'falseName' && score < threshold) ? 'modelThreshold' : why;
      const span = { start, end, type, score, detector: 'builtin', rule: modelRules[type] };
      trace.drop(span, by, by === 'modelThreshold' ? { threshold } : {});
    }
  }

  /** What decides about each candidate. */
  private judged(candidates: readonly Candidate[]): Judged[] {
    const { features, classifier, labels } = this;
    const { tokens } = this.tagger;
    const judged = candidates.map(({ kind, first, last, margin }, index) => {
      const [start, end] = [tokens.start[first] ?? 0, tokens.end[last] ?? 0];
      return {
        ...{ kind, first, last, margin },
        isCommon: features.isCommon(tokens, index),
        isProduct: features.isProduct(tokens, index),
        hasNumber: features.hasNumber(tokens, index),
        probabilities: classifier.probabilitiesOf(features.out, features.of(index)),
        network: { person: labels.mean(start, end, 'PERSON'), address: labels.mean(start, end, 'ADDRESS') },
      };
    });
    const scores = privateScores(
      judged.map(({ probabilities, network }) => ({
        classifier: classifier.personal(probabilities),
        network: network.person + network.address,
        isPerson: probabilities.person + probabilities.publicPerson > PERSON_LIKE || network.person > PERSON_LIKE,
      })),
    );
    return judged.map((one, index) => ({ ...one, score: scores[index] ?? 0 }));
  }
}
