/** For tests: textures without letters and with many edges, equal in each run. */
import sharp, { type Sharp } from 'sharp';

/** Uniformly distributed numbers from 0 to 1 (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The distributions of the shades of the spots. */
export const SPOTS = {
  'of all shades': (random: () => number) => 255 * random(),
  // The sum of twelve numbers is approximately normally distributed.
  'of shades around one': (random: () => number) =>
    128 + 60 * (Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, 0) - 6),
  'of black and white': (random: () => number) => (random() < 0.5 ? 0 : 255),
} as const;

export interface Texture {
  readonly width: number;
  readonly height: number;
  readonly spots?: keyof typeof SPOTS;
  /** The size of a spot in pixels. Larger spots than one pixel have soft edges. Default: 1. */
  readonly spotSize?: number;
}

export function texture({ width, height, spots = 'of shades around one', spotSize = 1 }: Texture): Sharp {
  const raw = { width: Math.ceil(width / spotSize), height: Math.ceil(height / spotSize), channels: 3 } as const;
  const random = numbers(1);
  const shades = Buffer.alloc(3 * raw.width * raw.height);
  for (let at = 0; at < shades.length; at += 3) {
    const shade = Math.min(255, Math.max(0, Math.round(SPOTS[spots](random))));
    // A greenish tint, as in photographs of lawns and leaves.
    shades.set([0.9 * shade, shade, 0.8 * shade], at);
  }
  return sharp(shades, { raw }).resize(width, height, { fit: 'fill', kernel: spotSize > 1 ? 'cubic' : 'nearest' });
}
