/** Cuts lines out of an image, turned and scaled for the recognition network. Pure. */
import type { Rectangle } from './geometry.ts';

/** Pixels of three bytes each: red, green, blue. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** The height of a line for the recognition network, in pixels. */
export const LINE_HEIGHT = 48;
/** The minimum width of a line, in pixels. */
const MIN_WIDTH = 16;

/** Returns the width of a line for the recognition network. */
export function columnsOf({ width, height }: Rectangle): number {
  return Math.max(MIN_WIDTH, Math.ceil((LINE_HEIGHT * width) / height));
}

/** The same image at smaller scales, each half of the one before, since reading every tenth pixel makes letters unreadable. */
export class Scales {
  readonly #images: Pixels[];

  constructor(image: Pixels) {
    this.#images = [image];
  }

  /** Returns the image that is reduced by a power of two. */
  at(level: number): Pixels {
    for (;;) {
      const found = this.#images[level];
      const last = this.#images.at(-1);
      if (found || !last) return found ?? { width: 0, height: 0, rgb: new Uint8Array() };
      this.#images.push(halve(last));
    }
  }
}

/** Halves an image. Each value is the mean of up to four. */
function halve({ width, height, rgb }: Pixels): Pixels {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
  const result = new Uint8Array(3 * half.width * half.height);
  let to = 0;
  for (let y = 0; y < half.height; y += 1) {
    const above = 6 * y * width;
    const below = 2 * y + 1 < height ? above + 3 * width : above;
    for (let x = 0; x < half.width; x += 1) {
      const next = 2 * x + 1 < width ? 3 : 0;
      for (let at = 6 * x; at < 6 * x + 3; at += 1, to += 1) {
        const sum =
          (rgb[above + at] ?? 0) +
          (rgb[above + at + next] ?? 0) +
          (rgb[below + at] ?? 0) +
          (rgb[below + at + next] ?? 0);
        result[to] = (sum + 2) >> 2;
      }
    }
  }
  return { ...half, rgb: result };
}

/** Where a line goes in the input of the network. */
export interface Target {
  /** Three planes of {@link LINE_HEIGHT} rows. */
  readonly data: Float32Array;
  /** The offset of the first plane. */
  readonly start: number;
  /** The length of a row. The rest of a row after the line stays 0. */
  readonly rowLength: number;
}

/** Copies a line, with values from -1 to 1: blue, green, red. Pixels outside the image repeat its border. */
export function copyLine(scales: Scales, line: Rectangle, { data, start, rowLength }: Target): void {
  const columns = columnsOf(line);
  const [perColumn, perRow] = [line.width / columns, line.height / LINE_HEIGHT];
  const level = Math.max(0, Math.floor(Math.log2(Math.max(1, perRow))));
  const { width, height, rgb } = scales.at(level);
  const scale = 2 ** level;
  const [cos, sin] = [Math.cos(line.angle), Math.sin(line.angle)];
  const plane = LINE_HEIGHT * rowLength;
  for (let row = 0; row < LINE_HEIGHT; row += 1) {
    const down = (row + 0.5) * perRow - line.height / 2;
    for (let column = 0; column < columns; column += 1) {
      const along = (column + 0.5) * perColumn - line.width / 2;
      const x = Math.min(width - 1, Math.max(0, (line.x + along * cos - down * sin) / scale - 0.5));
      const y = Math.min(height - 1, Math.max(0, (line.y + along * sin + down * cos) / scale - 0.5));
      const [left, top] = [Math.floor(x), Math.floor(y)];
      const [across, below] = [x - left, y - top];
      const first = 3 * (top * width + left);
      const right = left + 1 < width ? 3 : 0;
      const under = top + 1 < height ? 3 * width : 0;
      for (let channel = 0; channel < 3; channel += 1) {
        const at = first + channel;
        const upper = (rgb[at] ?? 0) * (1 - across) + (rgb[at + right] ?? 0) * across;
        const lower = (rgb[at + under] ?? 0) * (1 - across) + (rgb[at + under + right] ?? 0) * across;
        data[start + (2 - channel) * plane + row * rowLength + column] = (upper + (lower - upper) * below) / 127.5 - 1;
      }
    }
  }
}
