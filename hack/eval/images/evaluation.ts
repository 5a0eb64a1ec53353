/** Measures the redaction of all pictures: renders them, redacts them, and counts what is left by kind. */
import sharp from 'sharp';
import type { Finding } from '../../../guardrail/detection/contract.ts';
import { builtinAnalyzer } from '../evaluate.ts';
import type { Figure } from '../shippedFigures.ts';
import type { PageBrowser } from './browser.ts';
import type { Pixels } from './effects.ts';
import { HIDDEN_SHARE, scoreOf, type PictureScore } from './measure.ts';
import { pictureOf, type Picture, type PictureSet, type PictureSpec } from './pictures.ts';
import type { Redactor } from './redactor.ts';

/** The counts of a kind of picture. */
export interface KindFigures {
  readonly set: PictureSet;
  readonly kind: string;
  readonly pictures: number;
  /** Pictures that were refused. Nothing of them is left. */
  readonly refused: number;
  readonly values: number;
  readonly left: number;
  /** Values that the same detector leaves if it gets the true words. */
  readonly leftByDetector: number;
  readonly words: number;
  readonly wordsRead: number;
  /** Words outside values, and those that are masked. */
  readonly others: number;
  readonly lost: number;
  /** Pictures without values in which something is masked, or that are refused. */
  readonly alteredInnocent: number;
}

export interface ImageFigures {
  readonly kinds: readonly KindFigures[];
  /** Processor time of a picture, detection included. */
  readonly cpuMsPerPicture: number;
  /** The most memory of the process that reads. */
  readonly peakMegabytes: number;
}

/** A picture with what became of it. */
export interface EvaluatedPicture {
  readonly picture: Picture;
  readonly after: Buffer | undefined;
  readonly score: PictureScore;
  readonly leftByDetector: number;
  readonly cpuMs: number;
}

/** Below this share of masked pixels, an innocent picture counts as unchanged. */
const NOTHING = 0.0002;

/** Pictures of each kind that the tests measure: the first one of each. */
export const isInSample = ({ name }: PictureSpec): boolean => name.endsWith(' 1');

/** Measures pictures, one after the other. @param each is called after each picture */
export async function evaluatePictures(
  specs: readonly PictureSpec[],
  browser: PageBrowser,
  redactor: Redactor,
  each?: (one: EvaluatedPicture) => void,
): Promise<EvaluatedPicture[]> {
  const result: EvaluatedPicture[] = [];
  for (const spec of specs) {
    const picture = await pictureOf(spec, browser);
    const { file, format } = { ...picture, format: spec.format };
    // The first picture also starts the reader and loads its models.
    if (result.length === 0) await redactor.redact({ file, format });
    const { file: after, texts, cpuMs } = await redactor.redact({ file, format });
    const pixels = after && (await pixelsOf(after, picture));
    const score = scoreOf(picture, await pixelsOf(file, picture), { after: pixels, texts });
    const one = { picture, after, score, leftByDetector: await leftByDetector(picture), cpuMs };
    each?.(one);
    result.push(one);
  }
  return result;
}

/** The pixels of a file, upright and scaled to the size of the picture. */
async function pixelsOf(file: Buffer, { width, height }: Picture): Promise<Pixels> {
  const image = sharp(file).autoOrient().removeAlpha().toColourspace('srgb');
  return { width, height, rgb: await image.resize({ width, height, fit: 'fill' }).raw().toBuffer() };
}

const analyzer = builtinAnalyzer('personal');

async function leftByDetector({ text, values }: Picture): Promise<number> {
  const { signal } = new AbortController();
  const [found = []] = await analyzer.analyze([text], { team: undefined, signal });
  return values.filter((value) => foundShare(text, value, found) < HIDDEN_SHARE).length;
}

/** The share of the letters and digits of a value that are in a find. */
function foundShare(text: string, { start, end }: { start: number; end: number }, found: readonly Finding[]): number {
  const places = Array.from({ length: end - start }, (_, at) => start + at).filter((at) => /[\p{L}\p{N}]/u.test(text[at] ?? '')); // prettier-ignore
  return places.filter((at) => found.some((find) => find.start <= at && at < find.end)).length / places.length;
}

/** The counts of each kind, in order. */
export const kindFigures = (evaluated: readonly EvaluatedPicture[]): KindFigures[] =>
  [...Map.groupBy(evaluated.map(countsOf), ({ set, kind }) => `${set} ${kind}`).values()].map((group) => ({
    ...summed(group, group[0]?.set ?? 'plain'),
    kind: group[0]?.kind ?? '',
  }));

/** The counts of one picture. */
function countsOf({ picture: { spec, values }, score, leftByDetector: missed }: EvaluatedPicture): KindFigures {
  const { set, kind } = spec;
  const { isRefused, left, words, wordsRead, others, lost, maskedShare } = score;
  return {
    set,
    kind,
    pictures: 1,
    refused: Number(isRefused),
    values: values.length,
    left: left.length,
    leftByDetector: missed,
    words,
    wordsRead,
    others,
    lost: lost.length,
    alteredInnocent: Number(set === 'innocent' && (isRefused || maskedShare > NOTHING)),
  };
}

export function imageFigures(evaluated: readonly EvaluatedPicture[], redactor: Redactor): ImageFigures {
  const cpuMs = evaluated.reduce((sum, one) => sum + one.cpuMs, 0) / evaluated.length;
  return {
    kinds: kindFigures(evaluated),
    cpuMsPerPicture: Math.round(cpuMs),
    peakMegabytes: Math.round(redactor.peakBytes() / 1e6),
  };
}

/** The counts of several kinds together. */
export function summed(kinds: readonly KindFigures[], set: PictureSet): KindFigures {
  const sum = (count: (one: KindFigures) => number): number => kinds.reduce((total, one) => total + count(one), 0);
  return {
    set,
    kind: 'all',
    pictures: sum(({ pictures }) => pictures),
    refused: sum(({ refused }) => refused),
    values: sum(({ values }) => values),
    left: sum(({ left }) => left),
    leftByDetector: sum((one) => one.leftByDetector),
    words: sum(({ words }) => words),
    wordsRead: sum(({ wordsRead }) => wordsRead),
    others: sum(({ others }) => others),
    lost: sum(({ lost }) => lost),
    alteredInnocent: sum(({ alteredInnocent }) => alteredInnocent),
  };
}

/** Shares that may not become worse, for each kind. */
export function ratchetFigures(kinds: readonly KindFigures[]): Figure[] {
  return kinds.flatMap(
    ({ set, kind, pictures, refused, values, left, words, wordsRead, others, lost, alteredInnocent }) => {
      const share = (measure: string, count: number, of: number): Figure[] =>
        of === 0
          ? []
          : [{ name: ['Pictures', 'personal', measure, 'all', `${set}: ${kind}`].join(' | '), value: count / of, of }];
      return [
        ...share('refused', refused, pictures),
        ...share('values left', left, values),
        ...share('words not read', words - wordsRead, words),
        ...share('other words masked', lost, others),
        ...(set === 'innocent' ? share('innocent pictures altered', alteredInnocent, pictures) : []),
      ];
    },
  );
}
