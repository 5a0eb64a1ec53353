import { randomBytes, type KeyObject } from 'node:crypto';
import type { Analyzer, EntityType, Finding } from '../detection/detection.ts';
import type { Pseudonym, SessionId } from '../ids.ts';
import type { Fence, MappingStore } from '../store/store.ts';
import { blockedReasonFor } from './blocked.ts';
import type {
  CallContext,
  CallIdentity,
  EntityCount,
  Guard,
  RequestDocument,
  RequestOutcome,
  ResponseDocument,
  ResponseOutcome,
  SessionScope,
} from './core.ts';
import { SessionErasedError } from './errors.ts';
import { createGrammar, type Grammar } from './grammar.ts';
import { parseJsonIn } from './json.ts';
import { createVocabulary, type Vocabulary } from './labels.ts';
import { collectValues } from './occurrences.ts';
import { applyEdits, planEdits, sourceOf, textsToAnalyze, type Edit, type Source, type TextToRead } from './plan.ts';
import {
  CODE_UNIT,
  lengthen,
  MAX_CODE,
  MIN_CODE,
  pseudonymOf,
  Pseudonyms,
  separate,
  type Entry,
} from './pseudonyms.ts';
import { Budget, isSearch, pseudonymsIn, readText, restoreText, type Reading, type Restored } from './restore.ts';
import { deriveSession, subjectOf } from './session.ts';
import { decodeStored, type Stored } from './spelling.ts';
import { rewriteMessages, rewriteTools, type Rewrite, type StringKind } from './walk.ts';

export interface GuardOptions {
  readonly analyzer: Analyzer;
  readonly store: MappingStore;
  /** Secret from which session ids and pseudonyms come (`createSecretKey` of at least 16 random bytes); must not change. */
  readonly sessionKey: KeyObject;
  readonly scope: SessionScope;
  /** How many bytes the texts of a restored answer may have. Default: 10 MiB, as bodies. */
  readonly maxAnswer?: number;
  /**
   * Entity types of custom recognizers, asked for at each call since policy can change: pseudonyms bear their names.
   * Types that are neither built in nor given here are called `ENTITY`.
   */
  readonly customTypes?: () => readonly EntityType[];
}

const MAX_ANSWER = 10 * 1024 * 1024;

