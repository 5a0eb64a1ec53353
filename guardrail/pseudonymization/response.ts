/** The stages of a response, in the order in which {@link file://./guard.ts} runs them. */
import { TooManyValuesError } from '../detection/detection.ts';
import type { Pseudonym, SessionId } from '../ids.ts';
import { visitMessages, type TextKind } from '../messages/messages.ts';
import type { MappingStore } from '../store/store.ts';
import { ByText } from './byText.ts';
import type { ResponseDocument, ResponseOutcome } from './contract.ts';
import { decodeStored, type Stored } from './encoding.ts';
import type { Grammar } from './grammar.ts';
import { Budget } from './limits.ts';
import type { Pseudonyms } from './pseudonyms.ts';
import {
  looksLikeEnumeration,
  pseudonymsIn,
  restoreText,
  scanText,
  type Restored,
  type ScannedText,
} from './restore.ts';

type Scans = ReadonlyMap<string, ScannedText>;
type Values = ReadonlyMap<Pseudonym, Stored>;

const NOTHING = { restored: 0, withheld: 0, unknown: 0 } as const;

/** The outcome of a response without pseudonyms to restore. */
export function unchanged(session: SessionId, document: ResponseDocument): ResponseOutcome {
  return { session, action: 'NONE', ...document, ...NOTHING, holdback: document.texts.map(() => 0) };
}

/** Finds the pseudonyms in each text. @throws TooManyValuesError */
export function findPseudonyms(document: ResponseDocument, grammar: Grammar): Scans {
  const scans = new Map<string, ScannedText>();
  rewriteTexts(document, (text) => {
    if (!scans.has(text)) scans.set(text, scanText(grammar, text));
    return text;
  });
  TooManyValuesError.check(scans.values().reduce((sum, { matches }) => sum + matches.length, 0));
  return scans;
}

/** The distinct pseudonyms of a response whose values decide how it is restored. */
export function pseudonymsOf(scans: Scans): Set<Pseudonym> {
  return new Set(scans.values().flatMap(pseudonymsIn));
}

/**
 * Reads the values of pseudonyms from the store. Drops a value that does not belong to its pseudonym, so that a fault
 * of the store cannot reveal another user's data.
 */
export async function lookUp(
  found: ReadonlySet<Pseudonym>,
  store: MappingStore,
  session: SessionId,
  pseudonyms: Pseudonyms,
  ttlMs: number | undefined,
): Promise<Values> {
  const values = new Map<Pseudonym, Stored>();
  if (found.size === 0) return values;
  for (const [pseudonym, stored] of await store.get(session, [...found], ttlMs)) {
    if (pseudonyms.isCodeOf(pseudonym, stored)) values.set(pseudonym, decodeStored(stored));
  }
  return values;
}

/** @throws ResponseTooLargeError */
export function restore(
  session: SessionId,
  document: ResponseDocument,
  scans: Scans,
  known: Values,
  maxBytes: number,
): ResponseOutcome {
  const isEnumeration = looksLikeEnumeration(scans.values(), known);
  const results = new RestoredTexts(scans, isEnumeration ? new Map() : known, maxBytes);
  // Without known pseudonyms, only the holdback of the texts is computed.
  const changed =
    known.size === 0
      ? { ...document, texts: document.texts.map((text) => results.restore(text, 'text')) }
      : rewriteTexts(document, (text, kind) => results.restore(text, kind));
  const restored = results.sum((result) => result.restored);
  const found = [...scans.values()].flatMap(({ matches }) => matches);
  const unknown = found.filter(({ pseudonym }) => !known.has(pseudonym)).length;
  return {
    session,
    action: 'NONE',
    ...document,
    ...(restored > 0 && { action: 'GUARDRAIL_INTERVENED', ...changed }),
    holdback: document.texts.map((text) => results.holdbackOf(text)),
    restored,
    withheld: isEnumeration ? found.length - unknown : results.sum((result) => result.withheld),
    unknown,
    isEnumeration,
  };
}

/** Restores each text of a response once, and keeps the results. */
class RestoredTexts {
  private readonly results = new ByText<Restored>();
  private readonly scans: Scans;
  private readonly values: Values;
  private readonly budget: Budget;

  constructor(scans: Scans, values: Values, maxBytes: number) {
    this.scans = scans;
    this.values = values;
    this.budget = new Budget(maxBytes);
  }

  restore(text: string, kind: TextKind): string {
    const earlier = this.results.get(text, kind);
    if (earlier) {
      this.budget.spend(earlier.bytes);
      return earlier.text;
    }
    const scan = this.scans.get(text);
    if (!scan) throw new Error('A text of the response was not scanned.');
    const result = restoreText(scan, this.values, kind, this.budget);
    this.results.set(text, kind, result);
    return result.text;
  }

  sum(count: (result: Restored) => number): number {
    return this.results.values().reduce((total, result) => total + count(result), 0);
  }

  holdbackOf(text: string): number {
    return this.results.get(text, 'text')?.holdback ?? 0;
  }
}

/** An address is never restored: a client may load it. */
function rewriteTexts(
  { texts, passages, structuredMessages, toolCalls }: ResponseDocument,
  rewrite: (text: string, kind: TextKind) => string,
): ResponseDocument {
  const text = (found: string, kind: TextKind): string => (kind === 'address' ? found : rewrite(found, kind));
  return {
    texts: texts.map((one) => text(one, 'text')),
    ...(passages && { passages: passages.map(({ text: one, kind }) => ({ text: text(one, kind), kind })) }),
    ...(structuredMessages && {
      structuredMessages: visitMessages(structuredMessages, { text }, 'structured_messages'),
    }),
    ...(toolCalls && { toolCalls: visitMessages(toolCalls, { text }, 'tool_calls') }),
  };
}
