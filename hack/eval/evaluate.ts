import {
  compilePolicy,
  createAnalyzer,
  createBuiltinDetector,
  generalTypeOf,
  type Analyzer,
  type BuiltinOptions,
  type Detector,
  type Profile,
} from '../../guardrail/detection/detection.ts';
import { toCodePoints } from '../../guardrail/detection/text/codePoints.ts';
import { EITHER, scoreFor } from './profiles.ts';
import type { EvalSpan, EvalText, Score } from './score.ts';
import { alignColumns } from './textTable.ts';

/** An analyzer without a policy other than the profile. */
const analyzerOf = (profile: Profile, detectors: readonly Detector[]): Analyzer =>
  createAnalyzer({ detectors, policy: { current: compilePolicy({}, profile) } });

/** The analyzer of the built-in detector alone. */
export const builtinAnalyzer = (profile: Profile, options: BuiltinOptions = {}): Analyzer =>
  analyzerOf(profile, [createBuiltinDetector(options)]);

/**
 * Analyzes each text separately.
 * @returns the findings by text id, in code points.
 */
export async function findsOf(
  analyzer: Analyzer,
  texts: readonly EvalText[],
): Promise<Map<string | number, EvalSpan[]>> {
  const finds = new Map<string | number, EvalSpan[]>();
  const signal = new AbortController().signal;
  for (const { id, text } of texts) {
    const [found = []] = await analyzer.analyze([text], {
      team: undefined,
      signal,
    });
    const at = toCodePoints(text);
    finds.set(
      id,
      found.map(({ start, end, type, score: sure }) => ({
        start: at(start),
        end: at(end),
        // The labels of the texts do not say who is public.
        type: generalTypeOf(type),
        score: sure,
      })),
    );
  }
  return finds;
}

export interface Row {
  readonly name: string;
  readonly score: Score;
}

/** A row of a detector on a whole set. */
export interface DetectorRow extends Row {
  /** Share of the texts in which something is found. */
  readonly altered: number;
}

/** Scores detectors on a set. */
export async function detectorRow(
  name: string,
  profile: Profile,
  detectors: readonly Detector[],
  texts: readonly EvalText[],
): Promise<DetectorRow> {
  const finds = await findsOf(analyzerOf(profile, detectors), texts);
  const altered = texts.filter(({ id }) => (finds.get(id) ?? []).length > 0).length / texts.length;
  return { name, score: scoreFor(profile, texts, finds), altered };
}

/** A table with one line per detector: the overall scores, then F2 by type. */
export function table(rows: readonly DetectorRow[]): string {
  const types = [...new Set(rows.flatMap(({ score: { types: byType } }) => [...byType.keys()]))];
  const head = ['', 'F2', 'leak', 'over', 'fp/1k', 'altered', 'P', 'R', ...types];
  const body = rows.map(({ name, altered, score: { all, types: byType } }) => [
    name,
    all.f2.toFixed(3),
    all.leakedValues.toFixed(3),
    all.overmasked.toFixed(4),
    all.falsePer1000Words.toFixed(1),
    altered.toFixed(3),
    all.precision.toFixed(3),
    all.recall.toFixed(3),
    ...types.map((type) => byType.get(type)?.f2.toFixed(2) ?? ''),
  ]);
  return alignColumns([head, ...body]);
}

/**
 * One line per leaked value and per false find. The lines contain the values, so use it only for texts about invented
 * people.
 */
export function errorsOf(
  texts: readonly EvalText[],
  finds: ReadonlyMap<string | number, readonly EvalSpan[]>,
): string[] {
  return texts.flatMap(({ id, text, spans }) => {
    const characters = Array.from(text);
    const found = finds.get(id) ?? [];
    const show = (what: string, { start, end, type }: EvalSpan): string =>
      `${what} ${type} in ${id}: ${JSON.stringify(characters.slice(Math.max(0, start - 20), start).join(''))} ${JSON.stringify(characters.slice(start, end).join(''))}`;
    const isOpen = (at: number): boolean =>
      /[\p{L}\p{N}]/u.test(characters[at] ?? '') && !found.some(({ start, end }) => start <= at && at < end);
    const leaked = spans.filter(({ start, end, type }) => {
      if (type === EITHER) return false;
      const places = Array.from({ length: end - start }, (_, at) => start + at);
      return places.filter(isOpen).length > 0.1 * places.length;
    });
    const falseFinds = found.filter((find) => !spans.some(({ start, end }) => find.start < end && start < find.end));
    return [...leaked.map((value) => show('leaked', value)), ...falseFinds.map((find) => show('false find', find))];
  });
}
