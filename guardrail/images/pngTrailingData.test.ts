import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import sharp from 'sharp';
import { UnreadableImageError } from './contract.ts';
import { hasTrailingPixelData } from './pngTrailingData.ts';
import { chunk, pngWith } from './testing/files.ts';

/** 64 × 64 pixels of one bit. Each row begins with a filter byte. */
const PIXELS = deflateSync(Buffer.alloc(64 * 9));
const MORE = Buffer.from('Anna Schmidt');
const png = (pixels: Uint8Array, ...chunks: readonly Buffer[]): Buffer => {
  const file = pngWith({ width: 64, height: 64, pixels });
  return Buffer.concat([file.subarray(0, -12), ...chunks, file.subarray(-12)]);
};

describe('trailing pixel data of a PNG', () => {
  const FILES: Readonly<Record<string, readonly [file: Buffer | Promise<Buffer>, hasMore: boolean]>> = {
    'is absent': [png(PIXELS), false],
    'is absent, in several chunks': [png(PIXELS.subarray(0, 5), chunk('IDAT', PIXELS.subarray(5))), false],
    'is absent, with an empty chunk': [png(PIXELS, chunk('IDAT')), false],
    'is absent, interlaced': [
      sharp({ create: { width: 500, height: 300, channels: 4, background: '#369a' } })
        .png({ progressive: true })
        .toBuffer(),
      false,
    ],
    'is found in the same chunk': [png(Buffer.concat([PIXELS, MORE])), true],
    'is found in a separate chunk': [png(PIXELS, chunk('IDAT', MORE)), true],
    'is found at any length': [png(Buffer.concat([PIXELS, Buffer.alloc(1_000_000, 'Anna')])), true],
  };
  for (const [what, [file, hasMore]] of Object.entries(FILES)) {
    it(what, async () => {
      expect(await hasTrailingPixelData(await file)).to.equal(hasMore);
    });
  }

  it('is refused if it consists of more pixels', async () => {
    const rows = deflateSync(Buffer.alloc(65 * 9));
    const error: unknown = await hasTrailingPixelData(png(rows)).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UnreadableImageError).and.have.property('problem', 'trailing');
  });
});
