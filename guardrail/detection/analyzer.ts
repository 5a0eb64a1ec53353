import { createUnion } from './union.ts';
import {
  TooManyValuesError,
  type AnalysisContext,
  type Analyzer,
  type Detector,
  type Finding,
  type Span,
} from './contract.ts';
import { defaultPolicy, type Policy } from './policy/policy.ts';
import type { PolicySource } from './policy/policySource.ts';
import { shortEnough } from './entityLength.ts';
import { repeat } from './repetition.ts';
import { resolveOverlaps } from './spans.ts';

export interface AnalyzerOptions {
  /** At least one; their findings are united. */
  readonly detectors: readonly Detector[];
  /** Default: everything that is found is pseudonymized. */
  readonly policy?: PolicySource | { readonly current: Policy };
}

/**
 * Detectors and policy as one: what was found, what that makes of the rest of the conversation, what the policy says.
 * A detector that cannot answer fails the call: nothing passes unseen.
 */
export function createAnalyzer({ detectors, policy: source = { current: defaultPolicy } }: AnalyzerOptions): Analyzer {
  const detector = createUnion(detectors);
  return {
    async analyze(texts, context) {
      // One policy for the whole call, even if it changes meanwhile.
      const policy = source.current;
      const found = await detector.detect(texts, { signal: context.signal, recall: context.stricter?.recall });
      const spans = texts.map((text, index) =>
        resolveOverlaps(
          text,
          judged(text, [...(found[index] ?? []), ...policy.find(text, context.team)], policy, context),
        ).flatMap((span) => shortEnough(text, span)),
      );
      TooManyValuesError.check(spans.reduce((sum, { length }) => sum + length, 0));
      const repeated = await repeat(texts, spans);
      TooManyValuesError.check(repeated.reduce((sum, { length }) => sum + length, 0));
      return texts.map((text, index) => decided(text, repeated[index] ?? [], policy, context));
    },
    state: () => detector.state(),
    async close() {
      if ('close' in source) source.close();
      await detector.close();
    },
  };
}

/** Spans that the policy keeps. Before overlaps are settled: what is let through must not hide what is not. */
function judged(text: string, spans: readonly Span[], policy: Policy, { team, stricter }: AnalysisContext): Span[] {
  return spans.filter(
    (span) =>
      stricter?.block?.includes(span.type) === true ||
      policy.judge(span, text.slice(span.start, span.end), team) !== undefined,
  );
}

function decided(text: string, spans: readonly Span[], policy: Policy, { team, stricter }: AnalysisContext): Finding[] {
  return spans.flatMap((span) => {
    if (stricter?.block?.includes(span.type)) return { ...span, action: 'block' as const };
    // A piece of a longer find is judged like the whole: the score is the same, and only the whole could be allowed.
    const action = policy.judge(span, text.slice(span.start, span.end), team);
    return action === undefined ? [] : { ...span, action };
  });
}
