import type { Action, AnalysisContext, Analyzer, DependencyState, Detector, Finding, Span } from './contract.ts';
import { resolveOverlaps } from './spans.ts';

export interface AnalyzerOptions {
  /** At least one; their findings are united. */
  readonly detectors: readonly Detector[];
}

/** Detectors and policy as one. Any detector that cannot answer fails the call: nothing passes unseen. */
export function createAnalyzer({ detectors }: AnalyzerOptions): Analyzer {
  return {
    async analyze(texts, context) {
      const found = await Promise.all(
        detectors.map((detector) =>
          detector.detect(texts, { signal: context.signal, recall: context.stricter?.recall }),
        ),
      );
      return texts.map((text, index) => {
        const spans = found.flatMap((byText) => byText[index] ?? []);
        return resolveOverlaps(text, spans).map((span) => withAction(span, context));
      });
    },
    async state() {
      return worstOf(await Promise.all(detectors.map((detector) => detector.state())));
    },
    async close() {
      await Promise.all(detectors.map((detector) => detector.close()));
    },
  };
}

function withAction(span: Span, context: AnalysisContext): Finding {
  const action: Action = context.stricter?.block?.includes(span.type) ? 'block' : 'pseudonymize';
  return { ...span, action };
}

function worstOf(states: readonly DependencyState[]): DependencyState {
  return states.find((state) => !state.up) ?? { up: true };
}
