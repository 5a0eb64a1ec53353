import { unitAt } from '../unitAt.ts';
import type { Span } from './contract.ts';
import { networkRules, valueRules } from './rules.ts';

/** Types without a pattern or check digits. An overlapping value with a pattern wins. */
const patternless = new Set([
  ...['PERSON', 'PUBLIC_PERSON', 'LOCATION', 'ADDRESS', 'ORGANIZATION'],
  ...['NRP', 'DATE_TIME', 'AGE', 'TITLE'],
]);

const onlyNetwork: ReadonlySet<string> = new Set([...Object.values(valueRules), ...Object.values(networkRules)]);

/** Whether values of the type of a span have a pattern or check digits. */
export const hasPattern = ({ type }: Span): boolean => !patternless.has(type);

/** Ranks a span: values with a pattern, addresses, doubtful phone numbers, names, and what only the network finds. */
function reliability(span: Span): number {
  if (onlyNetwork.has(span.rule)) return -1;
  if (hasPattern(span)) return span.type === 'PHONE_NUMBER' && span.score < 0.7 ? 1 : 3;
  return span.type === 'ADDRESS' ? 2 : 0;
}

/**
 * Makes spans disjoint. Covered letters and digits stay covered. Values with a pattern win over names, longer spans over
 * shorter ones, higher scores over lower ones. The free pieces of a weaker span remain if they contain a letter or digit.
 * @param spans in any order; they may overlap.
 * @returns spans sorted by start, disjoint and not empty. None cuts a surrogate pair.
 */
export function resolveOverlaps<S extends Span>(text: string, spans: readonly S[]): S[] {
  return resolveSorted(text, sorted(text, spans));
}

/** The spans that are not empty, on whole characters, in the order of the text. */
function sorted<S extends Span>(text: string, spans: readonly S[]): S[] {
  const whole: S[] = [];
  for (const span of spans) {
    const one = wholeCharacters(text, span);
    if (one.start < one.end) whole.push(one);
  }
  return whole.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Whether no span overlaps another one. Most texts have such spans only. */
function areDisjoint(sorted: readonly Span[]): boolean {
  for (let at = 1; at < sorted.length; at++) {
    if ((sorted[at]?.start ?? 0) < (sorted[at - 1]?.end ?? 0)) return false;
  }
  return true;
}

/** Makes spans in the order of the text disjoint: see {@link resolveOverlaps}. */
function resolveSorted<S extends Span>(text: string, sorted: S[]): S[] {
  if (areDisjoint(sorted)) return sorted;
  const result: S[] = [];
  let first = 0;
  while (first < sorted.length) {
    let end = sorted[first]?.end ?? 0;
    let next = first + 1;
    for (; next < sorted.length && (sorted[next]?.start ?? end) < end; next++)
      end = Math.max(end, sorted[next]?.end ?? 0);
    const cluster = sorted.slice(first, next);
    result.push(...(cluster.length === 1 ? cluster : resolveCluster(text, cluster)));
    first = next;
  }
  return result;
}

/** Names that a profile may leave in the text. */
const publicNames = new Set(['LOCATION', 'ORGANIZATION', 'PUBLIC_PERSON']);

/**
 * Makes spans disjoint as {@link resolveOverlaps} does, before the policy decides: a name that it may drop, such as that of an
 * organisation, hides no person and no address. These can overlap.
 * @returns spans sorted by start
 */
export function resolveBeforePolicy<S extends Span>(text: string, spans: readonly S[]): S[] {
  const isPublic = ({ type }: Span): boolean => publicNames.has(type);
  const all = sorted(text, spans);
  const resolved = resolveSorted(text, all);
  if (resolved === all || !resolved.some(isPublic)) return resolved;
  const others = resolveSorted(
    text,
    all.filter((span) => !isPublic(span)),
  );
  return [...others, ...resolved.filter(isPublic)].sort((a, b) => a.start - b.start);
}

/** Whether a span is the first name of a person behind the label of a user name: "user=Maria Gomez". */
const isPartOfName = (text: string, { start, end, type }: Span, others: readonly Span[]): boolean =>
  type === 'USERNAME' &&
  others.some((name) => name.type === 'PERSON' && name.start === start && /^\s/.test(text.slice(end, name.end)));

/** Makes overlapping spans disjoint. The most reliable span takes its characters first. */
function resolveCluster<S extends Span>(text: string, all: readonly S[]): S[] {
  const cluster = all.filter((span) => !isPartOfName(text, span, all));
  const origin = Math.min(...cluster.map((span) => span.start));
  const covered = new Uint8Array(Math.max(...cluster.map((span) => span.end)) - origin);
  const byStrength = cluster
    .map((span) => ({ span, reliability: reliability(span), length: span.end - span.start }))
    .sort((a, b) => b.reliability - a.reliability || b.length - a.length || b.span.score - a.span.score);
  const kept: S[] = [];
  for (const { span, length } of byStrength) {
    const free = freePieces(covered, span.start - origin, span.end - origin);
    for (const [start, end] of free) {
      if (end - start === length) kept.push(span);
      else {
        const piece = trimmed(text, { ...span, start: origin + start, end: origin + end });
        if (piece) kept.push(piece);
      }
    }
    covered.fill(1, span.start - origin, span.end - origin);
  }
  return kept.sort((a, b) => a.start - b.start);
}

function freePieces(covered: Uint8Array, from: number, to: number): [number, number][] {
  const pieces: [number, number][] = [];
  for (let at = from; at < to; at++) {
    if (covered[at]) continue;
    const start = at;
    while (at < to && !covered[at]) at++;
    pieces.push([start, at]);
  }
  return pieces;
}

const wordCharacter = /[\p{L}\p{N}]/u;

/** Removes characters other than letters and digits from both ends. Returns undefined if nothing is left. */
export function trimmed<S extends Pick<Span, 'start' | 'end'>>(text: string, span: S): S | undefined {
  let { start, end } = span;
  const at = (index: number): string => String.fromCodePoint(text.codePointAt(index) ?? 0);
  while (start < end && !wordCharacter.test(at(start))) start += at(start).length;
  const before = (index: number): number => (index > 1 && isLow(text, index - 1) && isHigh(text, index - 2) ? 2 : 1);
  while (end > start && !wordCharacter.test(at(end - before(end)))) end -= before(end);
  return start < end ? { ...span, start, end } : undefined;
}

const isLow = (text: string, at: number): boolean => (unitAt(text, at) & 0xfc00) === 0xdc00;
const isHigh = (text: string, at: number): boolean => (unitAt(text, at) & 0xfc00) === 0xd800;

function wholeCharacters<S extends Span>(text: string, span: S): S {
  const start = Math.max(0, span.start);
  const end = Math.min(text.length, span.end);
  const from = start > 0 && isLow(text, start) && isHigh(text, start - 1) ? start - 1 : start;
  const to = end > 0 && end < text.length && isLow(text, end) && isHigh(text, end - 1) ? end + 1 : end;
  return from === span.start && to === span.end ? span : { ...span, start: from, end: to };
}
