import { createUnion } from './union.ts';
import { inSlices, type Steps } from '../eventLoop.ts';
import {
  DetectorUnavailableError,
  TooManyValuesError,
  type AllowedPlace,
  type AnalysisContext,
  type Analyzer,
  type Detector,
  type Finding,
  type Policy,
  type Span,
} from './contract.ts';
import { withoutAllowed } from './policy/allowList.ts';
import { defaultPolicy } from './policy/policy.ts';
import type { PolicySource } from './policy/policySource.ts';
import { splitLongEntities } from './entityLength.ts';
import { messageRangesOf } from './messageRanges.ts';
import { withNamesakes } from './namesakes.ts';
import { generalTypeOf } from '../entityTypes.ts';
import { addRepetitions } from './repetition.ts';
import { resolveOverlaps } from './spans.ts';
import { Turns } from './turns.ts';

export interface AnalyzerOptions {
  /** At least one. Their findings are merged. */
  readonly detectors: readonly Detector[];
  /** Default: what the default profile covers is pseudonymized. */
  readonly policy?: PolicySource | { readonly current: Policy };
}

/**
 * Creates an analyzer from detectors and a policy. It runs the detectors, applies the policy, and finds each name again
 * in its message and in those after it. A detector that fails makes the call fail, so that no text passes unchecked.
 */
export function createAnalyzer({ detectors, policy: source = { current: defaultPolicy } }: AnalyzerOptions): Analyzer {
  const detector = createUnion(detectors);
  const turns = new Turns();
  return {
    async analyze(texts, context) {
      // The policy can change during the call.
      const { policy = source.current } = context;
      const options = {
        signal: context.signal,
        recall: policy.settings.recall,
        minRecall: context.stricter?.recall,
        scope: context.scope,
        tenant: context.tenant,
        trace: context.trace,
        isLocal: context.isLocal,
      };
      const ranges = messageRangesOf(texts.length, context.messages);
      const found = withNamesakes(
        texts,
        await detectEach(texts, (distinct) => detector.detect(distinct, options)),
        ranges,
      );
      const yieldIfDue = turns.yielder(context.tenant);
      const inTurn = async <T>(work: Steps<T>): Promise<T> => inSlices(untilAborted(work, context.signal), yieldIfDue);
      const spans: (readonly Span[])[] = [];
      const kept: (readonly Span[])[] = [];
      const spared: (readonly AllowedPlace[])[] = [];
      let count = 0;
      for (const [index, text] of texts.entries()) {
        const judged = await inTurn(judge(text, found[index] ?? [], policy, context));
        count += judged.spans.length;
        TooManyValuesError.check(count);
        spans.push(judged.spans);
        kept.push(judged.kept);
        spared.push(judged.spared);
      }
      const repeated = await addRepetitions({ texts, spans, kept, ranges, trace: context.trace }, yieldIfDue);
      TooManyValuesError.check(repeated.reduce((sum, { length }) => sum + length, 0));
      const findings: Finding[][] = [];
      for (const [index, text] of texts.entries()) {
        const trace = index === 0 ? context.trace : undefined;
        const rest = withoutAllowed(text, repeated[index] ?? [], spared[index] ?? [], (span) =>
          trace?.drop(span, 'allowList'),
        );
        findings.push(await inTurn(withActions(text, rest, policy, context)));
      }
      context.spared?.push(...spared);
      return findings;
    },
    state: () => detector.state(),
    async close() {
      if ('close' in source) source.close();
      await detector.close();
    },
  };
}

/** Detects in each text once: a conversation can have the same text in several messages. */
async function detectEach(
  texts: readonly string[],
  detect: (distinct: readonly string[]) => Promise<Span[][]>,
): Promise<readonly (readonly Span[])[]> {
  if (texts.length < 2) return detect(texts);
  const places = new Map<string, number>();
  for (const text of texts) if (!places.has(text)) places.set(text, places.size);
  const found = await detect(places.size === texts.length ? texts : [...places.keys()]);
  return places.size === texts.length ? found : texts.map((text) => found[places.get(text) ?? -1] ?? []);
}

