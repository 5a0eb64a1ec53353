/** Images for attacks, as data URLs. */
import sharp from 'sharp';
import { draw, note } from '../../../guardrail/images/testing/drawings.ts';

let ordinary: string | undefined;
let dense: Promise<Buffer> | undefined;

export function dataUrl(file: Uint8Array, type = 'image/png'): string {
  return `data:${type};base64,${Buffer.from(file).toString('base64')}`;
}

/** @returns an image with one line of text. */
export async function imageDataUrl(): Promise<string> {
  ordinary ??= dataUrl(await draw(note('The meeting is at noon.')).flatten({ background: '#fff' }).png().toBuffer());
  return ordinary;
}

/** @returns an image full of small print, which takes OCR the longest time. */
export function denseImage(): Promise<Buffer> {
  dense ??= (async () => {
    const size = 2_000;
    const height = size / 5;
    const text = 'Anna Schmidt owes 4111 1111 1111 1111 to bernd.meyer@example.org since May. '.repeat(5);
    const runs = Array.from({ length: height / 12.5 }, (_, at) => ({ x: 4, y: 10 + at * 12.5, text, size: 10.5 }));
    const strip = await draw({ width: size, height, runs }).flatten({ background: '#fff' }).png().toBuffer();
    const plain = sharp({ create: { width: size, height: size, channels: 3, background: '#fff' } });
    const strips = [0, 1, 2, 3, 4].map((at) => ({ input: strip, left: 0, top: at * height }));
    return plain.composite(strips).png().toBuffer();
  })();
  return dense;
}

/** @returns copies of the dense image that differ in one byte, so that a cached OCR result does not apply. */
export async function denseImages(count: number): Promise<string[]> {
  const raw = await sharp(await denseImage())
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = raw.info;
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const pixels = Buffer.from(raw.data);
      pixels[at] = (pixels[at] ?? 0) ^ 0x40;
      return dataUrl(await sharp(pixels, { raw: { width, height, channels } }).png().toBuffer());
    }),
  );
}
