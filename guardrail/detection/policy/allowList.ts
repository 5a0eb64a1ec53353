/** The allow list of a policy: which values are never replaced, and where they stand in a text. */
import type { RE2JS } from 're2js';
import type { Steps } from '../../eventLoop.ts';
import { unitAt } from '../../unitAt.ts';
import type { AllowedPlace, EntityType } from '../contract.ts';
import { generalTypeOf } from '../../entityTypes.ts';
import { trimmed } from '../spans.ts';
import { compileLinear } from './linearPattern.ts';
import { isWord } from './phrases.ts';
import type { Rules } from './schema.ts';
import { WordPhrases } from './wordPhrases.ts';

type Types = AllowedPlace['types'];

export interface AllowList {
  readonly values: WordPhrases<Types>;
  readonly patterns: readonly { readonly matcher: RE2JS; readonly types: Types }[];
}

/** The longest value that a pattern can allow, in UTF-16 code units: no detector finds a longer one. */
const LONGEST_ALLOWED = 1 << 15;
/** The length of the text that a step searches, in UTF-16 code units. */
const STEP = 4096;

/** Compiles the entries of an allow list. Entries of one value add up. */
export function compileAllowList({ allow = [] }: Rules): AllowList {
  const typesOf = new Map<string, Types>();
  const patterns: AllowList['patterns'][number][] = [];
  for (const entry of allow) {
    const types = ('types' in entry ? entry.types : undefined) ?? 'all';
    if ('pattern' in entry) patterns.push({ matcher: compiled(entry.pattern), types });
    else {
      const value = entry.value.toLowerCase();
      const before = typesOf.get(value) ?? [];
      typesOf.set(value, types === 'all' || before === 'all' ? 'all' : [...before, ...types]);
    }
  }
  const values = new WordPhrases<Types>({ exact: false, between: 'whiteSpace' });
  for (const [value, types] of typesOf) values.add(value, types);
  return { values, patterns };
}

/** @throws Error if the pattern is not valid: the policy was checked before */
export function compiled(pattern: string): RE2JS {
  const { matcher, problem } = compileLinear(pattern);
  if (!matcher) throw new Error(`A pattern of the policy ${problem}.`);
  return matcher;
}

const covers = (types: Types | undefined, type: EntityType): boolean =>
  types === 'all' || (types?.some((each) => each === type || each === generalTypeOf(type)) ?? false);

/** Whether an allow list has a whole value, for values of a type. */
export function isAllowed({ values, patterns }: AllowList, type: EntityType, value: string): boolean {
  if (covers(values.get(value), type)) return true;
  return (
    value.length <= LONGEST_ALLOWED &&
    patterns.some(({ matcher, types }) => covers(types, type) && matcher.matches(value))
  );
}

/** The places in a text where the values of allow lists stand by themselves. */
export function* allowedPlaces(text: string, lists: readonly AllowList[]): Steps<AllowedPlace[]> {
  const places: AllowedPlace[] = [];
  for (const { values } of lists) {
    if (values.size === 0) continue;
    const add = (start: number, end: number, types: Types): void => {
      if (standsFree(text, start, end)) places.push({ start, end, types });
    };
    for (let at = 0; at < text.length;) {
      at = values.find(text, add, at, Math.min(at + STEP, text.length));
      yield;
    }
  }
  return places;
}

/** Characters that join words to a longer value: an address, a URL, a double name. */
const JOINS = new Set("-_@./'’".split('').map((character) => character.charCodeAt(0)));
const AT_SIGN = '@'.charCodeAt(0);
const possessive = /^['’]s(?![\p{L}\p{N}])/iu;

/** Whether a range is no part of a longer value, such as `Schmidt` in `Schmidt-Meier` and `schmidt@example.org`. */
function standsFree(text: string, start: number, end: number): boolean {
  const isJoin = (at: number): boolean => at >= 0 && at < text.length && JOINS.has(unitAt(text, at));
  const isWordAt = (at: number): boolean => at >= 0 && at < text.length && isWord(unitAt(text, at));
  if (isJoin(start - 1) && (isWordAt(start - 2) || unitAt(text, start - 1) === AT_SIGN)) return false;
  return !isJoin(end) || !isWordAt(end + 1) || possessive.test(text.slice(end, end + 3));
}

interface Typed {
  readonly start: number;
  readonly end: number;
  readonly type: EntityType;
}

/** Types of values that consist of words. A longer one is not only what it is as a whole. */
const wordTypes: ReadonlySet<EntityType> = new Set(['PERSON', 'PUBLIC_PERSON', 'LOCATION', 'ADDRESS', 'ORGANIZATION']);
/** What is left of a value if a part of it is allowed. Less is an ending. */
const isValue = /[\p{Lu}\p{Lt}\p{Lo}\p{N}]|\p{L}{3}/u;

/**
 * Takes the places of allowed values out of found values. A value in such a place goes. Of a name or an address that contains one,
 * the rest remains. Another value with an allowed word in it, such as a card number, is one value and remains.
 * @param allowed in any order
 * @param spared receives each place that is taken out of a value
 * @returns the same array if nothing changes
 */
export function withoutAllowed<S extends Typed>(
  text: string,
  found: readonly S[],
  allowed: readonly AllowedPlace[],
  spared?: (span: S) => void,
): readonly S[] {
  if (allowed.length === 0 || found.length === 0) return found;
  const sorted = allowed.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const longest = sorted.reduce((most, { start, end }) => Math.max(most, end - start), 0);
  const rest = found.flatMap((span) => {
    const places = placesAt(sorted, span, longest).filter(({ types }) => covers(types, span.type));
    if (places.length === 0) return [span];
    const isInside = places.some(({ start, end }) => start <= span.start && span.end <= end);
    if (!isInside && !places.some((place) => isWordIn(text, place) && wordTypes.has(span.type))) return [span];
    if (isInside) {
      spared?.(span);
      return [];
    }
    return cut(text, span, places, spared);
  });
  return rest.length === found.length && rest.every((span, index) => span === found[index]) ? found : rest;
}

const isWordIn = (text: string, { start, end }: AllowedPlace): boolean => /\p{L}/u.test(text.slice(start, end));

function cut<S extends Typed>(
  text: string,
  span: S,
  places: readonly AllowedPlace[],
  spared: ((span: S) => void) | undefined,
): S[] {
  const pieces: S[] = [];
  const add = (start: number, end: number): void => {
    const piece = start < end ? trimmed(text, { ...span, start, end }) : undefined;
    if (piece && isValue.test(text.slice(piece.start, piece.end))) pieces.push(piece);
  };
  let at = span.start;
  for (const place of places) {
    if (!isWordIn(text, place) || place.end <= at) continue;
    add(at, place.start);
    spared?.({ ...span, start: Math.max(place.start, at), end: Math.min(place.end, span.end) });
    at = place.end;
  }
  add(at, span.end);
  return pieces;
}

/** The places that overlap a range. @param sorted by start @param longest the length of the longest place */
function placesAt(sorted: readonly AllowedPlace[], { start, end }: Typed, longest: number): readonly AllowedPlace[] {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.start ?? 0) < start - longest) low = middle + 1;
    else high = middle;
  }
  const places: AllowedPlace[] = [];
  for (let at = low; at < sorted.length && (sorted[at]?.start ?? end) < end; at++) {
    const place = sorted[at];
    if (place !== undefined && place.end > start) places.push(place);
  }
  return places;
}
