/** The stages of a response, in the order in which {@link file://./guard.ts} runs them. */
import { TooManyValuesError } from '../detection/detection.ts';
import { createYielder, inSlices, type Steps } from '../eventLoop.ts';
import type { Pseudonym, SessionId } from '../ids.ts';
import type { TextKind } from '../messages/messages.ts';
import type { MappingStore } from '../store/store.ts';
import { ByText } from './byText.ts';
import type { CallContext, Passage, ResponseDocument, ResponseOutcome } from './contract.ts';
import { rewritingTexts } from './documentTexts.ts';
import { decodeStored, type Stored } from './encoding.ts';
import type { Grammar } from './grammar.ts';
import type { GrowingTexts } from './growingAnswers.ts';
import type { Label } from './labels.ts';
import { Budget, MAX_UNKNOWN } from './limits.ts';
import { codeIn, labelIn, pseudonymOf, type Pseudonyms } from './pseudonyms.ts';
import { isHighSurrogate } from './held.ts';
import { beginningsOf, isDisplayed } from './joinedTexts.ts';
import { looksLikeEnumeration, restoringJoined, restoringText } from './restore.ts';
import { NO_PLACES, type Restored } from './restorePass.ts';
import { addPseudonyms, scanGrowingText, scanText, type ScannedText } from './scan.ts';

type Scans = ReadonlyMap<string, ScannedText>;
type Values = ReadonlyMap<Pseudonym, Stored>;

const NOTHING = { restored: 0, withheld: 0, unknown: 0 } as const;

/** The outcome of a response without pseudonyms to restore. */
export function unchanged(session: SessionId, document: ResponseDocument): ResponseOutcome {
  return { session, action: 'NONE', ...document, ...NOTHING, holdback: document.texts.map(() => 0) };
}

/**
 * Finds the pseudonyms in each text.
 * @param growing the texts that may continue those of an earlier call; undefined: none may
 * @throws TooManyValuesError
 */
export async function findPseudonyms(
  document: ResponseDocument,
  grammar: Grammar,
  growing?: GrowingTexts,
): Promise<Scans> {
  const yieldIfDue = createYielder();
  const scans = new Map<string, ScannedText>();
  for (const { text } of await inSlices(collectingPassages(document), yieldIfDue)) {
    if (scans.has(text)) continue;
    const scanning = growing?.has(text)
      ? scanGrowingText(grammar, text, growing.checkpointOf(text))
      : scanText(grammar, text);
    const scan = inSlices(scanning, yieldIfDue);
    scans.set(text, scan instanceof Promise ? await scan : scan);
  }
  let count = 0;
  for (const { matches } of scans.values()) count += matches.length;
  TooManyValuesError.check(count);
  return scans;
}

/** The distinct pseudonyms of a response whose values decide how it is restored. */
export function pseudonymsOf(scans: Scans): Set<Pseudonym> {
  const found = new Set<Pseudonym>();
  for (const scan of scans.values()) addPseudonyms(scan, found);
  return found;
}

/**
 * Reads the values of pseudonyms from the store. A code that the session does not know with its label is read with every label:
 * models translate labels, and confuse them. Drops a value that does not belong to its pseudonym, so that a fault
 * of the store cannot reveal another user's data.
 */
export async function lookUp(
  found: ReadonlySet<Pseudonym>,
  store: MappingStore,
  session: SessionId,
  isCodeOf: Pseudonyms['isCodeOf'],
  labels: readonly Label[],
  ttlMs: number | undefined,
): Promise<Values> {
  const values = new Map<Pseudonym, Stored>();
  const read = async (pseudonyms: readonly Pseudonym[]): Promise<void> => {
    for (const [pseudonym, stored] of await store.get(session, pseudonyms, ttlMs)) {
      if (isCodeOf(pseudonym, stored)) values.set(pseudonym, decodeStored(stored));
    }
  };
  if (found.size === 0) return values;
  await read([...found].filter((pseudonym) => labelIn(pseudonym) !== ''));
  const missing = Map.groupBy(
    [...found].filter((pseudonym) => !values.has(pseudonym)),
    codeIn,
  );
  const codes = [...missing.keys()];
  let unknown = 0;
  while (codes.length > 0 && unknown < MAX_UNKNOWN_CODES) {
    const batch = codes.splice(0, MAX_UNKNOWN).map((code) => labels.map((label) => pseudonymOf(label, code)));
    await read(batch.flat().filter((pseudonym) => !found.has(pseudonym)));
    for (const pseudonyms of batch) {
      const [one, ...others] = pseudonyms.filter((pseudonym) => values.has(pseudonym));
      const stored = one && values.get(one);
      if (!stored) unknown++;
      else if (others.length === 0)
        for (const other of missing.get(codeIn(one)) ?? []) values.set(other, { ...stored, label: labelIn(one) });
    }
  }
  return values;
}

