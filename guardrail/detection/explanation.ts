/** Explains what an analyzer finds in a text, and what it leaves. */
import type { AnalysisContext, Analyzer, Finding } from './contract.ts';
import { Trace, type Dropped, type ModelEvidence } from './trace.ts';

/** A part of a text, in UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A find, and why it is one. */
export interface ExplainedFinding extends Finding {
  /**
   * The words around the value without which it would not be found, or with a lower score, or by another rule: labels, keywords,
   * column headers, titles, and other words that the model reads. If there are none, the words of which each alone suffices.
   */
  readonly words: readonly TextRange[];
  /** Undefined: the model did not decide. */
  readonly model: ModelEvidence | undefined;
}

export interface Explanation {
  /** The same as without an explanation. */
  readonly findings: readonly ExplainedFinding[];
  /** The candidates that are no find, in the order of the text. */
  readonly dropped: readonly (Dropped & { readonly model: ModelEvidence | undefined })[];
}

/** The most analyses of parts of texts for one call: each takes about a millisecond. */
const MOST_ANALYSES = 400;
/** The text around a value in which words are left out, in UTF-16 code units. */
const BEFORE = 600;
const AFTER = 300;
/** The same before a value in a column, whose header is searched. */
const BEFORE_COLUMN = 8_000;
/** How many words on each side of a value, and of the header of its column, are left out one by one. */
const WORDS_BEFORE = 10;
const WORDS_AFTER = 4;
const WORDS_OF_HEADER = 16;
/** A word counts if the score falls by so much without it. */
const LEAST_LOSS = 0.05;

const word = /[\p{L}\p{M}\p{N}_]+/gu;

/** How many analyses the explanations of one call may still take. Without any, finds have no words. */
export class ExplanationBudget {
  private left = MOST_ANALYSES;

  isSpent(): boolean {
    return this.left <= 0;
  }

  take(): void {
    this.left--;
  }
}

/**
 * Analyzes a text, and explains each find and each dropped candidate. Takes many times as long as the analysis alone.
 * @param budget that of the call, if it has several texts
 * @throws DetectorUnavailableError | TooManyValuesError
 */
export async function explain(
  analyzer: Analyzer,
  text: string,
  context: AnalysisContext,
  budget = new ExplanationBudget(),
): Promise<Explanation> {
  const trace = new Trace();
  // Without its scope, nothing of the explanation is remembered.
  const [findings = []] = await analyzer.analyze([text], { ...context, scope: undefined, trace });
  const modelOf = ({ start, end, rule }: TextRange & Pick<Dropped, 'rule'>): ModelEvidence | undefined =>
    rule.startsWith('model.') ? trace.model.find((each) => each.start < end && each.end > start) : undefined;
  const analyzed = async (changed: string): Promise<readonly Finding[]> => {
    budget.take();
    const [found = []] = await analyzer.analyze([changed], { ...context, scope: undefined, isLocal: true });
    return found;
  };
  const explained: ExplainedFinding[] = [];
  for (const finding of findings) {
    const words = budget.isSpent() ? [] : await wordsOf(text, finding, { findings, analyzed, budget });
    explained.push({ ...finding, words, model: modelOf(finding) });
  }
  return {
    findings: explained,
    dropped: distinct(trace.dropped).map((each) => ({ ...each, model: modelOf(each) })),
  };
}

/** Each dropped candidate once, for its first reason, in the order of the text. */
function distinct(dropped: readonly Dropped[]): Dropped[] {
  const first = new Map<string, Dropped>();
  for (const each of dropped) {
    const key = `${each.start} ${each.end} ${each.type} ${each.rule}`;
    if (!first.has(key)) first.set(key, each);
  }
  return [...first.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

interface Experiment {
  readonly findings: readonly Finding[];
  readonly analyzed: (text: string) => Promise<readonly Finding[]>;
  readonly budget: ExplanationBudget;
}

/**
 * The words that counted for a find: those without which the find is another one, or else those of which each alone suffices.
 */
async function wordsOf(
  text: string,
  finding: Finding,
  { findings, analyzed, budget }: Experiment,
): Promise<TextRange[]> {
  if (finding.rule === 'repetition') return otherPlace(text, finding, findings);
  // Values of policies and of servers are found as they are.
  if (finding.detector === 'deny-list' || finding.detector === 'presidio') return [];
  const from = Math.max(0, finding.start - (finding.rule.startsWith('column') ? BEFORE_COLUMN : BEFORE));
  const part = text.slice(from, finding.end + AFTER);
  const isSame = (found: Finding): boolean =>
    found.start + from === finding.start &&
    found.end + from === finding.end &&
    found.type === finding.type &&
    found.rule === finding.rule &&
    found.score >= finding.score - LEAST_LOSS;
  // Outside of its surroundings, the value may be none.
  if (!(await analyzed(part)).some(isSame)) return [];
  const near = wordsAround(part, { start: finding.start - from, end: finding.end - from }, finding.rule);
  const isFoundWithout = async (left: readonly TextRange[]): Promise<boolean> =>
    (await analyzed(without(part, left))).some(isSame);
  const inText = ({ start, end }: TextRange): TextRange => ({ start: start + from, end: end + from });
  const needed: TextRange[] = [];
  for (const one of near) if (!budget.isSpent() && !(await isFoundWithout([one]))) needed.push(one);
  if (needed.length > 0 || budget.isSpent() || (await isFoundWithout(near))) return needed.map(inText);
  // Several words suffice, each alone.
  const sufficient: TextRange[] = [];
  for (const one of near)
    if (!budget.isSpent() && (await isFoundWithout(near.filter((each) => each !== one)))) sufficient.push(one);
  return sufficient.map(inText);
}

/** A text of the same length in which words have no meaning. */
function without(text: string, words: readonly TextRange[]): string {
  let changed = '';
  let at = 0;
  for (const { start, end } of words) {
    changed += text.slice(at, start) + 'x'.repeat(end - start);
    at = end;
  }
  return changed + text.slice(at);
}

/** The words near a value, and those of the header of its column. */
function wordsAround(text: string, value: TextRange, rule: string): TextRange[] {
  const all = Array.from(text.matchAll(word), ({ 0: { length }, index }) => ({ start: index, end: index + length }));
  const before = all.filter(({ end }) => end <= value.start);
  const header = rule.startsWith('column') ? before.slice(0, WORDS_OF_HEADER) : [];
  const near = before.slice(-WORDS_BEFORE).filter((each) => !header.includes(each));
  return [...header, ...near, ...all.filter(({ start }) => start >= value.end).slice(0, WORDS_AFTER)];
}

/** Where the name is found of which a find is a repetition. */
function otherPlace(text: string, { start, end }: Finding, findings: readonly Finding[]): TextRange[] {
  const value = text.slice(start, end).toLowerCase();
  const other = findings.find(
    (each) => each.rule !== 'repetition' && text.slice(each.start, each.end).toLowerCase().includes(value),
  );
  return other === undefined ? [] : [{ start: other.start, end: other.end }];
}

/** The candidates and finds at a word of a text, each place of it. */
export function atWord<P extends TextRange>(text: string, searched: string, places: readonly P[]): P[] {
  const ranges: TextRange[] = [];
  for (let at = text.indexOf(searched); at >= 0 && searched !== ''; at = text.indexOf(searched, at + 1))
    ranges.push({ start: at, end: at + searched.length });
  return places.filter(({ start, end }) => ranges.some((range) => range.start < end && range.end > start));
}
