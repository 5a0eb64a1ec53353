/** What cameras, scanners and messengers do to a picture. Each effect returns new pixels, and where each point is now. */
import sharp from 'sharp';
import type { Random } from '../../training/random.ts';
import { projectionTo, turned, type Point, type Projection, type Quad, type Size } from './geometry.ts';

/** Opaque sRGB pixels of three bytes each. */
export interface Pixels extends Size {
  readonly rgb: Buffer;
}

export interface Affected {
  readonly pixels: Pixels;
  /** Where a point of the picture before is now. */
  readonly map: Projection;
}

export type Effect = (pixels: Pixels, random: Random) => Affected | Promise<Affected>;
type Color = readonly [number, number, number];

const inPlace: Projection = (point) => point;
const clamped = (value: number): number => Math.min(255, Math.max(0, Math.round(value)));

/** Changes each channel of each pixel. */
function shaded(
  { width, height, rgb }: Pixels,
  shade: (value: number, x: number, y: number, channel: number) => number,
): Affected {
  const changed = Buffer.alloc(rgb.length);
  for (let at = 0, y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      for (let channel = 0; channel < 3; channel += 1, at += 1)
        changed[at] = clamped(shade(rgb[at] ?? 0, x, y, channel));
  return { pixels: { width, height, rgb: changed }, map: inPlace };
}

/** Projects the picture so that its corners are at these points of a larger surface. */
function projected(pixels: Pixels, corners: Quad, size: Size, surface: (x: number, y: number) => Color): Affected {
  const { map, back } = projectionTo(pixels, corners);
  const rgb = Buffer.alloc(3 * size.width * size.height);
  for (let at = 0, y = 0; y < size.height; y += 1)
    for (let x = 0; x < size.width; x += 1, at += 3) {
      const [fromX, fromY] = back([x + 0.5, y + 0.5]);
      const isInside = fromX >= 0 && fromY >= 0 && fromX < pixels.width && fromY < pixels.height;
      rgb.set(isInside ? sampled(pixels, fromX - 0.5, fromY - 0.5) : surface(x, y), at);
    }
  return { pixels: { ...size, rgb }, map };
}

/** The color between four pixels. */
function sampled({ width, height, rgb }: Pixels, x: number, y: number): number[] {
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)];
  const [toRight, down] = [Math.max(0, x - left), Math.max(0, y - top)];
  const color = (column: number, row: number, channel: number): number =>
    rgb[3 * (row * width + column) + channel] ?? 0;
  return [0, 1, 2].map((channel) => {
    const above = color(left, top, channel) * (1 - toRight) + color(right, top, channel) * toRight;
    const below = color(left, bottom, channel) * (1 - toRight) + color(right, bottom, channel) * toRight;
    return clamped(above * (1 - down) + below * down);
  });
}

/** Turns the picture clockwise on a plain surface. */
export const tilted =
  (degrees: number, color: Color = [255, 255, 255]): Effect =>
  (pixels) => {
    const { corners, size } = turned(pixels, degrees);
    return projected(pixels, corners, size, () => color);
  };

/** Turns the picture by quarters, without any loss. */
export const quarterTurned =
  (degrees: 90 | 180 | 270): Effect =>
  async (pixels) => {
    const { width, height, rgb } = pixels;
    const { corners, size } = turned(pixels, degrees);
    const data = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .rotate(degrees)
      .raw()
      .toBuffer();
    return { pixels: { ...size, rgb: data }, map: projectionTo(pixels, corners).map };
  };

/** A photograph by hand of a sheet or a screen that lies on something: no corner is where it should be. */
export const photographed =
  (surface: 'desk' | 'dark', strength = 0.06): Effect =>
  (pixels, random) => {
    const { width, height } = pixels;
    const margin = 0.08 * Math.max(width, height);
    const size = { width: Math.round(width + 2 * margin), height: Math.round(height + 2 * margin) };
    const shifted = (x: number, y: number): Point => [
      margin + x + (random.next() - 0.5) * 2 * strength * width,
      margin + y + (random.next() - 0.5) * 2 * strength * height,
    ];
    const corners: Quad = [shifted(0, 0), shifted(width, 0), shifted(width, height), shifted(0, height)];
    const grain = (x: number, y: number): number =>
      14 * Math.sin(0.21 * y + 2 * Math.sin(0.013 * x)) + 6 * Math.sin(0.9 * y);
    return projected(pixels, corners, size, (x, y) => {
      const wood = grain(x, y);
      return surface === 'dark' ? [24, 24, 27] : [clamped(148 + wood), clamped(108 + wood), clamped(74 + wood)];
    });
  };

