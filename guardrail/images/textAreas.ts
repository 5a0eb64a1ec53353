/**
 * Finds the areas of an image that can contain text, without OCR. Grass, gravel and noise contain many shapes that OCR
 * tries to read as letters, for many seconds and without a result. Letters have one shade and their background has
 * another, so a window of a few letters has two main shades and few others. The shades of a texture lie around one
 * value at any scale: for a normal distribution, two classes explain 2/π of the variance. Pure.
 */
import type { GrayImage } from './raster.ts';

/** The size of a window in pixels, at each scale. Some letters at the best size for OCR fit into it. */
const WINDOW = { width: 48, height: 16 } as const;
/** The largest reduction. Letters of more than 200 pixels look like a single shape. */
const MAX_REDUCTION = 16;
/**
 * The share of the variance that two shades explain if a window has text (Otsu 1979, eta). Measured: letters on a plain
 * background, pale, small or in a poor JPEG, .80 to .95 at the best scale; noise .65; grass and gravel .70 to .75.
 */
const MIN_SEPARATION = 0.78;
/** The minimum contrast, of 255 shades. Smaller differences are one area. */
const MIN_CONTRAST = 12;
/**
 * The maximum number of shade changes per pixel, along rows and along columns. Noise of two shades has 0.5, print 0.1.
 */
const MAX_CHANGES = 0.22;
/** The mean stroke width, in pixels, below which letters must be enlarged for OCR. */
const THIN_STROKE = 2.6;
/** The share of text windows with thin strokes above which the image has small print. */
const SMALL_PRINT_SHARE = 0.05;
/** The side of a cell in pixels. A cell is the smallest area that is distinguished. */
const CELL = 8;
/** The value of a cell without text at any scale. The cell has the smallest scale in the blurred image. */
const NO_TEXT = 255;

export interface TextAreas {
  readonly isEmpty: boolean;
  /** More text is light on dark than dark on light. */
  readonly isLightOnDark: boolean;
  /** Some text has strokes of one or two pixels. */
  readonly hasSmallPrint: boolean;
  /** Returns whether there is text between two rows of pixels. */
  hasTextBetween(top: number, bottom: number): boolean;
  /**
   * Returns the image with its background blurred: each cell has the scale at which its text was found. A heading on a
   * lawn remains sharp, and the grass around it is blurred.
   */
  blurBackground(): GrayImage;
}

export function findTextAreas(image: GrayImage): TextAreas {
  const columns = Math.ceil(image.width / CELL);
  const rows = Math.ceil(image.height / CELL);
  /** The smallest reduction at which each cell has text. */
  const cells = new Uint8Array(columns * rows).fill(NO_TEXT);
  const mark = (reduction: number, { left, top }: WindowPosition): void => {
    // Add half a window on each side, so that no letter is cut at the border of a window.
    const from = Math.max(0, Math.floor((reduction * (left - WINDOW.width / 2)) / CELL));
    const to = Math.min(columns, Math.ceil((reduction * (left + 1.5 * WINDOW.width)) / CELL));
    const first = Math.max(0, Math.floor((reduction * (top - WINDOW.height / 2)) / CELL));
    const last = Math.min(rows, Math.ceil((reduction * (top + 1.5 * WINDOW.height)) / CELL));
    for (let row = first; row < last; row += 1) {
      for (let cell = row * columns + from; cell < row * columns + to; cell += 1) {
        if ((cells[cell] ?? 0) > reduction) cells[cell] = reduction;
      }
    }
  };
  const sizes = [image];
  const seen = { windows: 0, light: 0, fine: 0, thin: 0 };
  for (let reduction = 1; reduction <= MAX_REDUCTION; reduction *= 2) {
    const scaled = sizes.at(-1) ?? image;
    for (const place of windowsOf(scaled)) {
      const print = printIn(scaled, place);
      if (!print) continue;
      mark(reduction, place);
      seen.windows += 1;
      if (print.isLight) seen.light += 1;
      if (reduction === 1) seen.fine += 1;
      if (reduction === 1 && print.stroke < THIN_STROKE) seen.thin += 1;
    }
    sizes.push(halve(scaled));
    if (scaled.width < 2 * WINDOW.width || scaled.height < 2 * WINDOW.height) break;
  }
  return {
    isEmpty: seen.windows === 0,
    isLightOnDark: 2 * seen.light > seen.windows,
    hasSmallPrint: seen.thin > SMALL_PRINT_SHARE * seen.fine,
    hasTextBetween: (top, bottom) =>
      cells
        .subarray(Math.floor(top / CELL) * columns, Math.ceil(bottom / CELL) * columns)
        .some((reduction) => reduction < NO_TEXT),
    blurBackground: () =>
      composeImage(sizes, (x, y) => cells[Math.floor(y / CELL) * columns + Math.floor(x / CELL)] ?? NO_TEXT),
  };
}

/** Windows that overlap by half and end at the border of the image. A smaller image is one window. */
function* windowsOf({ width, height }: GrayImage): Generator<WindowPosition> {
  const starts = (length: number, size: number): number[] => {
    const last = Math.max(0, length - size);
    return [...Array.from({ length: Math.ceil((2 * last) / size) }, (_, at) => (at * size) / 2), last];
  };
  const lefts = starts(width, WINDOW.width);
  for (const top of starts(height, WINDOW.height)) for (const left of lefts) yield { left, top };
}

