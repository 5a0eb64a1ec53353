import { flags } from './gazetteer.ts';
import type { TagKind } from './labels.ts';
import { nameParticles } from './nameParticles.ts';
import type { Candidate } from './spanFeatures.ts';
import type { EmitTag, Tagger } from './tagger.ts';
import { gaps, markAt, shapes, type Tokens } from './tokens.ts';
import { WrittenAsNames } from './writtenAsNames.ts';

/** The margin of a candidate that the tagger did not find. */
const WITHOUT_TAG = -4;

interface Mutable {
  kind: TagKind;
  first: number;
  last: number;
  margin: number;
}

/**
 * The candidates in a text: the spans of the tagger, and what is written like a name beside them. The parts of an address or of a
 * person's name are joined.
 * @returns disjoint spans in the order of the text
 */
export function candidatesOf(tagger: Tagger, text: string): Candidate[] {
  const { tokens } = tagger;
  const found: Mutable[] = [];
  tagger.tag(text, joining(tagger, text, found));
  new WrittenAsNames(tokens, text, (token) => !tagger.isTagged(token)).forEach((first, last) => {
    found.push({ kind: 'PERSON', first, last, margin: WITHOUT_TAG });
  });
  const parts: Mutable[] = [];
  for (const candidate of found) {
    // Most candidates are one word.
    if (candidate.first === candidate.last) parts.push(candidate);
    else parts.push(...partsOf(tokens, text, candidate));
  }
  return completed(
    tagger,
    text,
    parts.sort((a, b) => a.first - b.first),
  );
}

const comma = ','.charCodeAt(0);
const hyphen = '-'.charCodeAt(0);
const apostrophes = new Set(Array.from("'’", (character) => character.charCodeAt(0)));

/** Splits a candidate at line ends, and an organisation that is a list: "Coca-Cola\n- Macarena". */
function partsOf(tokens: Tokens, text: string, candidate: Mutable): Mutable[] {
  if (candidate.kind === 'ADDRESS') return [withoutMarks(tokens, candidate)];
  const isComma = (at: number): boolean => markAt(tokens, at, text) === comma;
  let commas = 0;
  if (candidate.kind === 'ORGANIZATION')
    for (let at = candidate.first; at <= candidate.last; at++) if (isComma(at)) commas++;
  const isList = commas > 1;
  const parts: Mutable[] = [];
  let { first } = candidate;
  const add = (end: number): void => {
    let last = end;
    while (first <= last && tokens.shape[first] === shapes.mark) first++;
    while (last >= first && tokens.shape[last] === shapes.mark) last--;
    if (first <= last) parts.push({ ...candidate, first, last });
  };
  for (let at = first + 1; at <= candidate.last; at++) {
    if ((tokens.gap[at] ?? 0) < gaps.newline && !(isList && isComma(at))) continue;
    add(at - 1);
    first = at;
  }
  if (parts.length === 0) return [candidate];
  add(candidate.last);
  return parts;
}

/** An address does not begin with a comma. Its last mark may be a part of it: "St.". */
function withoutMarks(tokens: Tokens, candidate: Mutable): Mutable {
  let { first } = candidate;
  while (first < candidate.last && tokens.shape[first] === shapes.mark) first++;
  return { ...candidate, first };
}

/** The largest number of tokens between two parts of one name: "van 't". */
const MOST_PARTICLES = 3;
/** The longest part of a name in small letters behind a hyphen: "Jae-won". */
const MOST_HYPHENATED = 5;

/**
 * Joins the parts of one name: the words before and after particles, the word before or behind a name that the tagger cut off,
 * and the second part behind a hyphen.
 */
function completed({ tokens }: Tagger, text: string, candidates: readonly Mutable[]): Mutable[] {
  const flagsOf = (at: number): number => tokens.known[at] ?? 0;
  const whole: Mutable[] = [];
  for (const next of candidates) {
    const before = whole.at(-1);
    if (next.kind === 'PERSON') extendOverHyphen(next);
    if (before !== undefined && next.first <= before.last) {
      // The name before extends over a hyphen into this one.
      before.last = Math.max(before.last, next.last);
      continue;
    }
    if (before?.kind !== 'PERSON' || next.kind !== 'PERSON') {
      whole.push(next);
      continue;
    }
    const isAdjacent = next.first === before.last + 1 && tokens.gap[next.first] === gaps.space;
    if (haveParticlesBetween(before, next) || (isAdjacent && isWholeName(before, next))) {
      before.last = Math.max(before.last, next.last);
      before.margin = Math.max(before.margin, next.margin);
    } else if (isAdjacent && isUntagged(before) && !isUntagged(next) && (flagsOf(before.last) & flags.given) !== 0) {
      next.first = before.last--;
      whole.push(next);
    } else whole.push(next);
  }
  return whole;

  /** Whether two neighbours are one name, of which the tagger found at most one part. */
  function isWholeName(before: Mutable, next: Mutable): boolean {
    if (isUntagged(before) === isUntagged(next)) return false;
    if (isUntagged(before)) return before.first === before.last && (flagsOf(before.last) & flags.given) !== 0;
    return next.first === next.last && flagsOf(next.first) !== flags.ordinary;
  }

  function haveParticlesBetween(before: Mutable, next: Mutable): boolean {
    const between = next.first - before.last - 1;
    if (between < 1 || between > MOST_PARTICLES) return false;
    for (let at = before.last + 1; at <= next.first; at++) {
      if ((tokens.gap[at] ?? 0) >= gaps.newline) return false;
      const isParticle = tokens.shape[at] === shapes.lower && nameParticles.has(tokens.word[at] ?? 0);
      if (at < next.first && !isParticle && !apostrophes.has(markAt(tokens, at, text))) return false;
    }
    return true;
  }

  function extendOverHyphen(candidate: Mutable): void {
    const at = candidate.last + 2;
    if (at >= tokens.count || markAt(tokens, at - 1, text) !== hyphen) return;
    if (tokens.gap[at] !== gaps.none || tokens.gap[at - 1] !== gaps.none) return;
    const length = (tokens.end[at] ?? 0) - (tokens.start[at] ?? 0);
    const isShort = tokens.shape[at] === shapes.lower && length <= MOST_HYPHENATED;
    const isName = tokens.shape[at] === shapes.capitalized && (flagsOf(at) & (flags.given | flags.family)) !== 0;
    if (isShort || isName) candidate.last = at;
  }
}

const isUntagged = ({ margin }: Mutable): boolean => margin === WITHOUT_TAG;

/** Adds each span to a list, or joins it with the one before. */
function joining({ tokens }: Tagger, text: string, found: Mutable[]): EmitTag {
  return (kind, first, last, margin) => {
    const before = found.at(-1);
    if (before && continues(before, kind, first)) {
      before.last = last;
      before.margin = Math.max(before.margin, margin);
    } else found.push({ kind, first, last, margin });
  };

  /** Whether a span continues the one before it: a family name after a given name, or a town or postcode after an address. */
  function continues(before: Mutable, kind: TagKind, first: number): boolean {
    if (kind === 'PERSON')
      return before.kind === 'PERSON' && first === before.last + 1 && tokens.gap[first] === gaps.space;
    if (before.kind !== 'ADDRESS' || (kind !== 'ADDRESS' && kind !== 'LOCATION')) return false;
    const between = text.slice(tokens.end[before.last] ?? 0, tokens.start[first] ?? 0);
    return /^,? ?\n? {0,4}$/.test(between);
  }
}
