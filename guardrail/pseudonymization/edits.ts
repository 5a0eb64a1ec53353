import { withoutAllowed, type AllowedPlace, type EntityType, type Finding } from '../detection/detection.ts';
import { createStepCounter, type Steps } from '../eventLoop.ts';
import type { Pseudonym } from '../ids.ts';
import { escapeJson, parsingJsonIn, unescapeJson, type ParsedJson, type TextKind } from '../messages/messages.ts';
import type { Grammar } from './grammar.ts';
import { countedFindings, inKey, isKeyIn, keyOccurrence } from './keys.ts';
import { LITERAL, type Label } from './labels.ts';
import { occurrencesIn, findingsInSegments, placesInSegments, type Found, type Values } from './occurrences.ts';
import { matchesIn } from './scan.ts';
import { depthOf, isPlain, NO_CONTEXT, readingContexts, writeIn, type Context } from './contexts.ts';
import { encodeStored, type Stored } from './encoding.ts';

/** The type of an identifier's pseudonym. */
const IDENTIFIER_TYPE: EntityType = 'USERNAME';

/** One text of a message of a request, and the JSON in it. */
export interface ParsedText {
  readonly text: string;
  /** The number of its message: see {@link file://./messageNumbers.ts}. */
  readonly message: number;
  readonly kind: TextKind;
  readonly parsed: ParsedJson;
}

/** The edits of one text of a message. */
export interface TextEdits {
  readonly text: string;
  readonly message: number;
  readonly kind: TextKind;
  readonly edits: readonly Edit[];
}

export interface AnalyzedText extends ParsedText {
  /** The findings in each segment. */
  readonly found: readonly (readonly Found[])[];
  /** The places of allowed values in each segment, in which nothing is replaced. */
  readonly spared: readonly (readonly AllowedPlace[])[];
}

/** What an analysis finds in a text, and where it must stay as it is. */
export interface FoundInText {
  readonly findings: readonly Finding[];
  readonly spared: readonly AllowedPlace[];
}

export const NOTHING_FOUND: FoundInText = { findings: [], spared: [] };

/**
 * How a pseudonym is written at one place. The bracket defines how the restore step writes the value there: `escaped`
 * (`\u003c`) means in ASCII; `number` (a string with [ and ]) means as a JSON number.
 */
type WrittenForm = { readonly kind: 'plain' } | { readonly kind: 'escaped' | 'number'; readonly depth: number };

/** A part of a text that a pseudonym replaces. */
export interface Edit {
  /** The pseudonym that the client's text looks like. */
  readonly looksLike: Pseudonym | undefined;
  readonly start: number;
  readonly end: number;
  readonly label: Label;
  /** Encoded: see encoding.ts. */
  readonly stored: string;
  readonly form: WrittenForm;
}

/** Splits a text at the JSON in it. An identifier is one value, whatever it contains. */
export function* readingOf(text: string, kind: TextKind): Steps<ParsedJson> {
  if (kind !== 'identifier' && kind !== 'key') return yield* parsingJsonIn(text);
  const whole = { start: 0, end: text.length, kind: 'text', depth: 0, text, isKey: kind === 'key' } as const;
  return { segments: [whole], decoded: [] };
}

/** Assigns the findings of a text, and of its decoded JSON strings, to its segments. Findings are sorted by start. */
export function analyzedText(
  read: ParsedText,
  foundIn: (text: string) => FoundInText,
): { readonly source: AnalyzedText; readonly findings: readonly Finding[] } {
  const { text, parsed } = read;
  const decoded = parsed.decoded.map((string) => {
    const moved = <P extends { readonly start: number; readonly end: number }>(place: P): P => {
      const at = (offset: number): number => string.offsets[offset] ?? text.length;
      return { ...place, start: at(place.start), end: at(place.end) };
    };
    const { findings, spared } = foundIn(string.text);
    return { findings: findings.map(moved), spared: spared.map(moved) };
  });
  const own = foundIn(text);
  const spared = [...own.spared, ...decoded.flatMap((string) => string.spared)];
  const inDecoded = decoded.flatMap(({ findings }) => findings);
  if (inDecoded.length === 0) return assigned(read, own.findings, spared);
  // Values without escapes are found in both texts.
  const byPlace = new Map(
    [...own.findings, ...inDecoded].map((finding) => [`${finding.start} ${finding.end} ${finding.type}`, finding]),
  );
  return assigned(
    read,
    [...byPlace.values()].sort((a, b) => a.start - b.start),
    spared,
  );
}