export function createGuard(options: GuardOptions): Guard {
  const { analyzer, store, sessionKey, scope, maxAnswer = MAX_ANSWER } = options;
  const language = (): Language => languageFor(options.customTypes?.() ?? []);

  /**
   * A call that nothing identifies gets an id that nothing leads to: what is replaced in it cannot be restored, by it or
   * by any other, so there is nothing to keep.
   */
  function sessionFor(identity: CallIdentity): { session: SessionId; isShared: boolean } {
    const derived = deriveSession(sessionKey, identity, scope);
    return { session: derived ?? (randomBytes(16).toString('hex') as SessionId), isShared: derived !== undefined };
  }

  async function request(document: RequestDocument, context: CallContext): Promise<RequestOutcome> {
    const fence = context.begun ?? store.fence();
    const { identity, signal, stricter } = context;
    const { session, isShared } = sessionFor(identity);
    const strings = stringsOf(document);
    const pictureTexts = document.pictureTexts ?? [];
    const texts = [...new Set([...strings.flatMap(textsToAnalyze), ...pictureTexts])].filter((text) => /\S/.test(text));
    const analysis = { team: identity.team, signal, ...(stricter && { stricter }) };
    const lists = texts.length > 0 ? await analyzer.analyze(texts, analysis) : [];
    const byText = new Map(texts.map((text, index) => [text, lists[index] ?? []]));
    const findingsOf = (text: string): readonly Finding[] => byText.get(text) ?? [];
    const sources = strings.map((read) => sourceOf(read, findingsOf));
    const inPictures = pictureTexts.map(findingsOf);
    // A text that stands there as prose and as arguments has been looked at once.
    const findings = Array.from(new Map(sources.map((source) => [source.text, source.findings])).values()).flat();
    const entities = countEntities(findings);
    const blocked = blockedTypes([...findings, ...inPictures.flat()]);
    const base = { session, entities, ...(document.pictureTexts && { inPictures }) };
    if (blocked.length > 0) {
      return { ...base, action: 'BLOCKED', blockedReason: blockedReasonFor(blocked) };
    }

    const plans = planAll(sources, language());
    if (plans.every(({ edits }) => edits.length === 0)) return { ...base, action: 'NONE' };
    const codes = codesIn(plans);
    const allocated = allocate(plans, new Pseudonyms(sessionKey, session), codes);
    const pseudonyms = isShared ? await keep(allocated, codes, session, context, fence) : named(allocated);
    return { ...base, action: 'GUARDRAIL_INTERVENED', ...rewriteRequest(document, plans, pseudonyms) };
  }

  /** Stores the mapping, with longer pseudonyms for those that stand for another value there already. */
  async function keep(
    allocated: readonly Entry[],
    codes: ReadonlySet<string>,
    session: SessionId,
    { identity }: CallContext,
    fence: Fence,
  ): Promise<ReadonlyMap<string, Pseudonym>> {
    const subject = subjectOf(sessionKey, identity);
    let entries = allocated;
    for (;;) {
      const values = new Map(entries.map((entry) => [pseudonymOf(entry), entry.stored]));
      const result = await store.put({ session, subject, values, fence });
      if (result.kind === 'stored') return named(entries);
      if (result.kind === 'erased') throw new SessionErasedError();
      const { taken } = result;
      // Every round makes a code longer, so the rounds end.
      entries = separate(
        entries.map((entry) => (taken.has(pseudonymOf(entry)) ? lengthen(entry) : entry)),
        (code) => codes.has(code),
      );
    }
  }

  async function response(document: ResponseDocument, context: CallContext): Promise<ResponseOutcome> {
    const { session, isShared } = sessionFor(context.identity);
    const unchanged = { session, action: 'NONE', ...document, restored: 0, withheld: 0, unknown: 0 } as const;
    if (!isShared) {
      return { ...unchanged, holdback: document.texts.map(() => 0) };
    }
    const { grammar } = language();
    const readings = new Map<string, Reading>();
    const read = (text: string): Reading => {
      const reading = readings.get(text) ?? readText(grammar, text);
      readings.set(text, reading);
      return reading;
    };
    walkResponse(document, (text) => (read(text), text));
    const known = await lookUp(session, [...readings.values()]);
    const searched = isSearch(readings.values(), known);
    const values: typeof known = searched ? new Map() : known;
    const results = new Map<string, Restored>();
    const budget = new Budget(maxAnswer);
    const changed = walkResponse(document, (text, kind) => {
      const key = keyOf(text, kind);
      const known = results.get(key);
      if (known) budget.spend(known.bytes);
      const result = known ?? restoreText(read(text), values, kind, budget);
      results.set(key, result);
      return result.text;
    });
    const sum = (count: (result: Restored) => number): number =>
      [...results.values()].reduce((total, result) => total + count(result), 0);
    const restored = sum((result) => result.restored);
    const found = [...readings.values()].flatMap(({ matches }) => matches);
    const unknown = found.filter(({ pseudonym }) => !known.has(pseudonym)).length;
    return {
      ...unchanged,
      ...(restored > 0 && { action: 'GUARDRAIL_INTERVENED', ...changed }),
      holdback: document.texts.map((text) => results.get(keyOf(text, 'text'))?.holdback ?? 0),
      restored,
      withheld: searched ? found.length - unknown : sum((result) => result.withheld),
      unknown,
      searched,
    };
  }

  /** A value that does not belong to its pseudonym is none: no fault of a store shows one person another's data. */
  async function lookUp(session: SessionId, readings: readonly Reading[]): Promise<ReadonlyMap<Pseudonym, Stored>> {
    const wanted = [...new Set(readings.flatMap(pseudonymsIn))];
    if (wanted.length === 0) return new Map();
    const pseudonyms = new Pseudonyms(sessionKey, session);
    const values = new Map<Pseudonym, Stored>();
    for (const [pseudonym, stored] of await store.get(session, wanted)) {
      if (pseudonyms.isCodeOf(pseudonym, stored)) values.set(pseudonym, decodeStored(stored));
    }
    return values;
  }

  return { request, response, sessionOf: (identity) => sessionFor(identity).session };
}

interface Language {
  readonly vocabulary: Vocabulary;
  readonly grammar: Grammar;
}

/** Patterns are compiled once for a list of types, which all guards of a process share. */
const languageFor = createLanguageCache();

function createLanguageCache(): (types: readonly EntityType[]) => Language {
  let key: string | undefined;
  let language: Language | undefined;
  return (types) => {
    const wanted = types.join('\n');
    if (!language || key !== wanted) {
      const vocabulary = createVocabulary(types);
      language = { vocabulary, grammar: createGrammar(vocabulary.labels) };
      key = wanted;
    }
    return language;
  };
}

interface Plan {
  readonly source: Source;
  readonly edits: readonly Edit[];
}

const keyOf = (text: string, kind: StringKind): string => `${kind}\n${text}`;
const entryKey = (entry: { label: string; stored: string }): string => `${entry.label}\n${entry.stored}`;

