import type { Profile } from '../../guardrail/detection/detection.ts';
import { score, scoredTypes, type EvalSpan, type EvalText, type Score } from './score.ts';

/** The profiles, in the order of the tables. */
export const profiles = ['personal', 'confidential'] as const satisfies readonly Profile[];

/** Types of which a set has no values for the profile `personal`. */
const impersonal: ReadonlySet<string> = new Set(['LOCATION', 'ORGANIZATION']);

/** The type of a labelled value that the profile `personal` may find or leave: it is neither a value nor innocent text. */
export const EITHER = 'EITHER';

/** How far apart the parts of one address may be, in code points. */
const NEAR = 3;

/**
 * The texts with the labels that a profile requires. Most sets label places and addresses as LOCATION, and all URLs as URL. In
 * `personal`, a place that contains a digit, or is beside one that does, is an address; other places, organisations and URLs
 * of these sets are {@link EITHER}. Sets with labels of the type ADDRESS are labelled for `personal`.
 */
export function labelledFor(profile: Profile, texts: readonly EvalText[]): readonly EvalText[] {
  if (profile === 'confidential') return texts;
  const hasAddresses = texts.some(({ spans }) => spans.some(({ type }) => type === 'ADDRESS'));
  return texts.map((text) => ({ ...text, spans: personalSpans(text, hasAddresses) }));
}

/**
 * Scores finds as a profile requires.
 * @param types the types that the set labels
 */
export function scoreFor(
  profile: Profile,
  texts: readonly EvalText[],
  finds: ReadonlyMap<string | number, readonly EvalSpan[]>,
  types: Iterable<string> = scoredTypes,
): Score {
  if (profile === 'confidential') return score(texts, finds, new Set(types));
  const labelled = labelledFor(profile, texts);
  const judged = new Map(labelled.map(({ id, spans }) => [id, withoutEither(finds.get(id) ?? [], spans)]));
  return score(labelled, judged, new Set([...types, 'ADDRESS'].filter((type) => !impersonal.has(type))));
}

function personalSpans({ text, spans }: EvalText, hasAddresses: boolean): EvalSpan[] {
  const characters = Array.from(text);
  const numbered = spans.filter(
    ({ start, end, type }) =>
      type === 'LOCATION' && characters.slice(start, end).some((character) => /\d/.test(character)),
  );
  const isAddress = (span: EvalSpan): boolean =>
    numbered.some(({ start, end }) => start - span.end <= NEAR && span.start - end <= NEAR);
  return spans.map((span) => {
    if (span.type === 'LOCATION') return { ...span, type: !hasAddresses && isAddress(span) ? 'ADDRESS' : EITHER };
    return impersonal.has(span.type) || (span.type === 'URL' && !hasAddresses) ? { ...span, type: EITHER } : span;
  });
}

/** The finds without those that touch only text that the profile may find or leave. */
function withoutEither(finds: readonly EvalSpan[], spans: readonly EvalSpan[]): EvalSpan[] {
  return finds.filter((find) => {
    const touched = spans.filter(({ start, end }) => find.start < end && start < find.end);
    return touched.length === 0 || touched.some(({ type }) => type !== EITHER);
  });
}