/** Grain of a sensor: each channel differs, or all do as in a scan. @param deviation of a channel, from 0 to 255 */
export const grainy =
  (deviation: number, isGray = false): Effect =>
  (pixels, random) => {
    let common = 0;
    return shaded(pixels, (value, _x, _y, channel) => {
      // The sum of four uniform numbers is close enough to a normal distribution.
      if (channel === 0 || !isGray) common = (random.next() + random.next() + random.next() + random.next() - 2) * 1.73;
      return value + deviation * common;
    });
  };

/** Light from one side, with a warm tint. */
export const litFromSide =
  (darkest: number): Effect =>
  (pixels, random) => {
    const angle = 2 * Math.PI * random.next();
    const [cos, sin] = [Math.cos(angle) / pixels.width, Math.sin(angle) / pixels.height];
    const tint = [1, 0.975, 0.93];
    return shaded(pixels, (value, x, y, channel) => {
      const light = Math.min(1, Math.max(0, 0.5 + (x - pixels.width / 2) * cos + (y - pixels.height / 2) * sin));
      return value * (darkest + (1 - darkest) * light) * (tint[channel] ?? 1);
    });
  };

/** Specks of dust and a gray base, as on a copier. */
export const copied: Effect = (pixels, random) => {
  const result = shaded(pixels, (value) => 22 + value * 0.88);
  const { width, height, rgb } = result.pixels;
  for (let count = (width * height) / 6000; count > 0; count -= 1) {
    const at = 3 * random.int(0, width * height - 3);
    rgb.fill(random.int(60, 150), at, at + 6);
  }
  return result;
};

/** The rows and columns of a screen beat with those of the sensor: slow waves of brightness and color. */
export const moire =
  (strength: number): Effect =>
  (pixels, random) => {
    const [period, tilt, phase] = [9 + 8 * random.next(), 0.15 + 0.2 * random.next(), 6 * random.next()];
    return shaded(pixels, (value, x, y, channel) => {
      const wave = Math.sin((2 * Math.PI * (x + tilt * y)) / period + phase + channel * 1.1);
      const rows = Math.sin((2 * Math.PI * (y - tilt * x)) / (1.37 * period) + channel * 0.7);
      const raster = (x + channel) % 3 === 0 ? -0.25 : 0.12;
      return value * (1 + strength * (0.5 * wave + 0.3 * rows + raster)) + 10;
    });
  };

/** The camera moves while the shutter is open. @param length of the way, in pixels */
export const moved =
  (length: number): Effect =>
  async ({ width, height, rgb }, random) => {
    const angle = Math.PI * random.next();
    const side = 2 * Math.ceil(length / 2) + 1;
    const kernel = Array<number>(side * side).fill(0);
    const steps = 16 * side;
    for (let step = 0; step < steps; step += 1) {
      const way = ((step + 0.5) / steps - 0.5) * length;
      const [column, row] = [Math.cos(angle), Math.sin(angle)].map((part) => Math.round(way * part + (side - 1) / 2));
      const at = (row ?? 0) * side + (column ?? 0);
      kernel[at] = (kernel[at] ?? 0) + 1;
    }
    const data = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .convolve({ width: side, height: side, kernel, scale: steps })
      .raw()
      .toBuffer();
    return { pixels: { width, height, rgb: data }, map: inPlace };
  };

/** Fewer pixels, and a soft lens. @param scale below 1 */
export const scaledBy =
  (scale: number): Effect =>
  async ({ width, height, rgb }) => {
    const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
    const data = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .resize({ ...size, fit: 'fill', kernel: 'cubic' })
      .raw()
      .toBuffer();
    return { pixels: { ...size, rgb: data }, map: ([x, y]) => [(x * size.width) / width, (y * size.height) / height] };
  };

/** A lens that is not in focus. @param sigma of the blur, in pixels */
export const blurred =
  (sigma: number): Effect =>
  async ({ width, height, rgb }) => {
    const data = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .blur(sigma)
      .raw()
      .toBuffer();
    return { pixels: { width, height, rgb: data }, map: inPlace };
  };