/** @throws DetectorUnavailableError if the caller aborts the call */
function* untilAborted<T>(work: Steps<T>, signal: AbortSignal): Steps<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (signal.aborted) throw new DetectorUnavailableError('The analysis was aborted.');
    yield;
  }
}

interface Judged {
  /** The spans that the policy keeps, disjoint. */
  readonly spans: readonly Span[];
  /** Public persons that it drops. One who shares a name with a private one keeps the whole name. */
  readonly kept: readonly Span[];
  /** The places of allowed values that overlap no span. */
  readonly spared: readonly AllowedPlace[];
}

/** @param found the spans of the detectors; those of the policy itself are added */
function* judge(text: string, found: readonly Span[], policy: Policy, context: AnalysisContext): Steps<Judged> {
  const { team, trace } = context;
  const retained: Span[] = [];
  const kept: Span[] = [];
  const left: AllowedPlace[] = [];
  const leave = (span: Span): void => {
    left.push({ start: span.start, end: span.end, types: 'all' });
    trace?.drop(span, 'allowList');
  };
  const own = yield* policy.find(text, team);
  const denied = own.filter(({ detector }) => detector === 'deny-list');
  const allowed = withoutOverlaps(yield* policy.allowedIn(text, team), denied);
  for (const span of [...found, ...own]) {
    yield;
    if (isRetained(text, span, policy, context)) retained.push(span);
    else {
      if (span.type === 'PUBLIC_PERSON') kept.push(span);
      const by = policy.keptBy(span, text.slice(span.start, span.end), team);
      if (by === 'allowList') leave(span);
      else trace?.drop(span, by);
    }
  }
  const isFixed = (span: Span): boolean => span.detector === 'deny-list' || isBlocked(span, context);
  const rest = [
    ...retained.filter(isFixed),
    ...withoutAllowed(
      text,
      retained.filter((span) => !isFixed(span)),
      allowed,
      leave,
    ),
  ];
  const spans = resolveOverlaps(text, rest);
  trace?.overlaps(rest, spans);
  return { spans: splitLongEntities(text, spans), kept, spared: withoutOverlaps([...allowed, ...left], spans) };
}

/** Whether the request itself asks to be refused for values of the type of a span. */
const isBlocked = ({ type }: Span, { stricter }: AnalysisContext): boolean => stricter?.block?.includes(type) === true;

/** The places that overlap no span. */
function withoutOverlaps(places: readonly AllowedPlace[], spans: readonly Span[]): AllowedPlace[] {
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  let at = 0;
  return places
    .toSorted((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      while (at < sorted.length && (sorted[at]?.end ?? 0) <= start) at++;
      return (sorted[at]?.start ?? end) >= end;
    });
}

/** Whether the policy keeps a span. Runs before overlaps are resolved, so that a dropped span hides no other. */
function isRetained(text: string, span: Span, policy: Policy, context: AnalysisContext): boolean {
  return (
    isBlocked(span, context) || policy.actionOf(span, text.slice(span.start, span.end), context.team) !== undefined
  );
}

/** Decides each span. */
function* withActions(
  text: string,
  spans: readonly Span[],
  policy: Policy,
  { team, stricter }: AnalysisContext,
): Steps<Finding[]> {
  const findings: Finding[] = [];
  for (const span of spans) {
    yield;
    const isRefused = stricter?.block?.some((type) => type === span.type || type === generalTypeOf(span.type)) === true;
    // A piece of a split span gets the action of the whole: its score is the same, and only whole values are allowed.
    const action = isRefused ? 'block' : policy.actionOf(span, text.slice(span.start, span.end), team);
    if (action !== undefined) findings.push({ ...span, action });
  }
  return findings;
}
