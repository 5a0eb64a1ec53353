/** The stages of a request, in the order in which {@link file://./guard.ts} runs them. */
import {
  TooManyValuesError,
  type AllowedPlace,
  type Analyzer,
  type EntityType,
  type Finding,
} from '../detection/detection.ts';
import { createYielder, inSlices, type Steps } from '../eventLoop.ts';
import type { ParsedJson } from '../messages/messages.ts';
import type { PseudonymAssignment } from './assignment.ts';
import { blockedReasonFor } from './blocked.ts';
import { ByMessage, ByText } from './byText.ts';
import type { CallContext, CallIdentity, EntityCount, RequestDocument, RequestOutcome } from './contract.ts';
import { rewritingTexts } from './documentTexts.ts';
import {
  analyzedText,
  applyEdits,
  identifiedText,
  planEdits,
  readingOf,
  textsToAnalyze,
  NOTHING_FOUND,
  type AnalyzedText,
  type FoundInText,
  type ParsedText,
  type TextEdits,
} from './edits.ts';
import { BEFORE_ALL, type MessageNumbers } from './messageNumbers.ts';
import { collectValues, type Found } from './occurrences.ts';
import type { PseudonymSyntax } from './syntax.ts';

/** A request whose messages have numbers. */
interface NumberedRequest extends RequestDocument {
  readonly numbers: MessageNumbers;
}

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

/**
 * Parses the JSON in the texts of a request.
 * @returns each text once for each message that contains it, in the order of the messages
 */
export async function parse(document: NumberedRequest): Promise<ParsedText[]> {
  const yieldIfDue = createYielder();
  const texts = new ByMessage<Omit<ParsedText, 'parsed'>>();
  await inSlices(
    rewritingTexts(document, (text, kind, message) => {
      texts.set(message, text, kind, { text, message, kind });
      return text;
    }),
    yieldIfDue,
  );
  const readings = new ByText<ParsedJson>();
  const parsed: ParsedText[] = [];
  for (const one of texts.values()) {
    const { text, kind } = one;
    const read = readings.get(text, kind) ?? inSlices(readingOf(text, kind), yieldIfDue);
    const reading = read instanceof Promise ? await read : read;
    readings.set(text, kind, reading);
    parsed.push({ ...one, parsed: reading });
  }
  return parsed;
}

export async function analyze(
  parsed: readonly ParsedText[],
  { imageTexts, numbers }: Pick<NumberedRequest, 'imageTexts' | 'numbers'>,
  analyzer: Analyzer,
  { identity, share = identity.tenant, signal, policy, stricter }: CallContext,
): Promise<AnalyzedRequest> {
  const yieldIfDue = createYielder();
  const inImages = imageTexts?.map(({ text }, at) => ({ text, message: numbers.imageTexts[at] ?? BEFORE_ALL }));
  const texts = await inSlices(distinctTexts(parsed, inImages ?? []), yieldIfDue);
  const spared: (readonly AllowedPlace[])[] = [];
  const analysis = {
    spared,
    ...{ team: identity.team, signal, policy, scope: scopeOf(identity), tenant: share },
    messages: texts.map(({ message }) => message),
    ...(stricter && { stricter }),
  };
  const lists =
    texts.length > 0
      ? await analyzer.analyze(
          texts.map(({ text }) => text),
          analysis,
        )
      : [];
  const found = await inSlices(findingsByMessage(texts, lists, spared), yieldIfDue);
  const assigned = await inSlices(assigningFindings(parsed, found), yieldIfDue);
  return {
    ...assigned,
    imageFindings: inImages?.map(({ text, message }) => found.get(message)?.get(text)?.findings ?? []),
  };
}

type MessageText = Pick<ParsedText, 'text' | 'message'>;
/** What is found in each text of each message. */
type MessageFindings = ReadonlyMap<number, ReadonlyMap<string, FoundInText>>;

