/** Reads the text of an image. Runs only in the process for images. */
import sharp from 'sharp';
import type { TextLine } from './contract.ts';
import { decode, type Recognized } from './ctc.ts';
import { axisDifference, type Rectangle } from './geometry.ts';
import { columnsOf, copyLine, LINE_HEIGHT, Scales, type Pixels } from './lineCrops.ts';
import type { Networks } from './networks.ts';
import { findTextLines, type PageLines, type ProbabilityMap } from './textRegions.ts';

/** A larger image is reduced to this number of pixels for the detection network. */
const DETECTION_PIXELS = 2_000_000;
/** The maximum number of pixels of a strip. The detection network takes 240 bytes of memory for each. */
const STRIP_PIXELS = 800_000;
/** The overlap of two strips, in rows. */
const STRIP_OVERLAP = 64;
/** A smaller image is enlarged to this number of pixels, at most twice, so that small print is found. */
const ENLARGED_PIXELS = 1_000_000;
/** Sides of the input of the detection network are multiples of it. */
const GRID = 32;
/** The maximum number of columns of the lines that are recognized at once: 20 MB of output. */
const BATCH_COLUMNS = 2400;
/** The maximum number of lines of an image, and of columns of all of them: four full pages of small print. */
const MAX_LINES = 3000;
const MAX_COLUMNS = 200_000;
/** The number of lines that vote on whether the page is upside down. */
const VOTERS = 5;
/** The confidence from which the direction of a line is not in doubt. */
const SURE = 0.9;
/** The longest stretch of a line without a character, as a multiple of its height. A longer one has text that was not read. */
const MAX_GAP = 2.5;
/** The confidence below which a line counts as unread. */
const MIN_CONFIDENCE = 0.85;

/** Called before each step of a read, which takes at most a second. It throws to cancel the read. */
export type Checkpoint = () => Promise<void>;

export interface PageText {
  /** The direction in which most lines run, in radians, clockwise from the right. */
  readonly angle: number;
  readonly lines: readonly TextLine[];
}

/**
 * @returns undefined for an image with too much text
 */
export async function readPage(
  networks: Networks,
  image: Pixels,
  checkpoint: Checkpoint,
): Promise<PageText | undefined> {
  const { axis, lines: found } = await findLines(networks, image, checkpoint);
  const columns = found.reduce((sum, line) => sum + columnsOf(line), 0);
  if (found.length > MAX_LINES || columns > MAX_COLUMNS) return undefined;
  const lines = found.map((line): BothWays => ({ line, turned: { ...line, angle: line.angle + Math.PI } }));
  const reader = new LineReader(networks, image, checkpoint);
  const isTurned = await isUpsideDown(
    lines.filter(({ line }) => !isAcross(line, axis)),
    reader,
  );
  await reader.read(lines.map(({ line, turned }) => (isTurned && !isAcross(line, axis) ? turned : line)));
  // A line across the page can run both ways.
  const doubtful = lines.filter(({ line }) => isAcross(line, axis) && reader.confidenceOf(line) < SURE);
  await reader.read(doubtful.map(({ turned }) => turned));
  return {
    angle: isTurned ? axis + Math.PI : axis,
    lines: lines.map(({ line, turned }) =>
      reader.scoreOf(turned) > reader.scoreOf(line) ? reader.textOf(turned) : reader.textOf(line),
    ),
  };
}

/** A line, and the same line in the opposite direction. */
interface BothWays {
  readonly line: Rectangle;
  readonly turned: Rectangle;
}

/** The longest lines vote. */
async function isUpsideDown(lines: readonly BothWays[], reader: LineReader): Promise<boolean> {
  const voters = lines.toSorted((a, b) => columnsOf(b.line) - columnsOf(a.line)).slice(0, VOTERS);
  await reader.read(voters.map(({ line }) => line));
  if (voters.every(({ line }) => reader.confidenceOf(line) >= SURE)) return false;
  await reader.read(voters.map(({ turned }) => turned));
  const sumOf = (scores: readonly number[]): number => scores.reduce((sum, score) => sum + score, 0);
  return (
    sumOf(voters.map(({ turned }) => reader.scoreOf(turned))) > sumOf(voters.map(({ line }) => reader.scoreOf(line)))
  );
}

/** Reads lines, each at most once. */
class LineReader {
  readonly #networks: Networks;
  readonly #scales: Scales;
  readonly #checkpoint: Checkpoint;
  readonly #read = new Map<Rectangle, Recognized>();

  constructor(networks: Networks, image: Pixels, checkpoint: Checkpoint) {
    this.#networks = networks;
    this.#scales = new Scales(image);
    this.#checkpoint = checkpoint;
  }

