/** The stages of a request, in the order in which {@link file://./guard.ts} runs them. */
import { TooManyValuesError, type Analyzer, type EntityType, type Finding } from '../detection/detection.ts';
import { visitMessages, visitTools, type TextKind } from '../messages/messages.ts';
import { createYielder, inSlices, type Steps } from '../eventLoop.ts';
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
  await inSlices(
    rewritingTexts(document, (text, kind) => {
      texts.set(text, kind, { text, kind });
      return text;
    }),
    yieldIfDue,
  );
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
  { identity, share = identity.tenant, signal, policy, stricter }: CallContext,
): Promise<AnalyzedRequest> {
  const yieldIfDue = createYielder();
  const texts = await inSlices(distinctTexts(parsed, imageTexts ?? []), yieldIfDue);
  const analysis = {
    ...{ team: identity.team, signal, policy, scope: scopeOf(identity), tenant: share },
    ...(stricter && { stricter }),
  };
  const lists = texts.length > 0 ? await analyzer.analyze(texts, analysis) : [];
  const byText = await inSlices(findingsByText(texts, lists), yieldIfDue);
  const findingsOf = (text: string): readonly Finding[] => byText.get(text) ?? [];
  const assigned = await inSlices(assigningFindings(parsed, findingsOf), yieldIfDue);
  return { ...assigned, imageFindings: imageTexts?.map(findingsOf) };
}

/** The texts that detectors read, each once. */
function* distinctTexts(parsed: readonly ParsedText[], imageTexts: readonly string[]): Steps<string[]> {
  const texts = new Set<string>();
  const add = (text: string): void => {
    if (/\S/.test(text)) texts.add(text);
  };
  for (const one of parsed) {
    textsToAnalyze(one).forEach(add);
    yield;
  }
  imageTexts.forEach(add);
  return [...texts];
}

function* findingsByText(
  texts: readonly string[],
  lists: readonly (readonly Finding[])[],
): Steps<Map<string, readonly Finding[]>> {
  const byText = new Map<string, readonly Finding[]>();
  for (const [index, text] of texts.entries()) {
    byText.set(text, lists[index] ?? []);
    yield;
  }
  return byText;
}

function* assigningFindings(
  parsed: readonly ParsedText[],
  findingsOf: (text: string) => readonly Finding[],
): Steps<Pick<AnalyzedRequest, 'texts' | 'findings'>> {
  // A text of two kinds was analyzed once, so its findings count once.
  const distinct = new Map<string, readonly Finding[]>();
  const texts: AnalyzedText[] = [];
  for (const one of parsed) {
    const { findings, source } = one.kind === 'identifier' ? identifiedText(one) : analyzedText(one, findingsOf);
    distinct.set(one.text, findings);
    texts.push(source);
    yield;
  }
  const findings: Finding[] = [];
  for (const list of distinct.values()) for (const finding of list) findings.push(finding);
  return { texts, findings };
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

export async function rewriteRequest(
  document: RequestDocument,
  edits: readonly TextEdits[],
  assignment: PseudonymAssignment,
): Promise<RequestDocument> {
  return inSlices(rewriting(document, edits, assignment));
}

function* rewriting(
  document: RequestDocument,
  edits: readonly TextEdits[],
  assignment: PseudonymAssignment,
): Steps<RequestDocument> {
  const rewritten = new ByText<string>();
  for (const one of edits) {
    yield;
    const { text, kind } = one;
    const isChanged = one.edits.length > 0;
    rewritten.set(text, kind, isChanged ? applyEdits(text, one.edits, (edit) => assignment.pseudonymOf(edit)) : text);
  }
  return yield* rewritingTexts(document, (text, kind) => {
    const result = rewritten.get(text, kind);
    if (result === undefined) throw new Error('A text of the request was not analyzed.');
    return result;
  });
}

/** Replaces each text of a request, in steps. */
export function* rewritingTexts(
  { texts, passages, structuredMessages, tools, toolCalls }: RequestDocument,
  text: (text: string, kind: TextKind) => string,
): Steps<RequestDocument> {
  return {
    texts: yield* mapping(texts, (one) => text(one, 'text')),
    ...(passages && {
      passages: yield* mapping(passages, ({ text: one, kind }) => ({ text: text(one, kind), kind })),
    }),
    ...(structuredMessages && {
      structuredMessages: (yield* mapping(structuredMessages, (message) =>
        visitMessages([message], { text }, 'structured_messages'),
      )).flat(),
    }),
    ...(tools && { tools: (yield* mapping(tools, (tool) => visitTools([tool], { text }))).flat() }),
    ...(toolCalls && {
      toolCalls: (yield* mapping(toolCalls, (call) => visitMessages([call], { text }, 'tool_calls'))).flat(),
    }),
  };
}

/** Maps the items of a list, each in a step. */
function* mapping<A, B>(items: readonly A[], map: (item: A) => B): Steps<B[]> {
  const mapped: B[] = [];
  for (const item of items) {
    mapped.push(map(item));
    yield;
  }
  return mapped;
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