/** Assigns findings to segments. Names of properties have none but values of exact form. */
function assigned(
  read: ParsedText,
  all: readonly Finding[],
  allowed: readonly AllowedPlace[],
): { readonly source: AnalyzedText; readonly findings: readonly Finding[] } {
  const { kind, parsed } = read;
  const findings = countedFindings(kind, parsed.segments, all);
  const spared = placesInSegments(
    parsed.segments,
    allowed.toSorted((a, b) => a.start - b.start),
  );
  const found = findingsInSegments(parsed.segments, findings).map((places, index) => {
    const segment = parsed.segments[index];
    if (!segment) return places;
    const rest = withoutAllowed(segment.text, places, spared[index] ?? []);
    return isKeyIn(kind, segment) ? inKey(segment, rest) : rest;
  });
  return { findings, source: { ...read, found, spared } };
}

/** An identifier is hidden whatever detectors and policies say, and only where it stands: it can be an ordinary word. */
export function identifiedText(read: ParsedText): {
  readonly source: AnalyzedText;
  readonly findings: readonly Finding[];
} {
  const place = { start: 0, end: read.text.length, type: IDENTIFIER_TYPE, score: 1 };
  return {
    source: { ...read, found: [[{ ...place, whole: false }]], spared: [] },
    findings: [{ ...place, detector: 'builtin', rule: 'identifier', action: 'pseudonymize' }],
  };
}

/** The texts to analyze: the text itself, which gives context, and its JSON strings with escapes decoded. */
export function textsToAnalyze({ text, kind, parsed }: ParsedText): string[] {
  if (kind === 'identifier') return [];
  return [text, ...parsed.decoded.map((string) => string.text)];
}

/**
 * The edits of a text, in order and disjoint: values, and client text that looks like a pseudonym.
 * @param grammar undefined: text that looks like a pseudonym stays
 */
export function* planEdits(
  source: AnalyzedText,
  values: Values,
  labelOf: (type: EntityType) => Label,
  grammar: Grammar | undefined,
): Steps<Edit[]> {
  const { text, kind, message } = source;
  const targets: Target[] = [];
  const isStep = createStepCounter();
  for (const [index, segment] of source.parsed.segments.entries()) {
    if (isStep(segment.text.length)) yield;
    const place = (at: number): number => segment.offsets?.[at] ?? segment.start + at;
    const quoteDepth = segment.kind === 'number' && isJson(kind) ? segment.depth : undefined;
    const found = source.found[index] ?? [];
    const occurrences = isKeyIn(kind, segment)
      ? keyOccurrence(segment, found, values, message)
      : yield* occurrencesIn(segment, found, values, { message, spared: source.spared[index] ?? [] });
    for (const { start, end, type } of occurrences) {
      targets.push({ start: place(start), end: place(end), label: labelOf(type), quoteDepth, looksLike: undefined });
    }
  }
  // A pseudonym in a thought was written by the model: see TextKind.
  const all = kind === 'thought' || !grammar ? targets : yield* withLookAlikes(text, targets, grammar);
  const contexts = yield* contextsOf(text, all);
  return all.map((target, index) => {
    const { start, end, label, looksLike } = target;
    const { stored, form } = encodingOf(source, target, contexts?.[index] ?? NO_CONTEXT);
    return { start, end, label, looksLike, stored: encodeStored(stored), form };
  });
}

const isJson = (kind: TextKind): boolean => kind === 'arguments' || kind === 'fields';

interface Target {
  readonly start: number;
  readonly end: number;
  readonly label: Label;
  /** For a number that becomes a JSON string: its depth of JSON strings. */
  readonly quoteDepth: number | undefined;
  readonly looksLike: Pseudonym | undefined;
}

