import { buildAutomaton, type Automaton } from '../automaton/automaton.ts';
import { shortEnough, TooManyValuesError, type EntityType } from '../detection/detection.ts';
import type { Segment } from '../messages/messages.ts';
import { createBlobGuard, isBoundary, urlsIn } from './boundaries.ts';

/** A place that holds a value, in the coordinates of the text that it is said of. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly type: EntityType;
}

/** A place that a detector has found. */
export interface Scored extends Occurrence {
  readonly score: number;
}

/** The same, said of a segment. `whole`: none of it lies in JSON's structure or in another segment. */
export interface Found extends Scored {
  readonly whole: boolean;
}

/** All values of one request and what each is called, wherever it stands. */
export interface Values {
  readonly best: ReadonlyMap<string, Pick<Scored, 'type'>>;
  readonly automaton: Automaton;
  readonly list: readonly string[];
}

/**
 * How long the different values of a request may be together, in code units: 50 for each of the most values that a request
 * may hold. To find them all in one pass takes some thirty bytes for each.
 */
const MAX_VALUE_UNITS = 500_000;

/** For a URL that is replaced whole, since a value in its host would leave it unreadable. */
const URL_TYPE: EntityType = 'URL';

/**
 * What a detector has found in a whole text, said of its segments: cut at JSON's structure, widened to whole characters.
 * @param found sorted by start
 */
export function findingsInSegments(segments: readonly Segment[], found: readonly Scored[]): Found[][] {
  let next = 0;
  let open: Scored[] = [];
  return segments.map((segment) => {
    for (let span = found[next]; span && span.start < segment.end; span = found[++next]) open.push(span);
    open = open.filter(({ end }) => end > segment.start);
    return open.flatMap((span) => {
      const start = Math.max(span.start, segment.start);
      const end = Math.min(span.end, segment.end);
      const whole = start === span.start && end === span.end;
      const { type, score } = span;
      const found: Found = { type, score, whole, ...inSegment(segment, start, end) };
      return segment.kind === 'number' ? found : shortEnough(segment.text, found);
    });
  });
}

function inSegment(segment: Segment, start: number, end: number): { start: number; end: number } {
  if (segment.kind === 'number') return { start: 0, end: segment.text.length };
  const { offsets } = segment;
  if (!offsets) return { start: start - segment.start, end: end - segment.start };
  // The last unit that starts at or before the place, and the first that starts at or behind it.
  const after = firstAtLeast(offsets, start + 1) - 1;
  return { start: Math.max(after, 0), end: Math.min(firstAtLeast(offsets, end), segment.text.length) };
}

function firstAtLeast(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A value has one type in a request, the one of which a detector was surest, so that it has one pseudonym.
 * @param breathe is awaited between two steps of the work
 */
export async function collectValues(
  found: Iterable<{ readonly text: string; readonly place: Found }>,
  breathe: () => Promise<void> | undefined,
): Promise<Values> {
  const best = new Map<string, Scored>();
  let units = 0;
  for (const { text, place } of found) {
    // A part of a value that JSON's structure cuts is no value: it may be a key.
    if (!place.whole) continue;
    const value = text.slice(place.start, place.end);
    const known = best.get(value);
    const surer = !known || place.score > known.score || (place.score === known.score && place.type < known.type);
    if (surer) best.set(value, place);
    if (!known) units += value.length;
    if (units > MAX_VALUE_UNITS) throw new TooManyValuesError();
  }
  // Punctuation alone is replaced where it was found, not wherever it stands.
  const list = [...best.keys()].filter((value) => /[\p{L}\p{N}]/u.test(value));
  return { best, automaton: await buildAutomaton(list, breathe), list };
}

/** Everything to be replaced in a segment: what was found in it, and every value of the request. In order, disjoint. */
export function occurrencesIn(segment: Segment, found: readonly Occurrence[], values: Values): Occurrence[] {
  const { text } = segment;
  const places = [...found];
  let next = 0;
  const tearsBlob = createBlobGuard(text);
  values.automaton.scan(
    text,
    (end) => isBoundary(text, end),
    (start, end, index) => {
      if (!isBoundary(text, start) || tearsBlob(start, end)) return false;
      // Where a detector has found it, it is in the list already.
      while (next < found.length && (found[next]?.start ?? 0) < start) next++;
      if (found[next]?.start === start && found[next]?.end === end) return true;
      places.push({ start, end, type: values.best.get(values.list[index] ?? '')?.type ?? '' });
      return true;
    },
  );
  if (places.length === 0) return places;
  if (segment.kind === 'number') return places.slice(0, 1).map(({ type }) => ({ start: 0, end: text.length, type }));
  const disjoint = merge(places);
  const urls = urlsToReplace(text, disjoint);
  const all = urls.length > 0 ? merge([...disjoint, ...urls]) : disjoint;
  return all.flatMap((place) => {
    const pieces = shortEnough(text, place);
    return pieces.map(({ start, end, type }) => ({
      start,
      end,
      type: values.best.get(text.slice(start, end))?.type ?? type,
    }));
  });
}

/** The longest of nested places stays; places that overlap otherwise become one, so that no end of either is left over. */
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
