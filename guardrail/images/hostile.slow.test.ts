import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import sharp from 'sharp';
import { startHarness, type Harness } from '../testing/appHarness.ts';
import type { ImageFormat } from './contract.ts';
import { dataUrlOf } from './dataUrl.ts';
import { chunk, pngOf, pngWith, segment, withSegments } from './testing/files.ts';
import { draw, note } from './testing/drawings.ts';

/** The limit of the processor time of a refusal, in milliseconds. Measured on a slow machine: a fiftieth to a fifth of it. */
const WITHIN_MS = 1000;

type Make = () => Promise<string> | string;

const plain = (format: ImageFormat, width = 400, height = 300): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#369' } })
    .toFormat(format)
    .toBuffer();
const url = async (format: ImageFormat, file: Buffer | Promise<Buffer>): Promise<string> =>
  dataUrlOf(format, await file);
const png = (file: Buffer): string => dataUrlOf('png', file);
const text = (type: string, content: string): string =>
  `data:${type};base64,${Buffer.from(content, 'latin1').toString('base64')}`;
const withTrailer = async (format: ImageFormat, other: string): Promise<string> =>
  dataUrlOf(format, Buffer.concat([await plain(format), Buffer.from(other, 'latin1')]));
const cut = async (format: ImageFormat): Promise<string> => {
  const file = await plain(format);
  return dataUrlOf(format, file.subarray(0, file.length >> 1));
};
const repeated = (part: Buffer, bytes: number): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(bytes / part.length) }, () => part));

const SCRIPT = '<svg xmlns="http://www.w3.org/2000/svg"><script>fetch("https://example.org/")</script></svg>';
const ENTITY =
  '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>';