/**
 * Adds the client's text that looks like a pseudonym as values, so that it is restored as typed even if the session knows
 * that pseudonym, now or later. Searches only between the targets, because no form reaches across a pseudonym (see
 * grammar.ts).
 */
function* withLookAlikes(text: string, targets: readonly Target[], grammar: Grammar): Steps<Target[]> {
  const all: Target[] = [];
  const isStep = createStepCounter();
  let from = 0;
  for (const target of [...targets, undefined]) {
    const gap = text.slice(from, target?.start);
    if (isStep(gap.length)) yield;
    for (const { start, end, pseudonym } of yield* matchesIn(grammar, gap)) {
      const place = { start: from + start, end: from + end };
      all.push({ ...place, label: LITERAL, quoteDepth: undefined, looksLike: pseudonym });
    }
    if (!target) break;
    all.push(target);
    from = target.end;
  }
  return all;
}

/** The context in which an answer restores each pseudonym. Undefined: every context writes the values alike. */
function* contextsOf(text: string, targets: readonly Target[]): Steps<Context[] | undefined> {
  if (targets.every(({ start, end }) => isPlain(text.slice(start, end)))) return undefined;
  const places: number[] = [];
  let outgoing = '';
  let from = 0;
  for (const { start, end, quoteDepth } of targets) {
    const quote = quoteDepth === undefined ? '' : escapeJson('"', quoteDepth);
    outgoing += text.slice(from, start) + quote;
    places.push(outgoing.length);
    outgoing += `<X>${quote}`;
    from = end;
  }
  return yield* readingContexts(outgoing + text.slice(from), places);
}

/** Maximum depth of the escaped form: the grammar accepts at most 4 backslashes. */
const MAX_ESCAPED_DEPTH = 3;

function encodingOf(
  { text, kind }: AnalyzedText,
  target: Target,
  context: Context,
): { stored: Stored; form: WrittenForm } {
  const { start, end, quoteDepth } = target;
  const raw = text.slice(start, end);
  const plain: WrittenForm = { kind: 'plain' };
  if (quoteDepth !== undefined)
    return { stored: { kind: 'value', value: raw }, form: { kind: 'number', depth: quoteDepth } };
  const depth = depthOf(context);
  if (isPlain(raw) || (depth === 0 && writeIn(context, raw) === raw))
    return { stored: { kind: 'value', value: raw }, form: plain };
  if (depth === 0) return { stored: { kind: 'spelled', raw, context }, form: plain };
  const value = unescapeJson(raw, depth);
  if (value === undefined) return { stored: { kind: 'spelled', raw, context }, form: plain };
  if (escapeJson(value, depth) === raw) return { stored: { kind: 'value', value }, form: plain };
  const canEscape = depth <= MAX_ESCAPED_DEPTH && text.charAt(start - 1) !== '\\';
  if (canEscape && escapeJson(value, depth, true) === raw) {
    return { stored: { kind: 'value', value }, form: { kind: 'escaped', depth } };
  }
  // In a tool call only the decoded JSON counts, so one pseudonym for each value matters more than the spelling. Not
  // deeper: the decoded content of an outer string is the spelling of the inner one.
  if (isJson(kind) && depth === 1 && target.label !== LITERAL) return { stored: { kind: 'value', value }, form: plain };
  return { stored: { kind: 'spelled', raw, context }, form: plain };
}

export function applyEdits(text: string, edits: readonly Edit[], pseudonymOf: (edit: Edit) => Pseudonym): string {
  let applied = '';
  let from = 0;
  for (const edit of edits) {
    applied += text.slice(from, edit.start) + written(pseudonymOf(edit), edit.form);
    from = edit.end;
  }
  return applied + text.slice(from);
}

function written(pseudonym: Pseudonym, form: WrittenForm): string {
  if (form.kind === 'plain') return pseudonym;
  const name = pseudonym.slice(1, -1);
  if (form.kind === 'number') {
    const quote = escapeJson('"', form.depth);
    return `${quote}[${name}]${quote}`;
  }
  const backslashes = '\\'.repeat(2 ** (form.depth - 1));
  return `${backslashes}u003c${name}${backslashes}u003e`;
}
