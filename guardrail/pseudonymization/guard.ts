import { randomBytes, type KeyObject } from 'node:crypto';
import { TooManyValuesError, type Analyzer, type EntityType, type Finding } from '../detection/detection.ts';
import type { Pseudonym, SessionId } from '../ids.ts';
import { parseJsonIn, visitMessages, visitTools, type TextKind } from '../messages/messages.ts';
import type { Fence, MappingStore } from '../store/store.ts';
import { blockedReasonFor } from './blocked.ts';
import { createYielder } from '../eventLoop.ts';
import { ByText } from './byText.ts';
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
} from './contract.ts';
import { SessionErasedError } from './errors.ts';
import { createGrammar, type Grammar } from './grammar.ts';
import { createVocabulary, type Vocabulary } from './labels.ts';
import { Names } from './names.ts';
import { collectValues, type Found } from './occurrences.ts';
import { applyEdits, planEdits, sourceOf, textsToAnalyze, type Plan, type Source, type TextToRead } from './plan.ts';
import { lengthen, Pseudonyms } from './pseudonyms.ts';
import { Budget, isSearch, pseudonymsIn, readText, restoreText, type Reading, type Restored } from './restore.ts';
import { deriveSession, subjectOf } from './session.ts';
import { decodeStored, type Stored } from './spelling.ts';

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
    const fence = context.fence ?? store.fence();
    const { session, isShared } = sessionFor(context.identity);
    const look = await lookInto(document, context, session);
    if ('action' in look) return look;
    const { plans, base } = look;
    if (plans.every(({ edits }) => edits.length === 0)) return { ...base, action: 'NONE' };
    const names = await Names.of(plans, new Pseudonyms(sessionKey, session));
    if (isShared) await keep(names, session, context, fence);
    return { ...base, action: 'GUARDRAIL_INTERVENED', ...rewriteRequest(document, plans, names) };
  }

  /** What is to be replaced, or why the request goes no further. Nothing else of what was found outlives it. */
  async function lookInto(
    document: RequestDocument,
    context: CallContext,
    session: SessionId,
  ): Promise<Look | (RequestOutcome & { action: 'BLOCKED' })> {
    const { sources, findings, inPictures } = await analyzed(document, context);
    const entities = countEntities(findings);
    const blocked = blockedTypes([...findings, ...inPictures.flat()]);
    const base = { session, entities, ...(document.pictureTexts && { inPictures }) };
    if (blocked.length > 0) {
      return { ...base, action: 'BLOCKED', blockedReason: blockedReasonFor(blocked) };
    }
    findings.length = 0;
    return { base, plans: await planAll(sources, language()) };
  }

  async function analyzed(document: RequestDocument, { identity, signal, stricter }: CallContext): Promise<Analyzed> {
    const strings = stringsOf(document);
    const pictureTexts = document.pictureTexts ?? [];
    const texts = [...new Set([...strings.flatMap(textsToAnalyze), ...pictureTexts])].filter((text) => /\S/.test(text));
    const analysis = { team: identity.team, signal, ...(stricter && { stricter }) };
    const lists = texts.length > 0 ? await analyzer.analyze(texts, analysis) : [];
    const byText = new Map(texts.map((text, index) => [text, lists[index] ?? []]));
    const findingsOf = (text: string): readonly Finding[] => byText.get(text) ?? [];
    // A text that stands there as prose and as arguments has been looked at once.
    const distinct = new Map<string, readonly Finding[]>();
    const sources = strings.map((read) => {
      const { findings, source } = sourceOf(read, findingsOf);
      distinct.set(read.text, findings);
      return source;
    });
    return { sources, findings: [...distinct.values()].flat(), inPictures: pictureTexts.map(findingsOf) };
  }

  /** Stores the mapping, with longer pseudonyms for those that stand for another value there already. */
  async function keep(names: Names, session: SessionId, { identity }: CallContext, fence: Fence): Promise<void> {
    const subject = subjectOf(sessionKey, identity);
    for (;;) {
      const result = await store.put({ session, subject, values: names.mapping(), fence });
      if (result.kind === 'stored') return;
      if (result.kind === 'erased') throw new SessionErasedError();
      const { taken } = result;
      // Every round makes a code longer, so the rounds end.
      names.change((entry) => (taken.has(entry.name) ? lengthen(entry) : entry));
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
    walkResponse(document, (text, kind) => {
      if (kind !== 'address') read(text);
      return text;
    });
    TooManyValuesError.check(readings.values().reduce((sum, { matches }) => sum + matches.length, 0));
    const known = await lookUp(session, [...readings.values()]);
    const searched = isSearch(readings.values(), known);
    const values: typeof known = searched ? new Map() : known;
    const results = new ByText<Restored>();
    const budget = new Budget(maxAnswer);
    const changed = walkResponse(document, (text, kind) => {
      if (kind === 'address') return text;
      const before = results.get(text, kind);
      if (before) budget.spend(before.bytes);
      const result = before ?? restoreText(read(text), values, kind, budget);
      results.set(text, kind, result);
      return result.text;
    });
    const sum = (count: (result: Restored) => number): number =>
      results.values().reduce((total, result) => total + count(result), 0);
    const restored = sum((result) => result.restored);
    const found = [...readings.values()].flatMap(({ matches }) => matches);
    const unknown = found.filter(({ pseudonym }) => !known.has(pseudonym)).length;
    return {
      ...unchanged,
      ...(restored > 0 && { action: 'GUARDRAIL_INTERVENED', ...changed }),
      holdback: document.texts.map((text) => results.get(text, 'text')?.holdback ?? 0),
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

interface Analyzed {
  readonly sources: readonly Source[];
  readonly findings: Finding[];
  readonly inPictures: readonly (readonly Finding[])[];
}

type Rewrite = (text: string, kind: TextKind) => string;

interface Look {
  readonly plans: readonly Plan[];
  readonly base: Pick<RequestOutcome, 'session' | 'entities' | 'inPictures'>;
}

/** Every text of a request once, however often it stands there. */
function stringsOf(document: RequestDocument): TextToRead[] {
  const strings = new ByText<TextToRead>();
  const collect: Rewrite = (text, kind) => {
    if (!strings.get(text, kind)) strings.set(text, kind, { text, kind, parsed: parseJsonIn(text) });
    return text;
  };
  walkRequest(document, collect);
  return strings.values();
}

function walkRequest({ texts, structuredMessages, tools }: RequestDocument, rewrite: Rewrite): RequestDocument {
  return {
    texts: texts.map((text) => rewrite(text, 'text')),
    ...(structuredMessages && {
      structuredMessages: visitMessages(structuredMessages, { text: rewrite }, 'structured_messages'),
    }),
    ...(tools && { tools: visitTools(tools, { text: rewrite }) }),
  };
}

function walkResponse({ texts, structuredMessages, toolCalls }: ResponseDocument, rewrite: Rewrite): ResponseDocument {
  return {
    texts: texts.map((text) => rewrite(text, 'text')),
    ...(structuredMessages && {
      structuredMessages: visitMessages(structuredMessages, { text: rewrite }, 'structured_messages'),
    }),
    ...(toolCalls && { toolCalls: visitMessages(toolCalls, { text: rewrite }, 'tool_calls') }),
  };
}

async function planAll(sources: readonly Source[], { vocabulary, grammar }: Language): Promise<Plan[]> {
  const breathe = createYielder();
  const values = await collectValues(foundIn(sources), breathe);
  const plans: Plan[] = [];
  let edits = 0;
  for (const source of sources) {
    await breathe();
    const { text, kind } = source;
    const plan = { text, kind, edits: planEdits(source, values, vocabulary.labelOf, grammar) };
    edits += plan.edits.length;
    TooManyValuesError.check(edits);
    plans.push(plan);
  }
  return plans;
}

function* foundIn(sources: readonly Source[]): Generator<{ text: string; place: Found }> {
  for (const { parsed, found } of sources) {
    for (const [index, { text }] of parsed.segments.entries()) {
      for (const place of found[index] ?? []) yield { text, place };
    }
  }
}

function rewriteRequest(document: RequestDocument, plans: readonly Plan[], names: Names): RequestDocument {
  const rewritten = new ByText<string>();
  for (const { text, kind, edits } of plans) {
    rewritten.set(text, kind, edits.length > 0 ? applyEdits(text, edits, (edit) => names.nameOf(edit)) : text);
  }
  return walkRequest(document, (text, kind) => {
    const result = rewritten.get(text, kind);
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
