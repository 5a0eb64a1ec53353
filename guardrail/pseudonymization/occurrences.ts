import { buildAutomaton, type Automaton } from '../automaton/automaton.ts';
import { STEP_UNITS, type Steps } from '../eventLoop.ts';
import {
  splitLongEntities,
  TooManyValuesError,
  withoutAllowed,
  type AllowedPlace,
  type EntityType,
} from '../detection/detection.ts';
import type { Segment } from '../messages/messages.ts';
import { createBlobGuard, isBoundary, urlsIn } from './boundaries.ts';

/** The place of a value, in offsets of the text or segment that contains it. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly type: EntityType;
}

/** A place that a detector found. */
export interface Scored extends Occurrence {
  readonly score: number;
}

/** A place found in a segment. `whole`: no part of it is in JSON structure or in another segment. */
export interface Found extends Scored {
  readonly whole: boolean;
}

/** All values of one request, each with one type. */
export interface Values {
  readonly best: ReadonlyMap<string, KnownValue>;
  readonly automaton: Automaton;
  readonly list: readonly string[];
}

interface KnownValue {
  readonly type: EntityType;
  /** The first message that has the value. It is replaced there and in the messages after it. */
  readonly message: number;
}

/** The type of a value that is known in a message. */
export function knownType({ best }: Values, value: string, message: number): EntityType | undefined {
  const known = best.get(value);
  return known && known.message <= message ? known.type : undefined;
}

/**
 * Maximum total length of the different values of a request, in code units: 50 for each of the maximum number of
 * values. The automaton needs about thirty bytes for each code unit.
 */
const MAX_VALUE_UNITS = 500_000;

/** Type of a URL that is replaced as a whole, because a pseudonym in its host would make it invalid. */
const URL_TYPE: EntityType = 'URL';

/**
 * Splits the findings of a text into findings of its segments: cut at JSON structure, extended to whole characters.
 * @param found sorted by start
 */
export function findingsInSegments(segments: readonly Segment[], found: readonly Scored[]): (readonly Found[])[] {
  return placesInSegments(segments, found).map((places, index) => {
    const segment = segments[index];
    const parts = places.map(({ start, end, type, score, whole }): Found => ({ start, end, type, score, whole }));
    return segment?.kind === 'text' ? splitLongEntities(segment.text, parts) : parts;
  });
}

/**
 * Splits ranges of a text into ranges of its segments: cut at JSON structure, extended to whole characters.
 * @param places sorted by start
 */
export function placesInSegments<P extends { readonly start: number; readonly end: number }>(
  segments: readonly Segment[],
  places: readonly P[],
): (readonly (P & Pick<Found, 'whole'>)[])[] {
  let next = 0;
  let open: P[] = [];
  return segments.map((segment) => {
    for (let place = places[next]; place && place.start < segment.end; place = places[++next]) open.push(place);
    open = open.filter(({ end }) => end > segment.start);
    return open.map((place) => {
      const start = Math.max(place.start, segment.start);
      const end = Math.min(place.end, segment.end);
      const whole = start === place.start && end === place.end;
      return { ...place, whole, ...inSegment(segment, start, end) };
    });
  });
}

function inSegment(segment: Segment, start: number, end: number): { start: number; end: number } {
  if (segment.kind === 'number') return { start: 0, end: segment.text.length };
  const { offsets } = segment;
  if (!offsets) return { start: start - segment.start, end: end - segment.start };
  // From the last unit that starts at or before `start` to the first unit that starts at or after `end`.
  const after = firstAtLeast(offsets, start + 1) - 1;
  return { start: Math.max(after, 0), end: Math.min(firstAtLeast(offsets, end), segment.text.length) };
}

