import { expect } from 'chai';
import sharp from 'sharp';
import { UnreadableImageError, type ImageFormat } from './contract.ts';
import { encodeImage, fillAreas, decodeImage, type Raster } from './raster.ts';
import { segment, withSegments } from './testing/files.ts';

type Color = readonly [number, number, number];

const RED: Color = [200, 30, 30];
const BLUE: Color = [30, 30, 200];

/** 60 × 40 blue pixels with a red area of 20 × 10 at the top left. */
const corner = sharp(
  await sharp({ create: { width: 60, height: 40, channels: 3, background: { r: 30, g: 30, b: 200 } } })
    .composite([
      {
        input: { create: { width: 20, height: 10, channels: 3, background: { r: 200, g: 30, b: 30 } } },
        left: 0,
        top: 0,
      },
    ])
    .removeAlpha()
    .png()
    .toBuffer(),
);

function at({ width, rgb }: Raster, x: number, y: number): Color {
  const place = 3 * (y * width + x);
  return [rgb[place] ?? 0, rgb[place + 1] ?? 0, rgb[place + 2] ?? 0];
}

function expectNear(color: Color, expected: Color, what: string, tolerance = 40): void {
  const distance = Math.max(...color.map((value, channel) => Math.abs(value - (expected[channel] ?? 0))));
  expect(distance, `${what}: ${color.join()} for ${expected.join()}`).to.be.at.most(tolerance);
}