/** Codes that a look-up tries with each label: each takes as long as a hundred pseudonyms. */
const MAX_UNKNOWN_CODES = 8 * MAX_UNKNOWN;

/** What the session knows of the pseudonyms in a response, and which of them the call may show. */
interface Known extends Pick<CallContext, 'mayShow'> {
  readonly values: Values;
  readonly growing?: GrowingTexts | undefined;
  /** Whether the texts are choices of a stream, which no client joins. Default: false. */
  readonly areChoices?: boolean;
}

/** @throws ResponseTooLargeError */
export async function restore(
  session: SessionId,
  document: ResponseDocument,
  scans: Scans,
  { values: known, mayShow, growing, areChoices = false }: Known,
  maxBytes: number,
): Promise<ResponseOutcome> {
  const isEnumeration = looksLikeEnumeration(scans.values(), known);
  const shown = isEnumeration ? new Map<Pseudonym, Stored>() : mayShow ? shownOf(known, mayShow) : known;
  const results = new RestoredTexts(scans, shown, maxBytes, growing);
  // Without known pseudonyms, only the holdback of the texts is computed.
  const relevant = shown.size === 0 ? { texts: document.texts } : document;
  const passages = await inSlices(collectingPassages(relevant));
  await results.restoreAll(passages);
  if (shown.size > 0 && !areChoices) await results.joinAll(passages);
  const { restored, withheld } = results.counts();
  const { unknown, hidden } = countUnrestored(scans, known, shown);
  return {
    session,
    action: restored > 0 ? 'GUARDRAIL_INTERVENED' : 'NONE',
    ...document,
    ...(restored > 0 && (await inSlices(rewritingRestorable(relevant, (text, kind) => results.textOf(text, kind))))),
    holdback: document.texts.map((text) => results.holdbackOf(text)),
    restored,
    withheld: hidden + withheld,
    unknown,
    isEnumeration,
    ...(mayShow && { byType: await inSlices(countingByType(document, scans, { known, shown, results })) }),
  };
}

function shownOf(known: Values, mayShow: (label: string) => boolean): Values {
  return new Map([...known].filter(([pseudonym]) => mayShow(labelOf(pseudonym, known))));
}

/** The label of the session's pseudonym with a code, whatever label the answer has. */
function labelOf(pseudonym: Pseudonym, known: Values): Label {
  return known.get(pseudonym)?.label ?? labelIn(pseudonym);
}

/** Counts the occurrences of pseudonyms that no store knows, and of those that the call may not show. */
function countUnrestored(scans: Scans, known: Values, shown: Values): { unknown: number; hidden: number } {
  const counts = { unknown: 0, hidden: 0 };
  for (const { matches } of scans.values()) {
    for (const { pseudonym, isRare } of matches) {
      if (!known.has(pseudonym)) counts.unknown += isRare ? 0 : 1;
      else if (!shown.has(pseudonym)) counts.hidden += 1;
    }
  }
  return counts;
}

interface Counted {
  readonly known: Values;
  readonly shown: Values;
  readonly results: RestoredTexts;
}

/** Counts each occurrence of a text, unlike the totals, which metrics add up over the parts of a stream. */
function* countingByType(
  document: ResponseDocument,
  scans: Scans,
  { known, shown, results }: Counted,
): Steps<NonNullable<ResponseOutcome['byType']>> {
  const newCounts = (): Map<string, number> => new Map();
  const counts = { restored: newCounts(), withheld: newCounts(), unknown: newCounts() };
  const guesses = new Set<Pseudonym>();
  const count = (outcome: keyof typeof counts, pseudonym: Pseudonym): void => {
    const label = labelOf(pseudonym, known);
    counts[outcome].set(label, (counts[outcome].get(label) ?? 0) + 1);
  };
  yield* rewritingRestorable(document, (text, kind) => {
    const kept = results.keptIn(text, kind);
    for (const { pseudonym, start, isRare } of scans.get(text)?.matches ?? []) {
      if (!known.has(pseudonym)) guesses.add(pseudonym);
      if (!known.has(pseudonym) && isRare) continue;
      count(
        !known.has(pseudonym) ? 'unknown' : shown.has(pseudonym) && !kept.has(start) ? 'restored' : 'withheld',
        pseudonym,
      );
    }
    return text;
  });
  return { ...counts, guesses: guesses.size };
}

