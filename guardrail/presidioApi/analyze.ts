/** Answers `POST /analyze`. */
import {
  explain,
  ExplanationBudget,
  TooManyValuesError,
  toCodePoints,
  type AnalysisContext,
  type Analyzer,
  type DocumentPolicy,
  type ExplainedFinding,
  type Finding,
  type Profile,
} from '../detection/detection.ts';
import { createYielder, inSlices } from '../eventLoop.ts';
import type { Tenant } from '../ids.ts';
import { countEntities, type EntityCount } from '../pseudonymization/pseudonymization.ts';
import { readAnalyzeRequest, type AnalyzeRequest } from './analyzeRequest.ts';
import { createAskedPolicies } from './askedPolicy.ts';
import { presidioTypeOf, reportedTypeOf } from './entityTypes.ts';

export interface AnalyzeOptions {
  readonly analyzer: Analyzer;
  /** The analyzer without metrics: an explanation analyzes a text many times. */
  readonly uncountedAnalyzer: Analyzer;
  /** The policy in force. */
  readonly policy: () => DocumentPolicy;
  /** The profile of a policy without one. */
  readonly profile: Profile;
  readonly languages: readonly string[];
  /** Our types that the service finds. */
  readonly types: () => readonly string[];
}

/** An analyzer with the requests and answers of Presidio. */
export interface PresidioAnalyzer {
  /** @throws PresidioError | FieldError | DetectorUnavailableError | TooManyValuesError */
  analyze(body: unknown, call: AnalyzeCall): Promise<Analysis>;
  /** The types of results, by Presidio's names, in alphabetical order. */
  supportedEntities(): readonly string[];
}

/** For whom a text is analyzed. */
export interface AnalyzeCall {
  /** See `AnalysisContext.tenant`. */
  readonly tenant?: Tenant | undefined;
  readonly team: string | undefined;
  /** See `AnalysisContext.scope`. */
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

export interface Analysis {
  readonly answer: readonly PresidioResult[] | readonly (readonly PresidioResult[])[];
  /** What is reported, for metrics. Its types are ours, and {@link UNNAMED_TYPE}. */
  readonly counts: readonly EntityCount[];
}

/** A request chooses the types of its own recognizers, and metrics contain nothing that a caller chose. */
const UNNAMED_TYPE = 'AD_HOC';

/** Why a result is one, as Presidio's server sends it. The patterns of the service are no patterns of Python, and not sent. */
export interface PresidioExplanation {
  /** One of the names that `GET /recognizers` lists. */
  readonly recognizer: string;
  readonly original_score: number;
  /** The rule. */
  readonly pattern_name: string;
  readonly pattern: null;
  readonly validation_result: null;
  readonly textual_explanation: string;
  readonly regex_flags: null;
  readonly score: number;
  readonly score_context_improvement: number;
  /** The word next to the value among those that counted; empty: none did. */
  readonly supportive_context_word: string;
}

/** A result as Presidio's server sends it, in code points. */
export interface PresidioResult {
  readonly analysis_explanation: PresidioExplanation | null;
  readonly end: number;
  readonly entity_type: string;
  readonly score: number;
  readonly start: number;
}

export function createPresidioAnalyzer(options: AnalyzeOptions): PresidioAnalyzer {
  const { analyzer, uncountedAnalyzer, policy: service, profile, languages, types } = options;
  const policyOf = createAskedPolicies(profile);
  const findingsIn = async (
    text: string,
    context: AnalysisContext,
    budget: ExplanationBudget | undefined,
  ): Promise<readonly (Finding | ExplainedFinding)[]> => {
    if (budget) return (await explain(uncountedAnalyzer, text, context, budget)).findings;
    return (await analyzer.analyze([text], context))[0] ?? [];
  };
  const knownTypes = (): ReadonlySet<string> => new Set(types().flatMap((type) => [type, presidioTypeOf(type)]));
  return {
    async analyze(body, call) {
      const known = knownTypes();
      const request = readAnalyzeRequest(body, { languages, types: known });
      const yieldIfDue = createYielder();
      const policy = await inSlices(policyOf(service(), request), yieldIfDue);
      const budget = request.isExplained ? new ExplanationBudget() : undefined;
      const findings: Finding[] = [];
      const results: PresidioResult[][] = [];
      // One call for each text: a name in one of them says nothing about the others.
      for (const text of request.texts) {
        const found = /\S/.test(text) ? await findingsIn(text, { ...call, policy }, budget) : [];
        const reported = found.filter((finding) => isReported(text, finding, request));
        TooManyValuesError.check(findings.length + reported.length);
        findings.push(...reported);
        results.push(resultsOf(text, reported, request));
        await yieldIfDue();
      }
      return { answer: request.isBatch ? results : (results[0] ?? []), counts: countsOf(findings, request, known) };
    },
    supportedEntities: () => [...new Set(types().map(presidioTypeOf))].sort(),
  };
}

function isReported(
  text: string,
  { start, end, score }: Finding,
  { scoreThreshold, allowList }: AnalyzeRequest,
): boolean {
  return score >= scoreThreshold && !allowList.has(text.slice(start, end));
}

/** The name of what finds entities. Presidio has a recognizer for each type; ours share their work. */
export function recognizerOf(detector: string): string {
  if (detector === 'builtin') return 'BuiltinRecognizer';
  return detector === 'presidio' ? 'PresidioRecognizer' : 'PolicyRecognizer';
}

function explanationOf(text: string, finding: Finding | ExplainedFinding): PresidioExplanation | null {
  if (!('words' in finding)) return null;
  const { rule, score, detector, words, model, start } = finding;
  const near = words.findLast(({ end }) => end <= start) ?? words[0];
  const features = model?.features.map(({ name, weight }) => `${weight.toFixed(1)} ${name}`) ?? [];
  return {
    recognizer: recognizerOf(detector),
    original_score: score,
    pattern_name: rule,
    pattern: null,
    validation_result: null,
    textual_explanation: [`Found by the rule ${rule}`, ...features].join('; '),
    regex_flags: null,
    score,
    score_context_improvement: 0,
    supportive_context_word: near === undefined ? '' : text.slice(near.start, near.end),
  };
}

function resultsOf(
  text: string,
  findings: readonly (Finding | ExplainedFinding)[],
  { entities }: AnalyzeRequest,
): PresidioResult[] {
  const at = toCodePoints(text);
  return (
    findings
      .map((finding) => ({
        analysis_explanation: explanationOf(text, finding),
        end: at(finding.end),
        entity_type: reportedTypeOf(finding.type, entities),
        score: finding.score,
        start: at(finding.start),
      }))
      // Presidio's order. Results do not overlap, so two of them never begin at the same place.
      .sort((a, b) => b.score - a.score || a.start - b.start)
  );
}

function countsOf(
  findings: readonly Finding[],
  { recognizers }: AnalyzeRequest,
  known: ReadonlySet<string>,
): EntityCount[] {
  const isUnnamed = (type: string): boolean => !known.has(type) && recognizers.some((own) => own.type === type);
  return countEntities(
    findings.map(({ type, detector, action }) => ({ type: isUnnamed(type) ? UNNAMED_TYPE : type, detector, action })),
  );
}
