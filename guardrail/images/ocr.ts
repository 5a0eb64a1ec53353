/** Reads the text of an image. Runs only in the worker. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Worker as Thread } from 'node:worker_threads';
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js';
import type { Box, Line, Word } from './contract.ts';
import { enlarge, rotate, type GrayImage } from './raster.ts';
import { findTextAreas, type TextAreas } from './textAreas.ts';

/** An OCR engine for grayscale images, in its own thread. It is busy for seconds and cannot be interrupted. */
export interface Ocr {
  read(image: GrayImage): Promise<Line[][]>;
  /** The processor time used so far, in milliseconds. */
  usedMs(): Promise<number>;
  /** Terminates the thread. A pending read never settles. */
  end(): void;
}

interface RecognizedWord extends Word {
  readonly confidence: number;
}

/**
 * The maximum number of pixels of an image that is enlarged. OCR is best for letters of 20 to 40 pixels; screens have 8 to 16.
 */
const SMALL_IMAGE = 1_500_000;
const SMALL_IMAGE_SCALE = 3;
/** The height in pixels below which words of a larger image are read again, enlarged. */
const SMALL_PRINT = 18;
/** The maximum number of pixels of a strip, after enlarging. The engine takes about ten bytes of memory per pixel. */
const STRIP_PIXELS = 4_000_000;
/** The overlap of two strips in rows, before enlarging, so that each line is whole in one of them. */
const STRIP_OVERLAP = 64;
/** The confidence from which a word counts as read. */
const MIN_CONFIDENCE = 60;
/** With fewer words than this, the image may be rotated. */
const FEW_WORDS = 3;
/** The minimum width and height in pixels. Smaller shapes are not letters. */
const MIN_SIDE = 6;

/** @throws Error if the language data or the engine cannot be loaded. */
export async function createOcr(): Promise<Ocr> {
  const data = join(dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng'))), '4.0.0_best_int');
  const engine = await createWorker('eng', OEM.LSTM_ONLY, {
    langPath: data,
    gzip: true,
    // Do not download or write files.
    cacheMethod: 'none',
    errorHandler: () => undefined,
  });
  // The types of the library omit this field.
  const { worker: thread } = engine as unknown as { readonly worker: Thread };
  return {
    read: (image) => readAll(engine, image),
    async usedMs() {
      const { user, system } = await thread.cpuUsage();
      return (user + system) / 1000;
    },
    end: () => void thread.terminate(),
  };
}

async function readAll(engine: Worker, image: GrayImage): Promise<Line[][]> {
  if (Math.min(image.width, image.height) < MIN_SIDE) return [];
  const areas = findTextAreas(image);
  if (areas.isEmpty) return [];
  const print = areas.blurBackground();
  // The engine retries each unreadable line as a negative. On a dark page that would be every line.
  const page = areas.isLightOnDark ? negative(print) : print;
  const isSmall = page.width * page.height <= SMALL_IMAGE;
  const read = (input: GrayImage, scale: number, mode: PSM): Promise<RecognizedWord[][]> =>
    readStrips(engine, input, { scale, mode, areas });
  const firstPass = await read(page, isSmall ? SMALL_IMAGE_SCALE : areas.hasSmallPrint ? 2 : 1, PSM.AUTO);
  const isReadEnlarged = isSmall || areas.hasSmallPrint;
  const enlargedPass = !isReadEnlarged && isSmallPrint(firstPass) ? await read(page, 2, PSM.AUTO) : [];
  // Without the words that were read, find what the layout analysis missed: light words on a dark bar, and isolated words.
  const unread = eraseWords(page, [...firstPass, ...enlargedPass].flat().filter(isRead));
  const scale = isReadEnlarged || enlargedPass.length > 0 ? 2 : 1;
  const sparsePass = await read(negative(unread), scale, PSM.SPARSE_TEXT);
  // Letters that are too large for the strips of an enlarged image.
  const largePass = !isSmall && scale > 1 && enlargedPass.length === 0 ? await read(unread, 1, PSM.AUTO) : [];
  const passes = [firstPass, enlargedPass, sparsePass, largePass];
  if (countRead(passes.flat()) < FEW_WORDS) passes.push(await readRotated(engine, page, scale));
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
  return confidence >= MIN_CONFIDENCE && /[\p{L}\p{N}]{2}/u.test(text);
}

/** Reads an image that is rotated without an orientation tag. */
async function readRotated(engine: Worker, image: GrayImage, scale: number): Promise<RecognizedWord[][]> {
  for (const degrees of [90, 270, 180] as const) {
    const lines = await readStrips(engine, await rotate(image, degrees), { scale, mode: PSM.AUTO });
    if (countRead(lines) < FEW_WORDS) continue;
    return lines.map((line) => line.map((word) => ({ ...word, box: rotateBack(word.box, image, degrees) })));
  }
  return [];
}

function rotateBack({ left, top, width, height }: Box, whole: GrayImage, degrees: 90 | 180 | 270): Box {
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
  /** The areas that can contain text. Default: the whole image. */
  readonly areas?: TextAreas;
}

async function readStrips(
  engine: Worker,
  image: GrayImage,
  { scale, mode, areas }: StripOptions,
): Promise<RecognizedWord[][]> {
  const rows = Math.max(4 * STRIP_OVERLAP, Math.floor(STRIP_PIXELS / (image.width * scale * scale)));
  const lines: RecognizedWord[][] = [];
  for (let top = 0; top < image.height; top += rows - STRIP_OVERLAP) {
    const height = Math.min(rows, image.height - top);
    if (areas?.hasTextBetween(top, top + height) ?? true) {
      lines.push(...(await readStrip(engine, await enlarge(image, top, height, scale), scale, top, mode)));
    }
    if (top + height >= image.height) break;
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
  const { data } = await engine.recognize(portableGraymap(strip), {}, { text: false, blocks: true });
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

/** A format that the engine decodes natively. */
function portableGraymap({ width, height, data }: GrayImage): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]);
}

/** Fills boxes with the shade next to them. */
function eraseWords(image: GrayImage, words: readonly Word[]): GrayImage {
  const { width, height } = image;
  const data = Buffer.from(image.data);
  for (const { box } of words) {
    const left = Math.max(0, Math.floor(box.left) - 1);
    const right = Math.min(width, Math.ceil(box.left + box.width) + 1);
    const bottom = Math.min(height, Math.ceil(box.top + box.height) + 1);
    const top = Math.max(0, Math.floor(box.top) - 1);
    const shade = image.data[Math.max(0, top - 1) * width + Math.max(0, left - 1)] ?? 255;
    for (let y = top; y < bottom; y += 1) data.fill(shade, y * width + left, y * width + right);
  }
  return { width, height, data };
}

function negative({ width, height, data }: GrayImage): GrayImage {
  const inverse = Buffer.allocUnsafe(data.length);
  for (let at = 0; at < data.length; at += 1) inverse[at] = 255 - (data[at] ?? 0);
  return { width, height, data: inverse };
}