/** Restores each text of a response once, and keeps the results. */
class RestoredTexts {
  private readonly results = new ByText<Restored>();
  private readonly scans: Scans;
  private readonly values: Values;
  private readonly budget: Budget;
  private readonly growing: GrowingTexts | undefined;

  constructor(scans: Scans, values: Values, maxBytes: number, growing?: GrowingTexts) {
    this.scans = scans;
    this.values = values;
    this.budget = new Budget(maxBytes);
    this.growing = growing;
  }

  /** @throws ResponseTooLargeError */
  async restoreAll(passages: readonly Passage[]): Promise<void> {
    const yieldIfDue = createYielder();
    for (const { text, kind } of passages) {
      const earlier = this.results.get(text, kind);
      if (earlier) {
        this.budget.spend(earlier.bytes);
        continue;
      }
      const scan = this.scans.get(text);
      if (!scan) throw new Error('A text of the response was not scanned.');
      const restoring = inSlices(restoringText(scan, this.values, kind, this.budget), yieldIfDue);
      const result = restoring instanceof Promise ? await restoring : restoring;
      this.results.set(text, kind, result);
      if (result.checkpoint) this.growing?.keep(text, result.checkpoint);
    }
  }

  /** Restores texts once more whose values could be in an address that begins in another text of the answer. */
  async joinAll(passages: readonly Passage[]): Promise<void> {
    const yieldIfDue = createYielder();
    const displayed = passages.filter(({ kind }) => isDisplayed(kind));
    for (const group of Map.groupBy(displayed, ({ answer }) => answer).values()) {
      const distinct = [...new Map(group.map((passage) => [passage.text, passage])).values()];
      const texts = distinct.map(({ text, kind }) => this.textOf(text, kind));
      const joining = inSlices(beginningsOf(texts), yieldIfDue);
      const beginnings = joining instanceof Promise ? await joining : joining;
      for (const [at, { text, kind }] of distinct.entries()) {
        const [alone, before, scan] = [this.results.get(text, kind), beginnings[at], this.scans.get(text)];
        if (!alone || alone.restored === 0 || !before || before.isEmpty || !scan) continue;
        const restoring = inSlices(restoringJoined(scan, this.values, kind, before), yieldIfDue);
        const joined = restoring instanceof Promise ? await restoring : restoring;
        this.results.set(text, kind, { ...joined, holdback: joinedHoldback(alone, joined) });
      }
    }
  }

  textOf(text: string, kind: TextKind): string {
    const result = this.results.get(text, kind);
    if (!result) throw new Error('A text of the response was not restored.');
    return result.text;
  }

  /** The numbers of pseudonyms that were restored, and that were withheld because of an address. */
  counts(): { restored: number; withheld: number } {
    const counts = { restored: 0, withheld: 0 };
    for (const { restored, withheld } of this.results.values()) {
      counts.restored += restored;
      counts.withheld += withheld;
    }
    return counts;
  }

  /** The places of the known pseudonyms that were kept in a text, because an address contains them. */
  keptIn(text: string, kind: TextKind): ReadonlySet<number> {
    return this.results.get(text, kind)?.kept ?? NO_PLACES;
  }

  holdbackOf(text: string): number {
    return this.results.get(text, 'text')?.holdback ?? 0;
  }
}

/** In a stream, the other text can go on and close the address: what depends on it waits. */
function joinedHoldback(alone: Restored, joined: Restored): number {
  let same = 0;
  while (same < joined.text.length && joined.text.charCodeAt(same) === alone.text.charCodeAt(same)) same++;
  if (isHighSurrogate(joined.text.charCodeAt(same - 1))) same--;
  return Math.max(joined.holdback, joined.text.length - same);
}

/** Collects the texts of a response that may be restored, in order. */
function* collectingPassages(document: ResponseDocument): Steps<Passage[]> {
  const { passages: ofBody = [], ...others } = document;
  const passages: Passage[] = ofBody.filter(({ kind }) => kind !== 'address');
  yield* rewritingRestorable(others, (text, kind) => {
    passages.push({ text, kind });
    return text;
  });
  return passages;
}

/** An address is never restored: a client may load it. */
function rewritingRestorable(
  document: ResponseDocument,
  rewrite: (text: string, kind: TextKind) => string,
): Steps<ResponseDocument> {
  return rewritingTexts(document, (text, kind) => (kind === 'address' ? text : rewrite(text, kind)));
}