function firstAtLeast(sorted: Readonly<Uint32Array>, target: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Collects the values of a request. A value gets the type with the highest score in the first message that has it, so that it
 * has one pseudonym, which no later message changes.
 * @param found in the order of the messages
 * @param yieldIfDue awaited between two steps of the work
 */
export function collectValues(
  found: Iterable<{ readonly text: string; readonly message: number; readonly place: Found }>,
  yieldIfDue: () => Promise<void> | undefined,
): Values | Promise<Values> {
  const best = new Map<string, KnownValue & Pick<Scored, 'score'>>();
  let units = 0;
  for (const { text, message, place } of found) {
    // A finding that JSON structure cuts is not a value: a part of it may be a key.
    if (!place.whole) continue;
    const value = text.slice(place.start, place.end);
    const known = best.get(value);
    const { type, score } = place;
    const isBetter =
      !known || (message === known.message && (score > known.score || (score === known.score && type < known.type)));
    if (isBetter) best.set(value, { type, score, message });
    if (!known) units += value.length;
    if (units > MAX_VALUE_UNITS) throw new TooManyValuesError();
  }
  // Values of punctuation alone are replaced only where they were found.
  const list = [...best.keys()].filter((value) => /[\p{L}\p{N}]/u.test(value));
  const automaton = buildAutomaton(list, yieldIfDue);
  return automaton instanceof Promise
    ? automaton.then((built) => ({ best, automaton: built, list }))
    : { best, automaton, list };
}

/** Where a segment stands, and what stays in it. */
export interface SegmentPlace {
  readonly message: number;
  readonly spared: readonly AllowedPlace[];
}

/**
 * The places to replace in a segment of a message: its findings, and every known value that is no allowed one. In order and
 * disjoint.
 */
export function* occurrencesIn(
  segment: Segment,
  found: readonly Occurrence[],
  values: Values,
  { message, spared }: SegmentPlace,
): Steps<Occurrence[]> {
  const { text } = segment;
  const known = [...found];
  let next = 0;
  const breaksBlob = createBlobGuard(text);
  const canEnd = (end: number): boolean => isBoundary(text, end);
  const accept = (start: number, end: number, index: number): boolean => {
    const type = knownType(values, values.list[index] ?? '', message);
    if (type === undefined || !isBoundary(text, start) || breaksBlob(start, end)) return false;
    // A place that a detector found is already in the list.
    while (next < found.length && (found[next]?.start ?? 0) < start) next++;
    if (found[next]?.start === start && found[next]?.end === end) return true;
    known.push({ start, end, type });
    return true;
  };
  if (text.length <= STEP_UNITS) values.automaton.scan(text, canEnd, accept);
  else {
    let state = 0;
    for (let from = 0; from < text.length; from += STEP_UNITS) {
      state = values.automaton.scan(text, canEnd, accept, {
        from,
        to: Math.min(from + STEP_UNITS, text.length),
        state,
      });
      yield;
    }
  }
  const places = withoutAllowed(text, known, spared);
  if (places.length === 0) return [];
  if (segment.kind === 'number') return places.slice(0, 1).map(({ type }) => ({ start: 0, end: text.length, type }));
  const disjoint = merge(places);
  const urls = urlsToReplace(text, disjoint);
  const all = urls.length > 0 ? merge([...disjoint, ...urls]) : disjoint;
  return splitLongEntities(text, all).map(({ start, end, type }) => ({
    start,
    end,
    type: knownType(values, text.slice(start, end), message) ?? type,
  }));
}

/** Keeps the longest of nested places, and joins places that overlap, so that no part of either remains. */
function merge(places: readonly Occurrence[]): Occurrence[] {
  const sorted = places.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Occurrence[] = [];
  for (const place of sorted) {
    const last = merged.at(-1);
    if (!last || place.start >= last.end) merged.push(place);
    else if (place.end > last.end) {
      const longer = place.end - place.start > last.end - last.start ? place : last;
      merged[merged.length - 1] = { start: last.start, end: place.end, type: longer.type };
    }
  }
  return merged;
}

function urlsToReplace(text: string, places: readonly Occurrence[]): Occurrence[] {
  let at = 0;
  return urlsIn(text).flatMap(({ start, end, authorityEnd }) => {
    while (at < places.length && (places[at]?.end ?? 0) <= start) at++;
    const place = places[at];
    const inAuthority = place && place.start < authorityEnd && (place.start > start || place.end < end);
    return inAuthority ? [{ start, end, type: URL_TYPE }] : [];
  });
}