/** Every text of a request once, however often it stands there. */
function stringsOf(document: RequestDocument): TextToRead[] {
  const strings = new Map<string, TextToRead>();
  const collect: Rewrite = (text, kind) => {
    const key = keyOf(text, kind);
    if (!strings.has(key)) strings.set(key, { text, kind, parsed: parseJsonIn(text) });
    return text;
  };
  walkRequest(document, collect);
  return [...strings.values()];
}

function walkRequest({ texts, structuredMessages, tools }: RequestDocument, rewrite: Rewrite): RequestDocument {
  return {
    texts: texts.map((text) => rewrite(text, 'text')),
    ...(structuredMessages && {
      structuredMessages: rewriteMessages(structuredMessages, rewrite, 'structured_messages'),
    }),
    ...(tools && { tools: rewriteTools(tools, rewrite) }),
  };
}

function walkResponse({ texts, structuredMessages, toolCalls }: ResponseDocument, rewrite: Rewrite): ResponseDocument {
  return {
    texts: texts.map((text) => rewrite(text, 'text')),
    ...(structuredMessages && {
      structuredMessages: rewriteMessages(structuredMessages, rewrite, 'structured_messages'),
    }),
    ...(toolCalls && { toolCalls: rewriteMessages(toolCalls, rewrite, 'tool_calls') }),
  };
}

function planAll(sources: readonly Source[], { vocabulary, grammar }: Language): Plan[] {
  const values = collectValues(
    sources.flatMap(({ parsed, found }) =>
      parsed.segments.flatMap(({ text }, index) => (found[index] ?? []).map((place) => ({ text, place }))),
    ),
  );
  return sources.map((source) => ({ source, edits: planEdits(source, values, vocabulary.labelOf, grammar) }));
}

function allocate(plans: readonly Plan[], pseudonyms: Pseudonyms, codes: ReadonlySet<string>): Entry[] {
  const entries = new Map<string, Entry>();
  for (const { edits } of plans) {
    for (const { label, stored } of edits) {
      const key = entryKey({ label, stored });
      if (!entries.has(key)) entries.set(key, pseudonyms.entry(label, stored));
    }
  }
  return separate([...entries.values()], (code) => codes.has(code));
}

const CODES = new RegExp(`(?<![0-9a-z])${CODE_UNIT}{${MIN_CODE},${MAX_CODE}}(?![0-9a-z])`, 'gi');

/**
 * Codes that stand in the client's text, as a word or in what looks like a pseudonym: nothing else may be called so. Those
 * in the model's own thoughts are the session's.
 */
function codesIn(plans: readonly Plan[]): Set<string> {
  const codes = new Set<string>();
  for (const { source, edits } of plans) {
    if (source.kind === 'thought') continue;
    for (const { looksLike } of edits) {
      if (looksLike !== undefined) codes.add(looksLike.slice(looksLike.lastIndexOf('_') + 1, -1));
    }
    for (const [code] of source.text.matchAll(CODES)) {
      if (/[0-9]/.test(code)) codes.add(code.toUpperCase());
    }
  }
  return codes;
}

function named(entries: readonly Entry[]): ReadonlyMap<string, Pseudonym> {
  return new Map(entries.map((entry) => [entryKey(entry), pseudonymOf(entry)]));
}

function rewriteRequest(
  document: RequestDocument,
  plans: readonly Plan[],
  pseudonyms: ReadonlyMap<string, Pseudonym>,
): RequestDocument {
  const pseudonymFor = (edit: Edit): Pseudonym => {
    const pseudonym = pseudonyms.get(entryKey(edit));
    if (pseudonym === undefined) throw new Error('A value of the request has no pseudonym.');
    return pseudonym;
  };
  const rewritten = new Map(
    plans.map(({ source, edits }) => [
      keyOf(source.text, source.kind),
      edits.length > 0 ? applyEdits(source.text, edits, pseudonymFor) : source.text,
    ]),
  );
  return walkRequest(document, (text, kind) => {
    const result = rewritten.get(keyOf(text, kind));
    if (result === undefined) throw new Error('A text of the request has not been looked at.');
    return result;
  });
}

function countEntities(findings: readonly Finding[]): EntityCount[] {
  const counts = new Map<string, { type: string; detector: string; count: number }>();
  for (const { type, detector } of findings) {
    const key = `${type}\n${detector}`;
    const count = counts.get(key);
    if (count) count.count++;
    else counts.set(key, { type, detector, count: 1 });
  }
  return [...counts.values()];
}

function blockedTypes(findings: readonly Finding[]): EntityType[] {
  const types = findings.flatMap((finding) => (finding.action === 'block' ? finding.type : []));
  return [...new Set(types)].sort();
}