const XML_BOMB = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, at) => `<!ENTITY ${String.fromCharCode(98 + at)} "${`&${String.fromCharCode(97 + at)};`.repeat(10)}">`).join('')}]><svg xmlns="http://www.w3.org/2000/svg"><text>&u;</text></svg>`;

/** Slightly less than the maximum body size. */
const NEAR_LIMIT = 7_000_000;

/** Images that the structure check refuses. */
const INVALID_STRUCTURES: Readonly<Record<string, Make>> = {
  '20,000 × 20,000 pixels': () => png(pngOf(20_000, 20_000)),
  'the maximum number of pixels, of 8 bytes each': () =>
    png(pngWith({ width: 5000, height: 5000, depth: 16, type: 6 })),
  'a truncated PNG': () => cut('png'),
  'a truncated JPEG': () => cut('jpeg'),
  'a truncated WebP': () => cut('webp'),
  'a PNG that is also an archive': () => withTrailer('png', 'PK\x03\x04'),
  'a JPEG that is also a web page': () => withTrailer('jpeg', '<script>alert(1)</script>'),
  'a WebP that is also a PDF': () => withTrailer('webp', '%PDF-1.7'),
  'a GIF that is also a script': () => text('image/gif', 'GIF89a/*\x01\0\x01\0\0\0\0;*/=1;alert(1)'),
  'SVG with a script': () => text('image/svg+xml', SCRIPT),
  'SVG with an external entity': () => text('image/svg+xml', ENTITY),
  'SVG with exponential entities': () => text('image/svg+xml', XML_BOMB),
  'SVG declared as PNG': () => text('image/png', SCRIPT),
  'a PNG declared as WebP': async () => url('webp', plain('png')),
  'a JPEG declared as PNG': async () => url('png', plain('jpeg')),
  'a web page declared as JPEG': () => text('image/jpeg', '<html><script>alert(1)</script></html>'),
  'a PNG declared as a web page': async () => (await url('png', plain('png'))).replace('image/png', 'text/html'),
  'an animated PNG': () => png(pngOf(8, 8, chunk('acTL', Buffer.alloc(8)))),
  'half a million empty chunks': () => png(pngOf(8, 8, repeated(chunk('teST'), NEAR_LIMIT))),
  'half a million empty segments': async () =>
    url('jpeg', withSegments(await plain('jpeg'), repeated(segment(0xfe, Buffer.alloc(0)), NEAR_LIMIT))),
  'a scan that consists of escaped bytes': async () => {
    const file = await plain('jpeg');
    return dataUrlOf('jpeg', Buffer.concat([file.subarray(0, -2), repeated(Buffer.from([0xff, 0]), NEAR_LIMIT)]));
  },
  'a file with a space after each character': () => `data:image/png;base64,${'A '.repeat(NEAR_LIMIT / 2)}`,
  'a file in percent-encoding': () => `data:image/png;base64,${'%41'.repeat(NEAR_LIMIT / 3)}`,
};

/** Images that only the decoder can refuse. */
const INVALID_PIXELS: Readonly<Record<string, Make>> = {
  'damaged pixel data': () => png(Buffer.from(pngOf(64, 64)).fill(0x55, 45, 50)),
  'pixel data that is not compressed': () =>
    png(pngWith({ width: 3000, height: 3000, pixels: Buffer.alloc(100_000, 0x55) })),
  'far fewer pixels than declared': () =>
    png(pngWith({ width: 4000, height: 4000, pixels: deflateSync(Buffer.alloc(5000)) })),
  'far more pixels than declared': () =>
    png(pngWith({ width: 64, height: 64, pixels: deflateSync(Buffer.alloc(64 * 1024 * 1024)) })),
  'a truncated JPEG with an end marker': async () => {
    const file = await sharp({
      create: {
        width: 1000,
        height: 1000,
        channels: 3,
        background: '#777',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .jpeg()
      .toBuffer();
    return dataUrlOf('jpeg', Buffer.concat([file.subarray(0, file.length >> 1), file.subarray(-2)]));
  },
  'a JPEG with a thousand scans': async () => {
    const file = await sharp(await plain('png', 2000, 2000))
      .jpeg({ progressive: true })
      .toBuffer();
    const scan = file.subarray(file.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
    return dataUrlOf(
      'jpeg',
      Buffer.concat([file.subarray(0, -2), repeated(scan, 1000 * scan.length), file.subarray(-2)]),
    );
  },
  'a WebP with a larger canvas than its image': async () => {
    const file = await sharp({ create: { width: 100, height: 100, channels: 4, background: '#36912380' } })
      .webp()
      .toBuffer();
    file.writeUIntLE(4999, 24, 3);
    file.writeUIntLE(4999, 27, 3);
    return dataUrlOf('webp', file);
  },
};

describe('hostile images', function () {
  this.timeout(60_000);
  let harness: Harness;
  before(async () => {
    harness = await startHarness();
  });
  after(async () => {
    await harness.stop();
  });

  interface Answered {
    readonly action: string;
    readonly blocked_reason?: string;
    readonly images?: readonly string[];
  }
  const ask = async (image: string): Promise<Answered> => {
    const { status, body } = await harness.guard({ input_type: 'request', images: [image] });
    expect(status).to.equal(200);
    return body as Answered;
  };
  const expectRefused = async (make: Make): Promise<void> => {
    const image = await make();
    const before = process.cpuUsage();
    const { action, blocked_reason: reason } = await ask(image);
    const { user, system } = process.cpuUsage(before);
    expect(action).to.equal('BLOCKED');
    expect(reason).to.match(/^The request contains an image that .*\.$/);
    expect((user + system) / 1000, 'milliseconds of processor time').to.be.below(WITHIN_MS);
  };
  /** The number of worker tasks, by task and outcome. */
  const tasks = async (): Promise<Record<string, number>> => {
    const lines = (await harness.app.metrics.registry.metrics()).matchAll(
      /^guardrail_image_task_duration_seconds_count\{task="(\w+)",outcome="(\w+)"\} (\d+)/gm,
    );
    return Object.fromEntries([...lines].map(([, task, outcome, count]) => [`${task} ${outcome}`, Number(count)]));
  };
  const good = async (): Promise<string> =>
    url('png', draw(note('Write to anna.schmidt@example.org')).flatten({ background: '#fff' }).png().toBuffer());
  const expectRedacted = async (): Promise<void> => {
    const image = await good();
    const { action, images } = await ask(image);
    expect(action).to.equal('GUARDRAIL_INTERVENED');
    expect(images?.[0])
      .to.match(/^data:image\/png;base64,/)
      .and.not.equal(image);
    expect((await harness.call('GET', '/readyz')).status).to.equal(200);
  };

  describe('with an invalid structure', () => {
    for (const [what, make] of Object.entries(INVALID_STRUCTURES)) {
      it(`refuses ${what}`, async () => {
        await expectRefused(make);
        expect(await tasks()).to.deep.equal({});
      });
    }
  });

  describe('with invalid pixel data', () => {
    before(expectRedacted);
    for (const [what, make] of Object.entries(INVALID_PIXELS)) {
      it(`refuses ${what}`, async () => {
        const { 'read refused': before = 0, ...others } = await tasks();
        await expectRefused(make);
        expect(await tasks()).to.deep.equal({ ...others, 'read refused': before + 1 });
      });
    }
  });

  describe('after all refusals', () => {
    it('removes data outside the pixels without unpacking it', async () => {
      const zeros = deflateSync(Buffer.alloc(16 * 1024 * 1024));
      for (const name of ['zTXt', 'iCCP']) {
        const bomb = pngOf(4, 4, chunk(name, Buffer.concat([Buffer.from('name\0\0'), zeros])));
        const { action, images } = await ask(png(bomb));
        expect(action).to.equal('GUARDRAIL_INTERVENED');
        expect(images?.[0]?.length).to.be.below(1000);
      }
    });

    it('redacts a valid image', async () => {
      await expectRedacted();
      expect(await tasks()).to.not.have.any.keys('read error', 'rewrite error');
    });
  });
});
