/** Reads the text of a picture. Runs in the worker alone. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Worker as Thread } from 'node:worker_threads';
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js';
import type { Box, Line, Word } from './contract.ts';
import { enlarge, rotate, type GrayImage } from './raster.ts';
import { findTextAreas, type TextAreas } from './textAreas.ts';

/** An engine that reads greys, in a thread of its own: it is busy for seconds, and cannot be asked to stop. */
export interface Ocr {
  read(greys: GrayImage): Promise<Line[][]>;
  /** The processor time that it has used, in milliseconds. */
  usedMs(): Promise<number>;
  /** Ends it, whatever it is doing. What was being read is never answered. */
  end(): void;
}

interface RecognizedWord extends Word {
  readonly confidence: number;
}

/** Letters of 20 to 40 pixels are read best, screens have them of 8 to 16. A picture of at most so many pixels is enlarged. */
const SMALL_PICTURE = 1_500_000;
const SMALL_PICTURE_SCALE = 3;
/** Pixels: words of a larger picture that are lower than this are read again, enlarged. */
const SMALL_PRINT = 18;
/** Pixels that are read at once, after enlarging: what they take in memory is about ten times as many bytes. */
const STRIP_PIXELS = 4_000_000;
/** Rows, before enlarging, that two strips share, so that a line is whole in one of them. */
const STRIP_OVERLAP = 64;
/** What is more certain than this has been read. */
const CERTAIN = 60;
/** So few certain words, and the picture may lie on its side. */
const FEW_WORDS = 3;
/** Pixels: no letter is lower or narrower and still one. */
const LEAST_SIDE = 6;