interface WindowPosition {
  readonly left: number;
  readonly top: number;
}

interface Print {
  readonly isLight: boolean;
  /** The mean stroke width, along rows. */
  readonly stroke: number;
}

/** The histogram of the current window. All windows share it, since there are tens of thousands. */
const counts = new Uint32Array(256);

/** @returns undefined if the window has no text. */
function printIn(image: GrayImage, { left, top }: WindowPosition): Print | undefined {
  const { width, data } = image;
  const right = Math.min(width, left + WINDOW.width);
  const bottom = Math.min(image.height, top + WINDOW.height);
  const all = (right - left) * (bottom - top);
  counts.fill(0);
  let sum = 0;
  let squares = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let at = y * width + left; at < y * width + right; at += 1) {
      const shade = data[at] ?? 0;
      counts[shade] = (counts[shade] ?? 0) + 1;
      sum += shade;
      squares += shade * shade;
    }
  }
  const variance = squares / all - (sum / all) ** 2;
  const split = splitOf(sum, all);
  if (split.contrast < MIN_CONTRAST || split.explained < MIN_SEPARATION * variance) return undefined;
  let along = 0;
  let down = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const at = y * width + x;
      const isLight = (data[at] ?? 0) > split.threshold;
      if (x + 1 < right && isLight !== (data[at + 1] ?? 0) > split.threshold) along += 1;
      if (y + 1 < bottom && isLight !== (data[at + width] ?? 0) > split.threshold) down += 1;
    }
  }
  if (along > MAX_CHANGES * all || down > MAX_CHANGES * all) return undefined;
  const foreground = Math.min(split.dark, all - split.dark);
  return { isLight: 2 * split.dark > all, stroke: along === 0 ? Infinity : (2 * foreground) / along };
}

interface Split {
  /** The lightest of the dark shades. */
  readonly threshold: number;
  /** The number of dark pixels. */
  readonly dark: number;
  /** The difference of the mean shades. */
  readonly contrast: number;
  /** The variance between the two classes. */
  readonly explained: number;
}

/** Finds the threshold that separates the shades best (Otsu 1979). */
function splitOf(sum: number, all: number): Split {
  let best: Split = { threshold: 0, dark: all, contrast: 0, explained: 0 };
  let dark = 0;
  let darkSum = 0;
  for (let threshold = 0; threshold < 255 && dark < all; threshold += 1) {
    const count = counts[threshold] ?? 0;
    if (count === 0) continue;
    dark += count;
    darkSum += threshold * count;
    const light = all - dark;
    if (light === 0) break;
    const contrast = (sum - darkSum) / light - darkSum / dark;
    const explained = (dark / all) * (light / all) * contrast * contrast;
    if (explained > best.explained) best = { threshold, dark, contrast, explained };
  }
  return best;
}

/** Halves an image. Each shade is the mean of up to four pixels. */
function halve({ width, height, data }: GrayImage): GrayImage {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
  const result = Buffer.allocUnsafe(half.width * half.height);
  for (let y = 0; y < half.height; y += 1) {
    const above = 2 * y * width;
    const below = Math.min(2 * y + 1, height - 1) * width;
    for (let x = 0; x < half.width; x += 1) {
      const left = 2 * x;
      const right = Math.min(left + 1, width - 1);
      const four =
        (data[above + left] ?? 0) + (data[above + right] ?? 0) + (data[below + left] ?? 0) + (data[below + right] ?? 0);
      result[y * half.width + x] = (four + 2) >> 2;
    }
  }
  return { ...half, data: result };
}

/** Composes the image from its reduced forms. Each form has half the size of the previous one. */
function composeImage(sizes: readonly GrayImage[], reductionAt: (x: number, y: number) => number): GrayImage {
  const [original] = sizes;
  const smallest = sizes.at(-1);
  if (!original || !smallest) throw new Error('An image has at least one scale.');
  const { width, height } = original;
  const data = Buffer.from(original.data);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += CELL) {
      const reduction = reductionAt(x, y);
      if (reduction === 1) continue;
      const size = sizes[Math.log2(reduction)] ?? smallest;
      for (let at = x; at < Math.min(width, x + CELL); at += 1) {
        data[y * width + at] = shadeAt(size, at / (width / size.width), y / (height / size.height));
      }
    }
  }
  return { width, height, data };
}

/** Interpolates between the four nearest pixels. */
function shadeAt({ width, height, data }: GrayImage, x: number, y: number): number {
  const left = Math.min(width - 1, Math.max(0, Math.floor(x - 0.5)));
  const top = Math.min(height - 1, Math.max(0, Math.floor(y - 0.5)));
  const right = Math.min(width - 1, left + 1);
  const bottom = Math.min(height - 1, top + 1);
  const across = Math.min(1, Math.max(0, x - 0.5 - left));
  const down = Math.min(1, Math.max(0, y - 0.5 - top));
  const above = (data[top * width + left] ?? 0) * (1 - across) + (data[top * width + right] ?? 0) * across;
  const below = (data[bottom * width + left] ?? 0) * (1 - across) + (data[bottom * width + right] ?? 0) * across;
  return Math.round(above * (1 - down) + below * down);
}
