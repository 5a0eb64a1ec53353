import { expect } from 'chai';
import sharp from 'sharp';
import { UnreadableImageError, type ImageFormat, type ImageFile, type ImageProblem } from './contract.ts';
import { dataUrlOf, isRemote, parseImageDataUrl } from './dataUrl.ts';
import { inspect, MAX_SIDE } from './inspect.ts';
import { chunk, pngOf, pngWith, segment, withSegments } from './testing/files.ts';

const plain = sharp({ create: { width: 40, height: 30, channels: 3, background: '#369' } });
const made = async (format: ImageFormat, options = {}): Promise<Buffer> =>
  plain.clone().toFormat(format, options).toBuffer();

function problemOf(action: () => unknown): ImageProblem | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableImageError) return error.problem;
    throw error;
  }
}

/** The trailer of Samsung cameras, with this directory length in its footer. */
function samsungParts(length: number): Buffer {
  const foot = Buffer.from('\0\0\0\0SEFT', 'latin1');
  foot.writeUInt32LE(length, 0);
  return Buffer.concat([Buffer.from('Image_UTC_Data1574085000000'), Buffer.from('SEFH'), Buffer.alloc(12), foot]);
}

/** Files without the signature of a supported format. Some are dangerous to open. */
const OTHER_FILES: readonly (readonly [what: string, content: string | Buffer])[] = [
  ['nothing', ''],
  ['one byte', '\x89'],
  ['text', 'Anna Schmidt'],
  ['SVG with a script', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  [
    'SVG with an external entity',
    '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>',
  ],
  ['GIF', 'GIF89a\x01\0\x01\0\0\0\0;'],
  ['TIFF', 'II*\0\x08\0\0\0'],
  ['BMP', 'BM\0\0\0\0'],
  ['PDF', '%PDF-1.7\n'],
  ['AVIF', '\0\0\0\x1cftypavif'],
  ['ICO', '\0\0\x01\0'],
  ['ImageMagick script', 'push graphic-context\nfill \'url(https://127.0.0.1/"|id")\'\npop graphic-context'],
];

describe('inspect', () => {
  let png: Buffer, jpeg: Buffer, webp: Buffer;
  before(async () => {
    [png, jpeg, webp] = [await made('png'), await made('jpeg'), await made('webp')];
  });

  for (const [what, content] of OTHER_FILES) {
    it(`refuses ${what}`, () => {
      expect(problemOf(() => inspect(Buffer.from(content as string, 'latin1')))).to.equal('format');
    });
  }

  it('accepts lossy and lossless PNG, JPEG and WebP files of common encoders', async () => {
    const files: [Buffer, ImageFormat, boolean][] = [
      [png, 'png', true],
      [await made('png', { palette: true }), 'png', true],
      [await made('png', { progressive: true }), 'png', true],
      [await plain.clone().toColourspace('rgb16').png().toBuffer(), 'png', true],
      [jpeg, 'jpeg', false],
      [await made('jpeg', { progressive: true }), 'jpeg', false],
      [await plain.clone().toColourspace('cmyk').jpeg().toBuffer(), 'jpeg', false],
      [await plain.clone().greyscale().jpeg().toBuffer(), 'jpeg', false],
      [webp, 'webp', false],
      [await made('webp', { lossless: true }), 'webp', true],
      [await plain.clone().ensureAlpha(0.5).webp().toBuffer(), 'webp', false],
    ];
    for (const [file, format, isLossless] of files) {
      const { bytes, mayHaveExtraData, ...properties } = inspect(file);
      expect(properties).to.deep.equal({ format, isLossless });
      expect(bytes).to.have.length(file.length);
      const { icc } = await sharp(file).metadata();
      expect(mayHaveExtraData, format).to.equal(format !== 'png' || icc !== undefined);
    }
  });

  it('reports whether a PNG has extra data, and always reports it for other formats', async () => {
    const palette = await made('png', { palette: true });
    const much = Buffer.alloc(1000, 'Anna Schmidt');
    const files = {
      'with EXIF': await plain
        .clone()
        .withExif({ IFD0: { Artist: 'Anna Schmidt' } })
        .png()
        .toBuffer(),
      'with a comment': pngOf(8, 8, chunk('tEXt', Buffer.from('Author\0Anna Schmidt'))),
      'with an unknown chunk': pngOf(8, 8, chunk('prVt', Buffer.from('anything'))),
      'with a chunk that is too long': pngOf(8, 8, chunk('gAMA', much)),
      'with a duplicate chunk': pngOf(8, 8, chunk('sRGB', Buffer.of(0)), chunk('sRGB', Buffer.of(0))),
      'with an unneeded palette': pngOf(8, 8, chunk('PLTE', Buffer.alloc(6))),
      'with data in the end chunk': Buffer.concat([pngOf(8, 8).subarray(0, -12), chunk('IEND', much)]),
      'with padding': Buffer.concat([png, Buffer.alloc(7)]),
    };
    for (const [what, file] of Object.entries(files)) expect(inspect(file).mayHaveExtraData, what).to.equal(true);
    for (const file of [png, palette, pngOf(8, 8, chunk('gAMA', Buffer.alloc(4)))]) {
      expect(inspect(file).mayHaveExtraData).to.equal(false);
    }
    for (const file of [jpeg, webp]) expect(inspect(file).mayHaveExtraData).to.equal(true);
  });

  it('accepts what cameras insert into a JPEG and append to it, and nothing else', () => {
    const film = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0isommp42', 'latin1');
    const files = {
      'a comment': withSegments(jpeg, segment(0xfe, Buffer.from('Anna Schmidt'))),
      'fill bytes before a comment': withSegments(jpeg, Buffer.alloc(9, 0xff), segment(0xfe, Buffer.from('x'))),
      XMP: withSegments(jpeg, segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x/>'))),
      padding: Buffer.concat([jpeg, Buffer.alloc(7)]),
      'bytes before its end': Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(9), jpeg.subarray(-2)]),
      'a second image': Buffer.concat([jpeg, jpeg]),
      'a second image after padding': Buffer.concat([jpeg, Buffer.alloc(2000), jpeg]),
      'a film': Buffer.concat([jpeg, film, Buffer.alloc(500, 1)]),
      'a Samsung trailer': Buffer.concat([jpeg, samsungParts(16)]),
    };
    for (const [what, file] of Object.entries(files))
      expect(
        problemOf(() => inspect(file)),
        what,
      ).to.equal(undefined);
    const others = {
      'a trailer without a directory': Buffer.concat([jpeg, samsungParts(15)]),
      'a trailer whose directory would begin in the image': Buffer.concat([jpeg, samsungParts(5000)]),
      'an archive that resembles a video': Buffer.concat([jpeg, Buffer.from('PK\x03\x04ftyp')]),
      'an archive after padding': Buffer.concat([jpeg, Buffer.alloc(20), Buffer.from('PK\x03\x04')]),
    };
    for (const [what, file] of Object.entries(others)) {
      expect(
        problemOf(() => inspect(file)),
        what,
      ).to.equal('trailing');
    }
  });

  it('refuses a file that is truncated at any byte', () => {
    for (const file of [png, jpeg, webp]) {
      for (let length = 12; length < file.length; length += 1) {
        expect(
          problemOf(() => inspect(file.subarray(0, length))),
          String(length),
        ).to.equal('damaged');
      }
    }
  });

  it('refuses a file with another file after the image', () => {
    for (const file of [png, jpeg, webp]) {
      for (const other of ['PK\x03\x04', '<script>alert(1)</script>', '%PDF-1.7', '\0\0MZ']) {
        const polyglot = Buffer.concat([file, Buffer.from(other, 'latin1')]);
        expect(
          problemOf(() => inspect(polyglot)),
          other,
        ).to.equal('trailing');
      }
    }
  });

  it('refuses animations', async () => {
    const other = await plain.clone().negate().png().toBuffer();
    const frames = await sharp([png, other], { join: { animated: true } })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer();
    expect((await sharp(frames).metadata()).pages).to.equal(2);
    expect(problemOf(() => inspect(frames))).to.equal('animated');
    expect(problemOf(() => inspect(pngOf(8, 8, chunk('acTL', Buffer.alloc(8)))))).to.equal('animated');
  });

  it('refuses too many pixels without decoding them', async () => {
    expect(problemOf(() => inspect(pngOf(20_000, 20_000)))).to.equal('large');
    expect(problemOf(() => inspect(pngOf(MAX_SIDE + 1, 1)))).to.equal('large');
    expect(problemOf(() => inspect(pngOf(5001, 5000)))).to.equal('large');
    expect(problemOf(() => inspect(pngOf(5000, 5000)))).to.equal(undefined);
    expect(problemOf(() => inspect(pngOf(0, 5)))).to.equal('damaged');
    const deep = (height: number): Buffer => pngWith({ width: 5000, height, depth: 16, type: 6 });
    expect(problemOf(() => inspect(deep(2501)))).to.equal('large');
    expect(problemOf(() => inspect(deep(2500)))).to.equal(undefined);
    expect(problemOf(() => inspect(pngWith({ width: 5, height: 5, type: 5 })))).to.equal('damaged');
    const wide = await sharp({ create: { width: 16_000, height: 4, channels: 3, background: '#369' } })
      .jpeg()
      .toBuffer();
    expect(problemOf(() => inspect(wide))).to.equal('large');
    const tall = await sharp({ create: { width: 4, height: 16_000, channels: 3, background: '#369' } })
      .webp()
      .toBuffer();
    expect(problemOf(() => inspect(tall))).to.equal('large');
  });
});

