/** The stages of a request, in the order in which {@link file://./guard.ts} runs them. */
import { TooManyValuesError, type Analyzer, type EntityType, type Finding } from '../detection/detection.ts';
import { visitMessages, visitTools, type TextKind } from '../messages/messages.ts';
import { createYielder, inSlices } from '../eventLoop.ts';
import type { PseudonymAssignment } from './assignment.ts';
import { blockedReasonFor } from './blocked.ts';
import { ByText } from './byText.ts';
import type { CallContext, CallIdentity, EntityCount, RequestDocument, RequestOutcome } from './contract.ts';
import {
  analyzedText,
  applyEdits,
  identifiedText,
  planEdits,
  readingOf,
  textsToAnalyze,
  type AnalyzedText,
  type ParsedText,
  type TextEdits,
} from './edits.ts';
import { collectValues, type Found } from './occurrences.ts';
import type { PseudonymSyntax } from './syntax.ts';

interface AnalyzedRequest {
  readonly texts: readonly AnalyzedText[];
  readonly findings: readonly Finding[];
  /** The findings in each of `imageTexts`; undefined if the request has none. */
  readonly imageFindings: readonly (readonly Finding[])[] | undefined;
}

interface Decision {
  readonly texts: readonly AnalyzedText[];
  readonly report: Pick<RequestOutcome, 'entities' | 'imageFindings'>;
  /** Set if the policy blocks the request. */
  readonly blockedReason: string | undefined;
}

/** Parses the JSON in the texts of a request. Returns each text once, however often it occurs. */
export async function parse(document: RequestDocument): Promise<ParsedText[]> {
  const yieldIfDue = createYielder();
  const texts = new ByText<Pick<ParsedText, 'text' | 'kind'>>();
  rewriteTexts(document, (text, kind) => {
    texts.set(text, kind, { text, kind });
    return text;
  });
  const parsed: ParsedText[] = [];
  for (const { text, kind } of texts.values()) {
    const read = inSlices(readingOf(text, kind), yieldIfDue);
    parsed.push(read instanceof Promise ? await read : read);
  }
  return parsed;
}

export async function analyze(
  parsed: readonly ParsedText[],
  imageTexts: readonly string[] | undefined,
  analyzer: Analyzer,
  { identity, signal, policy, stricter }: CallContext,
): Promise<AnalyzedRequest> {
  const toAnalyze = new Set<string>();
  for (const one of parsed) for (const text of textsToAnalyze(one)) toAnalyze.add(text);
  for (const text of imageTexts ?? []) toAnalyze.add(text);
  const texts = [...toAnalyze].filter((text) => /\S/.test(text));
  const analysis = { team: identity.team, signal, policy, scope: scopeOf(identity), ...(stricter && { stricter }) };
  const lists = texts.length > 0 ? await analyzer.analyze(texts, analysis) : [];
  const byText = new Map(texts.map((text, index) => [text, lists[index] ?? []]));
  const findingsOf = (text: string): readonly Finding[] => byText.get(text) ?? [];
  // A text of two kinds was analyzed once, so its findings count once.
  const distinct = new Map<string, readonly Finding[]>();
  const analyzed = parsed.map((one) => {
    const { findings, source } = one.kind === 'identifier' ? identifiedText(one) : analyzedText(one, findingsOf);
    distinct.set(one.text, findings);
    return source;
  });
  const findings: Finding[] = [];
  for (const list of distinct.values()) for (const finding of list) findings.push(finding);
  return { texts: analyzed, findings, imageFindings: imageTexts?.map(findingsOf) };
}

/** The callers that share what detection remembers: those of a team, or of a key that belongs to none. */
function scopeOf({ tenant, team, keyHash }: CallIdentity): string | undefined {
  if (team) return JSON.stringify([tenant, 'team', team]);
  return keyHash ? JSON.stringify([tenant, 'key', keyHash]) : undefined;
}

/** Decides whether the findings block the request. No other function does. */
export function decide({ texts, findings, imageFindings }: AnalyzedRequest): Decision {
  const blocked = blockedTypes([...findings, ...(imageFindings ?? []).flat()]);
  return {
    texts,
    report: { entities: countEntities(findings), ...(imageFindings && { imageFindings }) },
    blockedReason: blocked.length > 0 ? blockedReasonFor(blocked) : undefined,
  };
}

export async function editsOf(
  texts: readonly AnalyzedText[],
  { labels, grammar }: PseudonymSyntax,
  { isPseudonymized = false }: Pick<CallContext, 'isPseudonymized'>,
): Promise<TextEdits[]> {
  const yieldIfDue = createYielder();
  const collected = collectValues(findingsIn(texts), yieldIfDue);
  const values = collected instanceof Promise ? await collected : collected;
  const all: TextEdits[] = [];
  let count = 0;
  for (const one of texts) {
    const { text, kind } = one;
    const plan = planEdits(one, values, labels.labelOf, isPseudonymized ? undefined : grammar);
    const planned = inSlices(plan, yieldIfDue);
    const edits = planned instanceof Promise ? await planned : planned;
    count += edits.length;
    TooManyValuesError.check(count);
    all.push({ text, kind, edits });
  }
  return all;
}

function* findingsIn(texts: readonly AnalyzedText[]): Generator<{ text: string; place: Found }> {
  for (const { parsed, found } of texts) {
    for (const [index, { text }] of parsed.segments.entries()) {
      for (const place of found[index] ?? []) yield { text, place };
    }
  }
}

export function rewriteRequest(
  document: RequestDocument,
  edits: readonly TextEdits[],
  assignment: PseudonymAssignment,
): RequestDocument {
  const rewritten = new ByText<string>();
  for (const one of edits) {
    const { text, kind } = one;
    const isChanged = one.edits.length > 0;
    rewritten.set(text, kind, isChanged ? applyEdits(text, one.edits, (edit) => assignment.pseudonymOf(edit)) : text);
  }
  return rewriteTexts(document, (text, kind) => {
    const result = rewritten.get(text, kind);
    if (result === undefined) throw new Error('A text of the request was not analyzed.');
    return result;
  });
}

function rewriteTexts(
  { texts, passages, structuredMessages, tools, toolCalls }: RequestDocument,
  text: (text: string, kind: TextKind) => string,
): RequestDocument {
  return {
    texts: texts.map((one) => text(one, 'text')),
    ...(passages && { passages: passages.map(({ text: one, kind }) => ({ text: text(one, kind), kind })) }),
    ...(structuredMessages && {
      structuredMessages: visitMessages(structuredMessages, { text }, 'structured_messages'),
    }),
    ...(tools && { tools: visitTools(tools, { text }) }),
    ...(toolCalls && { toolCalls: visitMessages(toolCalls, { text }, 'tool_calls') }),
  };
}

/** Counts findings by type, detector and action. */
export function countEntities(findings: readonly Pick<Finding, 'type' | 'detector' | 'action'>[]): EntityCount[] {
  const counts = new Map<string, EntityCount & { count: number }>();
  for (const { type, detector, action } of findings) {
    const key = `${type}
${detector}
${action}`;
    const count = counts.get(key);
    if (count) count.count++;
    else counts.set(key, { type, detector, action, count: 1 });
  }
  return [...counts.values()];
}

function blockedTypes(findings: readonly Finding[]): EntityType[] {
  const types = findings.flatMap((finding) => (finding.action === 'block' ? finding.type : []));
  return [...new Set(types)].sort();
}
