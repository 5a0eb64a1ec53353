/** The place of a growing text from which a later call continues. */
import type { Pseudonym } from '../ids.ts';
import { processDigest } from '../processDigest.ts';
import type { Context } from './contexts.ts';
import { encodeAt, type Stored } from './encoding.ts';
import type { PseudonymMatch } from './grammar.ts';
import type { Restorer, SavedRestorer } from './restorer.ts';

type Values = ReadonlyMap<Pseudonym, Stored>;

/** A value in the restored text. */
export interface WrittenValue {
  /** The index of its pseudonym among the matches. */
  readonly at: number;
  readonly context: Context;
}

/**
 * What is known of the beginning of a text whose restoration no continuation changes. Contains neither the text nor a value,
 * except that the state of a reader of addresses can contain up to 25 characters at the end of the restored text.
 */
export interface Checkpoint {
  /** The length of the beginning in the original text. No pseudonym contains this place. */
  readonly place: number;
  readonly matches: readonly PseudonymMatch[];
  readonly written: readonly WrittenValue[];
  /** The places of the known pseudonyms that were kept. */
  readonly kept: readonly number[];
  /** A digest of the values with which the beginning was restored. */
  readonly values: string;
  /** The {@link SavedRestorer} as JSON, because the readers change their state in place. */
  readonly state: string;
}

/** What a restoration has done up to the place of a checkpoint. */
interface Done extends Omit<Checkpoint, 'values' | 'state'> {
  readonly restorer: Restorer;
  /** The checkpoint that it has continued from. */
  readonly from: Checkpoint | undefined;
}

export function checkpointOf({ restorer, from, matches: all, ...done }: Done, values: Values): Checkpoint {
  const state = JSON.stringify(restorer.save());
  const known = from?.matches ?? [];
  if (from && all.length === known.length) return { ...done, matches: known, state, values: from.values };
  const matches = [...known, ...all.slice(known.length).map(withoutText)];
  return { ...done, matches, state, values: digestOf(matches, values) };
}

/** @returns the state of the restorer; undefined if the beginning would be restored with other values now */
export function savedRestorer(
  { matches, values: digest, state }: Checkpoint,
  values: Values,
): SavedRestorer | undefined {
  return digest === digestOf(matches, values) ? (JSON.parse(state) as SavedRestorer) : undefined;
}

/** Writes the beginning of a text as it was restored before. */
export function restoredBeginning(
  text: string,
  { place, matches, written }: Pick<Checkpoint, 'place' | 'matches' | 'written'>,
  values: Values,
): string {
  let beginning = '';
  let from = 0;
  for (const { at, context } of written) {
    const match = matches[at];
    const stored = match && values.get(match.pseudonym);
    if (!stored) throw new Error('A checkpoint was used with other values.');
    const value = encodeAt(stored, context, match.form);
    beginning += text.slice(from, match.start) + match.before + value + match.after;
    from = match.end;
  }
  return beginning + text.slice(from, place);
}

/** A string that was cut out of a text can keep the whole text in memory. A copy does not. */
function withoutText(match: PseudonymMatch): PseudonymMatch {
  return { ...match, pseudonym: Buffer.from(match.pseudonym).toString() as Pseudonym };
}

/** JSON tells lone surrogates apart, which UTF-8 does not. */
function digestOf(matches: readonly PseudonymMatch[], values: Values): string {
  const distinct = new Set(matches.map(({ pseudonym }) => pseudonym));
  return processDigest(JSON.stringify(Array.from(distinct, (pseudonym) => [pseudonym, values.get(pseudonym)])));
}
