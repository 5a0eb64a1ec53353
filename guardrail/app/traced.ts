/** Components whose work has spans. Without tracing, they are the components themselves. */
import type { Analyzer } from '../detection/detection.ts';
import type { ImageProcessor } from '../images/images.ts';
import { inSpan, isTracing } from '../telemetry/telemetry.ts';

/** The analyzer, with a span for the texts of a call. */
export function tracedAnalyzer(analyzer: Analyzer): Analyzer {
  if (!isTracing()) return analyzer;
  return {
    analyze: (texts, context) =>
      inSpan({ name: 'detect', kind: 'internal' }, async (span) => {
        const found = await analyzer.analyze(texts, context);
        const findings = found.reduce((sum, list) => sum + list.length, 0);
        span?.set({ 'guardrail.texts': texts.length, 'guardrail.findings': findings });
        return found;
      }),
    state: () => analyzer.state(),
    close: () => analyzer.close(),
  };
}

/** The image workers, with a span for each image. It contains the wait for a worker. */
export function tracedImages(images: ImageProcessor): ImageProcessor {
  if (!isTracing()) return images;
  return {
    read: (image, caller) => inSpan({ name: 'image read', kind: 'internal' }, () => images.read(image, caller)),
    rewrite: (image, areas, caller) =>
      inSpan({ name: 'image rewrite', kind: 'internal' }, () => images.rewrite(image, areas, caller)),
    close: () => images.close(),
  };
}
