/** Measures the redaction of pictures. See `node hack/eval/main.ts --help`. */
import { join } from 'node:path';
import { worseFigures } from '../shippedFigures.ts';
import { startPageBrowser } from './browser.ts';
import {
  evaluatePictures,
  imageFigures,
  isInSample,
  kindFigures,
  ratchetFigures,
  summed,
  type ImageFigures,
  type KindFigures,
} from './evaluation.ts';
import { pictureSpecs } from './pictures.ts';
import { startRedactor } from './redactor.ts';
import { readShippedImages, writePage } from './report.ts';

const pageFolder = join(import.meta.dirname, '../../../.local/images');

/**
 * Measures pictures and writes a page with them.
 * @param patterns only pictures whose name matches one of these regular expressions; empty: all
 * @returns the figures of all, and those of the sample that the tests measure
 */
export async function measureImages(
  patterns: readonly string[],
): Promise<{ figures: ImageFigures; sample: KindFigures[] }> {
  const wanted = new RegExp(patterns.join('|'));
  const specs = pictureSpecs.filter(({ name }) => wanted.test(name));
  const browser = await startPageBrowser();
  const redactor = startRedactor();
  try {
    const evaluated = await evaluatePictures(specs, browser, redactor, ({ picture: { spec }, score }) => {
      process.stderr.write(`${spec.name}: ${score.isRefused ? 'refused' : `${score.left.length} left`}\n`);
    });
    const figures = imageFigures(evaluated, redactor);
    await writePage(pageFolder, evaluated, figures);
    return { figures, sample: kindFigures(evaluated.filter(({ picture }) => isInSample(picture.spec))) };
  } finally {
    await browser.close();
    await redactor.close();
  }
}

/** Measures the sample. */
export async function measureSample(): Promise<KindFigures[]> {
  const browser = await startPageBrowser();
  const redactor = startRedactor();
  try {
    return kindFigures(await evaluatePictures(pictureSpecs.filter(isInSample), browser, redactor));
  } finally {
    await browser.close();
    await redactor.close();
  }
}

/** The shares of each set. A kind has one picture in the sample, which another processor can read a little differently. */
const ofSets = (sample: readonly KindFigures[]): ReturnType<typeof ratchetFigures> =>
  ratchetFigures(
    (['plain', 'hard', 'innocent'] as const).map((set) =>
      summed(
        sample.filter((one) => one.set === set),
        set,
      ),
    ),
  );

/** One line for each share of a set of the sample that is worse than the shipped one, and than chance allows. */
export function worseImages(sample: readonly KindFigures[]): string[] {
  return worseFigures({ seeds: [], figures: ofSets(readShippedImages().sample) }, ofSets(sample));
}
