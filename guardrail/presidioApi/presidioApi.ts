/** Presidio's REST API: the analyzer with our detection, and the anonymizer. */
export {
  createPresidioAnalyzer,
  recognizerOf,
  type Analysis,
  type AnalyzeOptions,
  type PresidioAnalyzer,
  type PresidioExplanation,
  type PresidioResult,
} from './analyze.ts';
export { analyzeSchema } from './analyzeRequest.ts';
export { anonymize, deanonymize } from './anonymize.ts';
export { PresidioError } from './errors.ts';
export type { EngineResult } from './operate.ts';
export { ANONYMIZERS, DEANONYMIZERS } from './operators.ts';
