import type { Steps } from '../eventLoop.ts';
import type { Pseudonym } from '../ids.ts';
import type { TextKind } from '../messages/messages.ts';
import { LoadedAddresses, mayLoadAddresses, type OpenEnds } from './autoload/autoload.ts';
import { savedRestorer } from './checkpoint.ts';
import { Contexts, isPlain } from './contexts.ts';
import type { Stored } from './encoding.ts';
import type { PseudonymMatch, Unfinished } from './grammar.ts';
import { Guesses, type Budget } from './limits.ts';
import { putValues, type Restored } from './restorePass.ts';
import { readingFrom, type SavedRestorer } from './restorer.ts';
import type { ScannedText } from './scan.ts';

/** Whether a response contains so many unknown pseudonyms that it looks like a search. */
export function looksLikeEnumeration(scans: Iterable<ScannedText>, values: ReadonlyMap<Pseudonym, Stored>): boolean {
  const guesses = new Guesses();
  for (const { matches, unfinished } of scans) {
    for (const match of matches) {
      if (!match.isRare && !values.has(match.pseudonym) && isComplete(match, unfinished)) guesses.add(match.pseudonym);
    }
  }
  return guesses.isSearch;
}

/**
 * Whether a pseudonym is not an unfinished code at the end of a text. An unfinished one does not count as a guess yet, so
 * a response that is a search stays one as it grows.
 */
export function isComplete({ start }: PseudonymMatch, unfinished: readonly Unfinished[]): boolean {
  return start < (unfinished.find((place) => !place.onlyIfKnown)?.from ?? Infinity);
}

/** Replaces the known pseudonyms of a text by their values. */
export function* restoringText(
  scanned: ScannedText,
  values: ReadonlyMap<Pseudonym, Stored>,
  kind: TextKind,
  budget?: Budget,
): Steps<Restored> {
  const needsContexts = contextMatters(scanned, values);
  const newContexts = (): Contexts | undefined => (needsContexts ? new Contexts() : undefined);
  const saved = savedFor(scanned, values, needsContexts);
  const reading = saved ? readingFrom(saved) : { contexts: newContexts() };
  const all = yield* putValues(scanned, values, kind, { reading, saved }, budget);
  const mayWithhold = kind !== 'arguments' && all.restored > 0 && reading.addresses === undefined;
  if (!mayWithhold || !mayLoadAddresses(all.text)) return all;
  const withAddresses = { contexts: newContexts(), addresses: new LoadedAddresses() };
  return yield* putValues(scanned, values, kind, { reading: withAddresses });
}

/** The state from which a text continues; undefined if it must be restored from the beginning. */
function savedFor(
  { growth }: ScannedText,
  values: ReadonlyMap<Pseudonym, Stored>,
  needsContexts: boolean,
): SavedRestorer | undefined {
  const saved = growth?.from && savedRestorer(growth.from, values);
  return needsContexts && !saved?.contexts ? undefined : saved;
}

/** As {@link restoringText}, for a text that a client can join to the ends of others. */
export function* restoringJoined(
  scanned: ScannedText,
  values: ReadonlyMap<Pseudonym, Stored>,
  kind: TextKind,
  before: OpenEnds,
): Steps<Restored> {
  const contexts = contextMatters(scanned, values) ? new Contexts() : undefined;
  return yield* putValues(scanned, values, kind, {
    reading: { contexts, addresses: new LoadedAddresses(undefined, before) },
  });
}

/** Whether the values of a text depend on their contexts. */
function contextMatters({ matches }: ScannedText, values: ReadonlyMap<Pseudonym, Stored>): boolean {
  return matches.some(({ pseudonym, form }) => {
    const stored = values.get(pseudonym);
    return stored && (form !== 'other' || stored.kind !== 'value' || !isPlain(stored.value));
  });
}