describe('rasters', () => {
  const FORMATS: Record<string, () => Promise<Buffer>> = {
    PNG: async () => corner.clone().png().toBuffer(),
    'PNG with a palette': async () => corner.clone().png({ palette: true }).toBuffer(),
    'PNG, interlaced': async () => corner.clone().png({ progressive: true }).toBuffer(),
    'PNG with 16 bits': async () => corner.clone().toColourspace('rgb16').png().toBuffer(),
    'PNG with an opaque alpha channel': async () => corner.clone().ensureAlpha().png().toBuffer(),
    JPEG: async () => corner.clone().jpeg().toBuffer(),
    'JPEG, progressive': async () => corner.clone().jpeg({ progressive: true }).toBuffer(),
    'JPEG in CMYK': async () => corner.clone().toColourspace('cmyk').jpeg().toBuffer(),
    'JPEG with another color profile': async () => corner.clone().withIccProfile('p3').jpeg().toBuffer(),
    'JPEG of an unknown version': async () => {
      const header = segment(0xe0, Buffer.from('JFIF\0\x02\x01\0\0\x01\0\x01\0\0', 'latin1'));
      return withSegments(await corner.clone().jpeg().toBuffer(), header);
    },
    'JPEG with zero coefficients in its scan headers': async () => {
      const file = await corner.clone().jpeg().toBuffer();
      const scan = file.indexOf(Buffer.from([0xff, 0xda]));
      return file.fill(0, scan + file.readUInt16BE(scan + 2) - 1, scan + file.readUInt16BE(scan + 2) + 2);
    },
    WebP: async () => corner.clone().webp().toBuffer(),
    'WebP, lossless': async () => corner.clone().webp({ lossless: true }).toBuffer(),
  };
  for (const [what, make] of Object.entries(FORMATS)) {
    it(`decodes ${what}`, async () => {
      const raster = await decodeImage(await make());
      expect(raster).to.include({ width: 60, height: 40, isAltered: false });
      expectNear(at(raster, 5, 5), RED, what);
      // CMYK has no equally saturated blue.
      expectNear(at(raster, 50, 30), BLUE, what, what.includes('CMYK') ? 70 : 40);
    });
  }

  it('decodes grayscale, with and without alpha', async () => {
    const gray = await decodeImage(await corner.clone().greyscale().png().toBuffer());
    expect(at(gray, 5, 5)[0]).to.equal(at(gray, 5, 5)[2]);
    const translucent = await decodeImage(await corner.clone().greyscale().ensureAlpha(0.5).png().toBuffer());
    expect(translucent).to.include({ width: 60, height: 40, isAltered: true });
  });

  for (let orientation = 1; orientation <= 8; orientation += 1) {
    it(`applies the EXIF orientation ${orientation}`, async () => {
      // Stored so that the orientation (EXIF 2.32, 4.6.4 A) moves the red area to the top left.
      const stored = corner.clone().png();
      const upright = sharp(await stored.toBuffer());
      const inverse = {
        1: upright.clone(),
        2: upright.clone().flop(),
        3: upright.clone().rotate(180),
        4: upright.clone().flip(),
        5: sharp(await upright.clone().rotate(90).png().toBuffer()).flop(),
        6: upright.clone().rotate(270),
        7: sharp(await upright.clone().rotate(270).png().toBuffer()).flop(),
        8: upright.clone().rotate(90),
      }[orientation];
      const file = await (inverse ?? upright).withMetadata({ orientation }).jpeg().toBuffer();
      const raster = await decodeImage(file);
      expect(raster).to.include({ width: 60, height: 40 });
      expectNear(at(raster, 5, 5), RED, 'the top left');
      for (const [x, y] of [
        [50, 5],
        [5, 30],
        [50, 30],
      ] as const)
        expectNear(at(raster, x, y), BLUE, `${x}, ${y}`);
    });
  }

  it('removes hidden colors: blends transparent pixels with the background that shows the image best', async () => {
    const svg = (ink: string): Buffer =>
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="9" height="9" fill="${ink}"/></svg>`,
      );
    sharp.unblock({ operation: ['VipsForeignLoadSvg'] });
    const dark = await decodeImage(await sharp(svg('#222')).png().toBuffer());
    expect(at(dark, 50, 30)).to.deep.equal([255, 255, 255]);
    const light = await decodeImage(await sharp(svg('#eee')).png().toBuffer());
    expect(at(light, 50, 30)).to.deep.equal([0, 0, 0]);
    expect([dark.isAltered, light.isAltered]).to.deep.equal([true, true]);
    const secret = await corner.clone().ensureAlpha(0).png().toBuffer();
    expect(new Set((await decodeImage(secret)).rgb).size).to.equal(1);
  });

  it('reduces very large images and reports it', async () => {
    const large = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#369' } })
      .jpeg()
      .toBuffer();
    const { width, height, isAltered } = await decodeImage(large);
    expect(isAltered).to.equal(true);
    expect(width * height).to.be.within(3_900_000, 4_000_000);
    expect(width / height).to.be.closeTo(4 / 3, 0.01);
  });

  it('paints over the pixels under a box up to its edges, and no others', async () => {
    const raster = await decodeImage(await corner.clone().png().toBuffer());
    const before = Buffer.from(raster.rgb);
    fillAreas(raster, [
      { x: 12.4, y: 12.6, width: 20, height: 20, angle: 0 },
      { x: 105, y: 85, width: 100, height: 100, angle: 0 },
      { x: -45, y: -45, width: 10, height: 10, angle: 0 },
    ]);
    const painted = at(raster, 10, 10);
    for (let y = 0; y < 40; y += 1) {
      for (let x = 0; x < 60; x += 1) {
        const isInside = x >= 2 && x < 23 && y >= 2 && y < 23;
        if (isInside) expect(at(raster, x, y), `${x}, ${y}`).to.deep.equal(painted);
        else if (x < 55 || y < 35)
          expect(at(raster, x, y), `${x}, ${y}`).to.deep.equal(at({ ...raster, rgb: before }, x, y));
      }
    }
  });

  it('paints over a tilted area and nothing beside it', async () => {
    const raster = await decodeImage(await corner.clone().png().toBuffer());
    const before = Buffer.from(raster.rgb);
    const angle = Math.PI / 6;
    fillAreas(raster, [{ x: 30, y: 20, width: 30, height: 8, angle }]);
    const painted = at(raster, 30, 20);
    for (let y = 0; y < 40; y += 1) {
      for (let x = 0; x < 60; x += 1) {
        const [right, below] = [x + 0.5 - 30, y + 0.5 - 20];
        const along = Math.abs(right * Math.cos(angle) + below * Math.sin(angle));
        const down = Math.abs(below * Math.cos(angle) - right * Math.sin(angle));
        if (along <= 15 && down <= 4) expect(at(raster, x, y), `${x}, ${y}`).to.deep.equal(painted);
        if (along > 16 || down > 5) {
          expect(at(raster, x, y), `${x}, ${y}`).to.deep.equal(at({ ...raster, rgb: before }, x, y));
        }
      }
    }
  });

  it('encodes the pixels in the same format, without metadata', async () => {
    const raster = await decodeImage(
      await corner
        .clone()
        .withExif({ IFD3: { GPSLatitude: '52/1' } })
        .jpeg()
        .toBuffer(),
    );
    for (const [format, isLossless] of [
      ['png', true],
      ['jpeg', false],
      ['webp', false],
      ['webp', true],
    ] as const) {
      const file = await encodeImage(raster, format satisfies ImageFormat, isLossless);
      const { exif, icc, xmp, iptc, comments, ...metadata } = await sharp(file).metadata();
      expect(metadata).to.include({ format, width: 60, height: 40, hasAlpha: false });
      expect([exif, icc, xmp, iptc, comments]).to.deep.equal(Array(5).fill(undefined));
      expectNear(at(await decodeImage(file), 5, 5), RED, format);
    }
  });

  it('refuses other formats and damaged files', async () => {
    const png = await corner.clone().png().toBuffer();
    const damaged = Buffer.from(png);
    const middle = png.length >> 1;
    damaged.fill(0x55, middle, middle + 8);
    const files = {
      SVG: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      GIF: await corner.clone().gif().toBuffer(),
      TIFF: await corner.clone().tiff().toBuffer(),
      nothing: Buffer.alloc(0),
      'damaged PNG': damaged,
      'cut JPEG': (await corner.clone().jpeg().toBuffer()).subarray(0, 400),
    };
    sharp.block({ operation: ['VipsForeignLoadSvg'] });
    for (const [what, file] of Object.entries(files)) {
      const error: unknown = await decodeImage(file).catch((thrown: unknown) => thrown);
      expect(error, what).to.be.instanceOf(UnreadableImageError);
    }
  });
});
