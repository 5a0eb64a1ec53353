import { createUnion } from './union.ts';
import {
  TooManyValuesError,
  type AnalysisContext,
  type Analyzer,
  type Detector,
  type Finding,
  type Policy,
  type Span,
} from './contract.ts';
import { defaultPolicy } from './policy/policy.ts';
import type { PolicySource } from './policy/policySource.ts';
import { splitLongEntities } from './entityLength.ts';
import { withNamesakes } from './namesakes.ts';
import { generalTypeOf } from './publicTypes.ts';
import { addRepetitions } from './repetition.ts';
import { resolveOverlaps } from './spans.ts';

export interface AnalyzerOptions {
  /** At least one. Their findings are merged. */
  readonly detectors: readonly Detector[];
  /** Default: what the default profile covers is pseudonymized. */
  readonly policy?: PolicySource | { readonly current: Policy };
}

/**
 * Creates an analyzer from detectors and a policy. It runs the detectors, applies the policy, and finds each name again
 * in the whole conversation. A detector that fails makes the call fail, so that no text passes unchecked.
 */
export function createAnalyzer({ detectors, policy: source = { current: defaultPolicy } }: AnalyzerOptions): Analyzer {
  const detector = createUnion(detectors);
  return {
    async analyze(texts, context) {
      // The policy can change during the call.
      const { policy = source.current } = context;
      const options = {
        signal: context.signal,
        recall: policy.settings.recall,
        minRecall: context.stricter?.recall,
        scope: context.scope,
      };
      const found = withNamesakes(texts, await detector.detect(texts, options));
      const judged = texts.map((text, index) =>
        judge(text, [...(found[index] ?? []), ...policy.find(text, context.team)], policy, context),
      );
      const spans = judged.map(({ text, retained }) => splitLongEntities(text, resolveOverlaps(text, retained)));
      TooManyValuesError.check(spans.reduce((sum, { length }) => sum + length, 0));
      // A public person who shares a name with a private one keeps the whole name.
      const kept = judged.map(({ dropped }) => dropped.filter(({ type }) => type === 'PUBLIC_PERSON'));
      const repeated = await addRepetitions(texts, spans, kept);
      TooManyValuesError.check(repeated.reduce((sum, { length }) => sum + length, 0));
      return texts.map((text, index) => withActions(text, repeated[index] ?? [], policy, context));
    },
    state: () => detector.state(),
    async close() {
      if ('close' in source) source.close();
      await detector.close();
    },
  };
}

/** The spans of a text that the policy keeps, and the others. */
interface Judged {
  readonly text: string;
  readonly retained: readonly Span[];
  readonly dropped: readonly Span[];
}

function judge(text: string, spans: readonly Span[], policy: Policy, context: AnalysisContext): Judged {
  const retained: Span[] = [];
  const dropped: Span[] = [];
  for (const span of spans) (isRetained(text, span, policy, context) ? retained : dropped).push(span);
  return { text, retained, dropped };
}

/** Whether the policy keeps a span. Runs before overlaps are resolved, so that a dropped span hides no other. */
function isRetained(text: string, span: Span, policy: Policy, { team, stricter }: AnalysisContext): boolean {
  return (
    stricter?.block?.includes(span.type) === true ||
    policy.actionOf(span, text.slice(span.start, span.end), team) !== undefined
  );
}

/** Decides each span by its own type, and returns it with its general type. */
function withActions(
  text: string,
  spans: readonly Span[],
  policy: Policy,
  { team, stricter }: AnalysisContext,
): Finding[] {
  const findings: Finding[] = [];
  for (const span of spans) {
    const type = generalTypeOf(span.type);
    const isBlocked = stricter?.block?.some((blocked) => blocked === span.type || blocked === type) === true;
    // A piece of a split span gets the action of the whole: its score is the same, and only whole values are allowed.
    const action = isBlocked ? 'block' : policy.actionOf(span, text.slice(span.start, span.end), team);
    if (action !== undefined) findings.push({ ...span, type, action });
  }
  return findings;
}
