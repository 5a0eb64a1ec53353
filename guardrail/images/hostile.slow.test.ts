import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import sharp from 'sharp';
import { startHarness, type Harness } from '../testing/appHarness.ts';
import type { ImageFormat } from './contract.ts';
import { dataUrlOf } from './dataUrl.ts';
import { chunk, pngOf, pngWith, segment, withSegments } from './testing/files.ts';
import { draw, note } from './testing/drawings.ts';

/** What each refusal may take, from the first byte of the call: measured, a fiftieth to a fifth of it on a slow machine. */
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
const behind = async (format: ImageFormat, other: string): Promise<string> =>
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
const LAUGHS = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, at) => `<!ENTITY ${String.fromCharCode(98 + at)} "${`&${String.fromCharCode(97 + at)};`.repeat(10)}">`).join('')}]><svg xmlns="http://www.w3.org/2000/svg"><text>&u;</text></svg>`;

/** Nearly as much as a body may hold. */
const MUCH = 7_000_000;

/** What shows in the form of the file. */
const BY_FORM: Readonly<Record<string, Make>> = {
  '20,000 × 20,000 pixels': () => png(pngOf(20_000, 20_000)),
  'as many pixels as there may be, of 8 bytes each': () =>
    png(pngWith({ width: 5000, height: 5000, depth: 16, type: 6 })),
  'a PNG that is cut off': () => cut('png'),
  'a JPEG that is cut off': () => cut('jpeg'),
  'a WebP that is cut off': () => cut('webp'),
  'a PNG that is an archive, too': () => behind('png', 'PK\x03\x04'),
  'a JPEG that is a page, too': () => behind('jpeg', '<script>alert(1)</script>'),
  'a WebP that is a PDF, too': () => behind('webp', '%PDF-1.7'),
  'a GIF that is a script, too': () => text('image/gif', 'GIF89a/*\x01\0\x01\0\0\0\0;*/=1;alert(1)'),
  'SVG with a script': () => text('image/svg+xml', SCRIPT),
  'SVG with an external entity': () => text('image/svg+xml', ENTITY),
  'SVG with entities that multiply': () => text('image/svg+xml', LAUGHS),
  'SVG that says it is a PNG': () => text('image/png', SCRIPT),
  'a PNG that says it is a WebP': async () => url('webp', plain('png')),
  'a JPEG that says it is a PNG': async () => url('png', plain('jpeg')),
  'a page that says it is a JPEG': () => text('image/jpeg', '<html><script>alert(1)</script></html>'),
  'a PNG that says it is a page': async () => (await url('png', plain('png'))).replace('image/png', 'text/html'),
  'a moving PNG': () => png(pngOf(8, 8, chunk('acTL', Buffer.alloc(8)))),
  'half a million empty chunks': () => png(pngOf(8, 8, repeated(chunk('teST'), MUCH))),
  'as many empty segments': async () =>
    url('jpeg', withSegments(await plain('jpeg'), repeated(segment(0xfe, Buffer.alloc(0)), MUCH))),
  'a scan of markers that are none': async () => {
    const file = await plain('jpeg');
    return dataUrlOf('jpeg', Buffer.concat([file.subarray(0, -2), repeated(Buffer.from([0xff, 0]), MUCH)]));
  },
  'a file between blanks': () => `data:image/png;base64,${'A '.repeat(MUCH / 2)}`,
  'a file in escapes': () => `data:image/png;base64,${'%41'.repeat(MUCH / 3)}`,
};

/** What shows when it is unpacked. */
const BY_PIXELS: Readonly<Record<string, Make>> = {
  'pixels that are damaged': () => png(Buffer.from(pngOf(64, 64)).fill(0x55, 45, 50)),
  'pixels that are none': () => png(pngWith({ width: 3000, height: 3000, pixels: Buffer.alloc(100_000, 0x55) })),
  'far fewer pixels than it says': () =>
    png(pngWith({ width: 4000, height: 4000, pixels: deflateSync(Buffer.alloc(5000)) })),
  'far more pixels than it says': () =>
    png(pngWith({ width: 64, height: 64, pixels: deflateSync(Buffer.alloc(256 * 1024 * 1024)) })),
  'a JPEG that is cut off, and closed again': async () => {
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
  'a JPEG of a thousand scans': async () => {
    const file = await sharp(await plain('png', 2000, 2000))
      .jpeg({ progressive: true })
      .toBuffer();
    const scan = file.subarray(file.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
    return dataUrlOf(
      'jpeg',
      Buffer.concat([file.subarray(0, -2), repeated(scan, 1000 * scan.length), file.subarray(-2)]),
    );
  },
  'a WebP that is larger outside than inside': async () => {
    const file = await sharp({ create: { width: 100, height: 100, channels: 4, background: '#36912380' } })
      .webp()
      .toBuffer();
    file.writeUIntLE(4999, 24, 3);
    file.writeUIntLE(4999, 27, 3);
    return dataUrlOf('webp', file);
  },
};

describe('pictures that nobody should send', function () {
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
    const start = performance.now();
    const { action, blocked_reason: reason } = await ask(image);
    const took = performance.now() - start;
    expect(action).to.equal('BLOCKED');
    expect(reason).to.match(/^The request contains an image that .*\.$/);
    expect(took, 'milliseconds').to.be.below(WITHIN_MS);
  };
  /** How many pictures a thread was given, by how that went. */
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

  describe('are refused by their form within a second, and no thread gets to see them:', () => {
    for (const [what, make] of Object.entries(BY_FORM)) {
      it(what, async () => {
        await expectRefused(make);
        expect(await tasks()).to.deep.equal({});
      });
    }
  });

  describe('are refused by what they unpack to within a second, and the thread that unpacked them goes on:', () => {
    before(expectRedacted);
    for (const [what, make] of Object.entries(BY_PIXELS)) {
      it(what, async () => {
        const { 'read refused': before = 0, ...others } = await tasks();
        await expectRefused(make);
        expect(await tasks()).to.deep.equal({ ...others, 'read refused': before + 1 });
      });
    }
  });

  describe('leave the process as it was:', () => {
    it('what is no part of a picture is never unpacked, and left out', async () => {
      const zeros = deflateSync(Buffer.alloc(64 * 1024 * 1024));
      for (const name of ['zTXt', 'iCCP']) {
        const bomb = pngOf(4, 4, chunk(name, Buffer.concat([Buffer.from('name\0\0'), zeros])));
        const { action, images } = await ask(png(bomb));
        expect(action).to.equal('GUARDRAIL_INTERVENED');
        expect(images?.[0]?.length).to.be.below(1000);
      }
    });

    it('a good one is redacted after all of them', async () => {
      await expectRedacted();
      expect(await tasks()).to.not.have.any.keys('read error', 'rewrite error');
    });
  });
});