/** @throws Error where the language data or the engine cannot be loaded. */
export async function createOcr(): Promise<Ocr> {
  const data = join(dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng'))), '4.0.0_best_int');
  const engine = await createWorker('eng', OEM.LSTM_ONLY, {
    langPath: data,
    gzip: true,
    // Nothing is downloaded, and nothing is written beside the program.
    cacheMethod: 'none',
    errorHandler: () => undefined,
  });
  // The library's types leave it out.
  const { worker: thread } = engine as unknown as { readonly worker: Thread };
  return {
    read: (greys) => readAll(engine, greys),
    async usedMs() {
      const { user, system } = await thread.cpuUsage();
      return (user + system) / 1000;
    },
    end: () => void thread.terminate(),
  };
}

async function readAll(engine: Worker, picture: GrayImage): Promise<Line[][]> {
  if (Math.min(picture.width, picture.height) < LEAST_SIDE) return [];
  const areas = findTextAreas(picture);
  if (areas.isEmpty) return [];
  const print = areas.shown();
  // The engine looks at each line that it cannot read as a negative, too: of a dark page that would be every line.
  const page = areas.isLightOnDark ? negative(print) : print;
  const isSmall = page.width * page.height <= SMALL_PICTURE;
  const read = (greys: GrayImage, scale: number, mode: PSM): Promise<RecognizedWord[][]> =>
    readStrips(engine, greys, { scale, mode, areas });
  const whole = await read(page, isSmall ? SMALL_PICTURE_SCALE : areas.hasSmallPrint ? 2 : 1, PSM.AUTO);
  const isReadSmall = isSmall || areas.hasSmallPrint;
  const again = !isReadSmall && isSmallPrint(whole) ? await read(page, 2, PSM.AUTO) : [];
  // What the layout hid, such as light words on a dark bar, and words that stand alone: with the rest taken away.
  const rest = without(page, [...whole, ...again].flat().filter(isRead));
  const scale = isReadSmall || again.length > 0 ? 2 : 1;
  const left = await read(negative(rest), scale, PSM.SPARSE_TEXT);
  // Letters that are too large for the strips of an enlarged picture.
  const large = !isSmall && scale > 1 && again.length === 0 ? await read(rest, 1, PSM.AUTO) : [];
  const passes = [whole, again, left, large];
  if (countRead(passes.flat()) < FEW_WORDS) passes.push(await readTurned(engine, page, scale));
  return passes.filter((lines) => lines.length > 0);
}

function countRead(lines: readonly RecognizedWord[][]): number {
  return lines.flat().filter(isRead).length;
}

function isSmallPrint(lines: readonly RecognizedWord[][]): boolean {
  const heights = lines.flatMap((line) => line.filter(isRead).map(({ box }) => box.height)).sort((a, b) => a - b);
  return (heights[heights.length >> 2] ?? Infinity) < SMALL_PRINT;
}

function isRead({ text, confidence }: RecognizedWord): boolean {
  return confidence >= CERTAIN && /[\p{L}\p{N}]{2}/u.test(text);
}

/** For a picture that lies on its side, or upside down, without saying so. */
async function readTurned(engine: Worker, greys: GrayImage, scale: number): Promise<RecognizedWord[][]> {
  for (const degrees of [90, 270, 180] as const) {
    const lines = await readStrips(engine, await rotate(greys, degrees), { scale, mode: PSM.AUTO });
    if (countRead(lines) < FEW_WORDS) continue;
    return lines.map((line) => line.map((word) => ({ ...word, box: turnedBack(word.box, greys, degrees) })));
  }
  return [];
}

function turnedBack({ left, top, width, height }: Box, whole: GrayImage, degrees: 90 | 180 | 270): Box {
  switch (degrees) {
    case 90:
      return { left: top, top: whole.height - left - width, width: height, height: width };
    case 180:
      return { left: whole.width - left - width, top: whole.height - top - height, width, height };
    case 270:
      return { left: whole.width - top - height, top: left, width: height, height: width };
  }
}

interface StripOptions {
  readonly scale: number;
  readonly mode: PSM;
  /** Where there can be text; default everywhere. */
  readonly areas?: TextAreas;
}

async function readStrips(
  engine: Worker,
  greys: GrayImage,
  { scale, mode, areas }: StripOptions,
): Promise<RecognizedWord[][]> {
  const rows = Math.max(4 * STRIP_OVERLAP, Math.floor(STRIP_PIXELS / (greys.width * scale * scale)));
  const lines: RecognizedWord[][] = [];
  for (let top = 0; top < greys.height; top += rows - STRIP_OVERLAP) {
    const height = Math.min(rows, greys.height - top);
    if (areas?.isIn(top, top + height) ?? true) {
      lines.push(...(await readStrip(engine, await enlarge(greys, top, height, scale), scale, top, mode)));
    }
    if (top + height >= greys.height) break;
  }
  return lines;
}

async function readStrip(
  engine: Worker,
  strip: GrayImage,
  scale: number,
  top: number,
  mode: PSM,
): Promise<RecognizedWord[][]> {
  await engine.setParameters({ tessedit_pageseg_mode: mode });
  const { data } = await engine.recognize(portableGreyMap(strip), {}, { text: false, blocks: true });
  return (data.blocks ?? [])
    .flatMap(({ paragraphs }) => paragraphs)
    .flatMap(({ lines }) => lines)
    .map(({ words }) =>
      words
        .filter(({ text }) => /\S/.test(text))
        .map(({ text, confidence, bbox }) => ({
          text,
          confidence,
          box: {
            left: bbox.x0 / scale,
            top: top + bbox.y0 / scale,
            width: (bbox.x1 - bbox.x0) / scale,
            height: (bbox.y1 - bbox.y0) / scale,
          },
        })),
    )
    .filter((line) => line.length > 0);
}

/** The engine's own image library reads it as it is. */
function portableGreyMap({ width, height, data }: GrayImage): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]);
}

/** Fills boxes with the shade beside them. */
function without(greys: GrayImage, words: readonly Word[]): GrayImage {
  const { width, height } = greys;
  const data = Buffer.from(greys.data);
  for (const { box } of words) {
    const left = Math.max(0, Math.floor(box.left) - 1);
    const right = Math.min(width, Math.ceil(box.left + box.width) + 1);
    const bottom = Math.min(height, Math.ceil(box.top + box.height) + 1);
    const top = Math.max(0, Math.floor(box.top) - 1);
    const shade = greys.data[Math.max(0, top - 1) * width + Math.max(0, left - 1)] ?? 255;
    for (let y = top; y < bottom; y += 1) data.fill(shade, y * width + left, y * width + right);
  }
  return { width, height, data };
}

function negative({ width, height, data }: GrayImage): GrayImage {
  const inverse = Buffer.allocUnsafe(data.length);
  for (let at = 0; at < data.length; at += 1) inverse[at] = 255 - (data[at] ?? 0);
  return { width, height, data: inverse };
}