/** The texts that detectors read, each once for each message, in the order of the messages. */
function* distinctTexts(parsed: readonly ParsedText[], inImages: readonly MessageText[]): Steps<MessageText[]> {
  const messages = new Map<number, Set<string>>();
  const add = ({ text, message }: MessageText): void => {
    if (!/\S/.test(text)) return;
    const texts = messages.get(message);
    if (texts) texts.add(text);
    else messages.set(message, new Set([text]));
  };
  for (const one of parsed) {
    const { message } = one;
    for (const text of textsToAnalyze(one)) add({ text, message });
    yield;
  }
  inImages.forEach(add);
  const inOrder = [...messages].sort(([a], [b]) => a - b);
  return inOrder.flatMap(([message, texts]) => Array.from(texts, (text) => ({ text, message })));
}

function* findingsByMessage(
  texts: readonly MessageText[],
  lists: readonly (readonly Finding[])[],
  spared: readonly (readonly AllowedPlace[])[],
): Steps<MessageFindings> {
  const messages = new Map<number, Map<string, FoundInText>>();
  for (const [index, { text, message }] of texts.entries()) {
    const found = messages.get(message) ?? new Map<string, FoundInText>();
    messages.set(message, found.set(text, { findings: lists[index] ?? [], spared: spared[index] ?? [] }));
    yield;
  }
  return messages;
}

function* assigningFindings(
  parsed: readonly ParsedText[],
  found: MessageFindings,
): Steps<Pick<AnalyzedRequest, 'texts' | 'findings'>> {
  // A text of two kinds was analyzed once, so its findings count once.
  const distinct = new ByMessage<readonly Finding[]>();
  const texts: AnalyzedText[] = [];
  for (const one of parsed) {
    const foundIn = (text: string): FoundInText => found.get(one.message)?.get(text) ?? NOTHING_FOUND;
    const { findings, source } = one.kind === 'identifier' ? identifiedText(one) : analyzedText(one, foundIn);
    distinct.set(one.message, one.text, 'text', findings);
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
  { labels, lookAlikes }: PseudonymSyntax,
  { isPseudonymized = false }: Pick<CallContext, 'isPseudonymized'>,
): Promise<TextEdits[]> {
  const yieldIfDue = createYielder();
  const collected = collectValues(findingsIn(texts), yieldIfDue);
  const values = collected instanceof Promise ? await collected : collected;
  const all: TextEdits[] = [];
  let count = 0;
  for (const one of texts) {
    const { text, message, kind } = one;
    const plan = planEdits(one, values, labels.labelOf, isPseudonymized ? undefined : lookAlikes);
    const planned = inSlices(plan, yieldIfDue);
    const edits = planned instanceof Promise ? await planned : planned;
    count += edits.length;
    TooManyValuesError.check(count);
    all.push({ text, message, kind, edits });
  }
  return all;
}

function* findingsIn(texts: readonly AnalyzedText[]): Generator<{ text: string; message: number; place: Found }> {
  for (const { message, parsed, found } of texts) {
    for (const [index, { text }] of parsed.segments.entries()) {
      for (const place of found[index] ?? []) yield { text, message, place };
    }
  }
}

export async function rewriteRequest(
  document: NumberedRequest,
  edits: readonly TextEdits[],
  assignment: PseudonymAssignment,
): Promise<RequestDocument> {
  return inSlices(rewriting(document, edits, assignment));
}

function* rewriting(
  document: NumberedRequest,
  edits: readonly TextEdits[],
  assignment: PseudonymAssignment,
): Steps<RequestDocument> {
  const rewritten = new ByMessage<string>();
  for (const one of edits) {
    yield;
    const { text, message, kind } = one;
    const isChanged = one.edits.length > 0;
    const result = isChanged ? applyEdits(text, one.edits, (edit) => assignment.pseudonymOf(edit)) : text;
    rewritten.set(message, text, kind, result);
  }
  return yield* rewritingTexts(document, (text, kind, message) => {
    const result = rewritten.get(message, text, kind);
    if (result === undefined) throw new Error('A text of the request was not analyzed.');
    return result;
  });
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
