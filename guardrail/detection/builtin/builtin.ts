import type { Detector, Recall, Span } from '../contract.ts';
import { DetectorUnavailableError } from '../contract.ts';
import { resolveOverlaps } from '../spans.ts';
import { hintsOf } from './recognizer.ts';
import { recognizers } from './recognizers/recognizers.ts';

export interface BuiltinOptions {
  /** Default `balanced`. */
  readonly recall?: Recall;
  /** ISO 639-1 codes of the languages to expect; default `en`. */
  readonly languages?: readonly string[];
}

const name = 'builtin';

/** The detector that runs inside the process: recognizers by form, and a tagger for people, places, organisations. */
export function createBuiltinDetector(_options: BuiltinOptions = {}): Detector {
  return {
    name,
    detect(texts, { signal }) {
      const found: Span[][] = [];
      for (const text of texts) {
        if (signal.aborted) return Promise.reject(new DetectorUnavailableError('The built-in detector was aborted.'));
        found.push(structured(text));
      }
      return Promise.resolve(found);
    },
    state: () => Promise.resolve({ up: true }),
    close: () => Promise.resolve(),
  };
}

function structured(text: string): Span[] {
  const spans: Span[] = [];
  const hints = hintsOf(text);
  for (const { type: own, worthwhile, find } of recognizers) {
    if (!worthwhile(hints)) continue;
    find(text, (start, end, score, type = own) => spans.push({ start, end, type, score, detector: name }));
  }
  return resolveOverlaps(text, spans);
}