describe('data URLs of images', () => {
  let png: Buffer, file: ImageFile, base64: string;
  before(async () => {
    png = await made('png');
    file = inspect(png);
    base64 = png.toString('base64');
  });

  it('are parsed in every valid notation', () => {
    const urls = [
      dataUrlOf('png', png),
      `DATA:IMAGE/PNG;BASE64,${base64}`,
      `data:image/png;charset=utf-8;base64,${base64}`,
      ` data: image/png ; base64 ,${base64.replace(/.{76}/g, '$&\r\n')}\n`,
      `data:image/png;base64,${base64.replace(/=+$/, '')}`,
      `data:image/png;base64,${png.toString('base64url')}`,
      `data:image/png;base64,${encodeURIComponent(base64)}`,
    ];
    for (const url of urls) expect(parseImageDataUrl(url), url.slice(0, 40)).to.deep.equal(file);
  });

  const WRONG: readonly (readonly [what: string, url: (base64: string) => string, problem: ImageProblem])[] = [
    ['with another media type', (data) => `data:image/jpeg;base64,${data}`, 'type'],
    ['without a media type', (data) => `data:;base64,${data}`, 'type'],
    ['of plain text', (data) => `data:text/plain;base64,${data}`, 'type'],
    ['without base64', () => 'data:image/png,%89PNG', 'syntax'],
    [
      'with an invalid base64 character',
      (data) => `data:image/png;base64,${data.slice(0, 40)}!${data.slice(40)}`,
      'syntax',
    ],
    [
      'with an excess base64 character',
      (data) => `data:image/png;base64,${data.replace(/=+$/, '').slice(0, 41)}`,
      'syntax',
    ],
    ['with an invalid percent escape', (data) => `data:image/png;base64,${data}%2`, 'syntax'],
    ['without data', () => 'data:image/png;base64,', 'empty'],
    ['with only padding', () => 'data:image/png;base64,==', 'empty'],
    ['without a comma', () => `data:image/png;base64${' '.repeat(100_000)}`, 'syntax'],
    ['that is only base64', (data) => data, 'syntax'],
    ['that is not a URL', () => 'x', 'syntax'],
    ['without any text', () => '', 'syntax'],
    ['of SVG', () => `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`, 'format'],
  ];
  for (const [what, url, problem] of WRONG) {
    it(`are refused ${what}`, () => {
      expect(problemOf(() => parseImageDataUrl(url(base64)))).to.equal(problem);
    });
  }

  it('are distinguished from URLs', () => {
    for (const address of ['https://example.org/a.png', ' HTTP://x', 'gs://bucket/a', 's3://bucket/a', 'file:x']) {
      expect(isRemote(address), address).to.equal(true);
    }
    for (const other of ['data:image/png;base64,AA==', ' DATA:x', 'iVBORw0KGgo=', '', 'x']) {
      expect(isRemote(other), other).to.equal(false);
    }
  });
});