  async read(lines: readonly Rectangle[]): Promise<void> {
    for (const batch of batchesOf(lines.filter((line) => !this.#read.has(line)))) {
      await this.#checkpoint();
      await this.#readBatch(batch);
    }
  }

  confidenceOf(line: Rectangle): number {
    return this.#read.get(line)?.confidence ?? 0;
  }

  /** Returns how much of a line was read, and how well. */
  scoreOf(line: Rectangle): number {
    return (this.#read.get(line)?.length ?? 0) * this.confidenceOf(line);
  }

  textOf(box: Rectangle): TextLine {
    const { words, length, gap } = this.#read.get(box) ?? { words: [], length: 0, gap: 1 };
    // Letters of an unknown script are read as few others, or not at all, beside digits that are read.
    const isSparse =
      (box.width > 2 * box.height && length < box.width / box.height) || gap * box.width > MAX_GAP * box.height;
    return { box, words, isUnread: this.confidenceOf(box) < MIN_CONFIDENCE || isSparse };
  }

  async #readBatch(batch: readonly Rectangle[]): Promise<void> {
    const width = Math.max(...batch.map(columnsOf));
    const size = 3 * LINE_HEIGHT * width;
    const input = new Float32Array(batch.length * size);
    for (const [at, line] of batch.entries()) {
      copyLine(this.#scales, line, { data: input, start: at * size, rowLength: width });
    }
    const { data, steps, classes } = await this.#networks.recognize(input, batch.length, width);
    for (const [at, line] of batch.entries()) {
      const count = Math.min(steps, Math.max(1, Math.round((columnsOf(line) * steps) / width)));
      this.#read.set(line, decode({ data, classes, first: at * steps, count }, this.#networks.characters));
    }
  }
}

async function findLines(networks: Networks, image: Pixels, checkpoint: Checkpoint): Promise<PageLines> {
  const { width, height } = image;
  const toSize = (pixels: number): number => Math.sqrt(pixels / (width * height));
  const scale = Math.min(Math.max(1, Math.min(2, toSize(ENLARGED_PIXELS))), toSize(DETECTION_PIXELS));
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const rgb = await sharp(image.rgb, { raw: { width, height, channels: 3 } })
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer();
  const { axis, lines } = findTextLines(await detectInStrips(networks, { ...size, rgb }, checkpoint));
  return {
    axis,
    lines: lines.map(({ x, y, width: long, height: short, angle }) => ({
      ...{ x: x / scale, y: y / scale, width: long / scale, height: short / scale, angle },
    })),
  };
}

/** Detects the text of strips that overlap, and puts the results together. */
async function detectInStrips(
  networks: Networks,
  { width, height, rgb }: Pixels,
  checkpoint: Checkpoint,
): Promise<ProbabilityMap> {
  const map = new Float32Array(width * height);
  const columns = GRID * Math.ceil(width / GRID);
  const rows = Math.min(GRID * Math.ceil(height / GRID), GRID * Math.max(6, Math.floor(STRIP_PIXELS / columns / GRID)));
  for (let top = 0; ; top += rows - STRIP_OVERLAP) {
    await checkpoint();
    const input = new Float32Array(3 * rows * columns);
    for (let row = 0; row < rows; row += 1) {
      const from = 3 * width * Math.min(height - 1, top + row);
      for (let column = 0; column < columns; column += 1) {
        const at = from + 3 * Math.min(width - 1, column);
        for (let channel = 0; channel < 3; channel += 1) {
          input[((2 - channel) * rows + row) * columns + column] = (rgb[at + channel] ?? 0) / 127.5 - 1;
        }
      }
    }
    const { data } = await networks.detect(input, columns, rows);
    // The network knows least about the rows at the border of a strip.
    const first = top === 0 ? 0 : STRIP_OVERLAP / 2;
    for (let row = first; row < rows && top + row < height; row += 1) {
      map.set(data.subarray(row * columns, row * columns + width), (top + row) * width);
    }
    if (top + rows >= height) return { width, height, data: map };
  }
}

/** Lines of similar width are recognized together, since all get the width of the widest. */
function* batchesOf(lines: readonly Rectangle[]): Generator<readonly Rectangle[]> {
  let batch: Rectangle[] = [];
  for (const line of [...lines].sort((a, b) => columnsOf(a) - columnsOf(b))) {
    if (batch.length > 0 && (batch.length + 1) * columnsOf(line) > BATCH_COLUMNS) {
      yield batch;
      batch = [];
    }
    batch.push(line);
  }
  if (batch.length > 0) yield batch;
}

function isAcross({ angle }: Rectangle, axis: number): boolean {
  return axisDifference(angle, axis) > Math.PI / 4;
}
