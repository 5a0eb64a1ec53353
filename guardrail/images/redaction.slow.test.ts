import { createSecretKey } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import { atScale } from '../../hack/harness/scale.ts';
import { eventually, startHarness, type Answer, type Harness } from '../testing/appHarness.ts';
import {
  createGuard,
  deriveSubject,
  SessionErasedError,
  type Guard,
  type Json,
} from '../pseudonymization/pseudonymization.ts';
import {
  compilePolicy,
  createAnalyzer,
  createBuiltinDetector,
  DetectorUnavailableError,
  parsePolicy,
} from '../detection/detection.ts';
import type { Tenant } from '../ids.ts';
import { createMonitor, withoutRewrites, withoutWrites } from '../pipeline/monitor.ts';
import { createMemoryStore, type MappingStore } from '../store/store.ts';
import { UnreadableImageError, type ImageFormat, type ImageProcessor, type TextLine } from './contract.ts';
import { dataUrlOf } from './dataUrl.ts';
import { createImageGuard, type ImageGuardOptions } from './redaction.ts';
import { chunk, pngOf, pngWith, segment, withSegments } from './testing/files.ts';
import { draw, note, PAGES, textOf, type Page, type Run } from './testing/drawings.ts';
import { texture } from './testing/textures.ts';
import { startIndependentOcr, type IndependentOcr } from './testing/independentOcr.ts';

/** OCR of one image takes a second of processor time, and the machine may be busy. */
const TIMEOUT_MS = 120_000;

const detector = createBuiltinDetector({});
const analyzer = createAnalyzer({ detectors: [detector], policy: { current: compilePolicy({}, 'confidential') } });

/** The entities that the detector finds in the source text, as lists of words. */
async function valuesOf(page: Page): Promise<string[][]> {
  const text = textOf(page);
  const [findings = []] = await analyzer.analyze([text], { team: undefined, signal: AbortSignal.timeout(10_000) });
  return findings.map(({ start, end }) => wordsOf(text.slice(start, end)));
}

/** The words that a second OCR can compare: at least three letters and digits. */
function wordsOf(text: string): string[] {
  return text.split(/\s+/).flatMap((word) => {
    const plain = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
    return plain.length >= 3 ? [plain] : [];
  });
}

async function fileOf(image: Sharp, format: ImageFormat): Promise<Buffer> {
  return image.flatten({ background: '#fff' }).toFormat(format, { quality: 90 }).toBuffer();
}

function captionOf(size: number, color: string): Run[] {
  return ['Please write to anna.schmidt@example.org', 'about the meeting of the next week'].map((text, at) => ({
    ...{ x: 30, y: 15 + size + 1.25 * size * at, text, size, color, face: 'bold' },
  }));
}

function bytesOf(dataUrl: unknown): Buffer {
  return Buffer.from(String(dataUrl).split(',')[1] ?? '', 'base64');
}

const caller = { user_api_key_team_id: 'team', user_api_key_end_user_id: 'user' };

describe('image redaction', function () {
  this.timeout(TIMEOUT_MS);
  let harness: Harness;
  let ocr: IndependentOcr;
  before(async () => {
    harness = await startHarness({ env: { GUARDRAIL_PROFILE: 'confidential' } });
    ocr = await startIndependentOcr();
  });
  after(async () => {
    await ocr.close();
    await harness.stop();
  });

  /** Sends a call again that a busy machine could not process within the time limit of the service. */
  async function send(fields: object): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await harness.guard({ input_type: 'request', ...fields, request_data: caller });
      if (answer.status !== 429 || tries === 4) return answer;
    }
  }

  async function redacted(file: Buffer, format: ImageFormat): Promise<Buffer> {
    const { status, body } = await send({ texts: ['What is this?'], images: [dataUrlOf(format, file)] });
    expect(status, JSON.stringify(body)).to.equal(200);
    const answer = body as { action: string; texts: string[]; images: string[] };
    expect(answer.action).to.equal('GUARDRAIL_INTERVENED');
    expect(answer.texts).to.deep.equal(['What is this?']);
    expect(answer.images).to.have.length(1);
    expect(answer.images[0]).to.match(new RegExp(`^data:image/${format};base64,`));
    return bytesOf(answer.images[0]);
  }

  type Case = readonly [name: keyof typeof PAGES, format: ImageFormat, orientation?: number];
  /** @returns the words outside entities, and those of them that are unreadable after redaction */
  async function redactPage([name, format, orientation]: Case): Promise<{ others: string[]; lost: string[] }> {
    const page: Page = PAGES[name];
    const upright = await fileOf(draw(page), format);
    // Stored rotated, with the EXIF orientation that turns it by 90 degrees.
    const file = orientation
      ? await sharp(upright).rotate(-90).withMetadata({ orientation }).toFormat(format, { quality: 90 }).toBuffer()
      : upright;
    const result = await redacted(file, format);
    const metadata = await sharp(result).metadata();
    expect(metadata).to.include({ format, width: page.width, height: page.height });
    expect([metadata.exif, metadata.icc, metadata.xmp, metadata.orientation]).to.deep.equal(Array(4).fill(undefined));

    const after = await ocr.read(result);
    const values = await valuesOf(page);
    const hidden = new Set(values.flat());
    expect(values.length).to.be.greaterThan(4);
    const seen = [...hidden].filter((word) => after.includes(word));
    expect(seen, `still readable in ${name}, ${format}: ${after}`).to.deep.equal([]);
    const others = [...new Set(wordsOf(textOf(page)))].filter(
      (word) => ![...hidden].some((part) => part.includes(word) || word.includes(part)),
    );
    const lost = others.filter((word) => !after.includes(word));
    // A page has few words, so one false positive can be a twentieth.
    expect(lost.length, `lost in ${name}, ${format}: ${lost.join(' ')}`).to.be.at.most(0.1 * others.length);
    return { others, lost };
  }

  it('hides only entities of a page, and keeps 95 % of the other words readable over all pages', async () => {
    const usual: readonly Case[] = [
      ['light on dark', 'png'],
      ['a form', 'jpeg'],
      ['a table', 'webp'],
    ];
    const more: readonly Case[] = [
      ['small print', 'png'],
      ['an e-mail', 'png'],
      ['an e-mail', 'jpeg', 6],
    ];
    const cases = atScale(usual, [...usual, ...more]);
    const pages: Awaited<ReturnType<typeof redactPage>>[] = [];
    for (const one of cases) pages.push(await redactPage(one));
    const [others, lost] = [pages.flatMap((page) => page.others), pages.flatMap((page) => page.lost)];
    expect(others.length).to.be.greaterThan(atScale(50, 100));
    expect(lost.length, lost.join(' ')).to.be.at.most(0.05 * others.length);
  });

  const ask = async (image: string): Promise<{ action: string; blocked_reason?: string; images?: string[] }> => {
    const { status, body } = await send({ images: [image] });
    expect(status).to.equal(200);
    return body as { action: string };
  };

  it('reads an image that is rotated without an orientation tag', async () => {
    const upright = await fileOf(draw(note('Please write to anna.schmidt@example.org about it')), 'png');
    const turned = await sharp(upright).rotate(90).png().toBuffer();
    const { action, images } = await ask(dataUrlOf('png', turned));
    expect(action).to.equal('GUARDRAIL_INTERVENED');
    const back = await sharp(bytesOf(images?.[0])).rotate(270).png().toBuffer();
    const text = await ocr.read(back);
    expect(text)
      .to.include('Please')
      .and.not.match(/anna|schmidt|example/i);
  });

  /** Photographs that consist of edges, with a caption in the middle. */
  const CAPTIONS: Readonly<Record<string, Pick<Page, 'background' | 'runs'> & { readonly spotSize: number }>> = {
    'on a bar, over grass': { background: 'rgba(0,0,0,0.6)', spotSize: 3, runs: captionOf(26, '#fff') },
    'on fine noise': { background: 'none', spotSize: 1, runs: captionOf(40, '#fff') },
  };
  for (const [what, { spotSize, ...caption }] of Object.entries(CAPTIONS)) {
    it(`redacts a caption ${what}`, async () => {
      const words = await draw({ width: 960, height: 120, ...caption })
        .png()
        .toBuffer();
      const layers = texture({ width: 960, height: 500, spotSize }).composite([{ input: words, left: 0, top: 200 }]);
      const image = await sharp(await layers.png().toBuffer())
        .jpeg({ quality: 90 })
        .toBuffer();
      // Exceeding the time limit would be an error.
      const { action, images } = await ask(dataUrlOf('jpeg', image));
      expect(action).to.equal('GUARDRAIL_INTERVENED');
      const cut = (file: Buffer): Promise<Buffer> =>
        sharp(file).extract({ left: 0, top: 190, width: 960, height: 140 }).blur(1.5).png().toBuffer();
      const [before, after] = [await ocr.read(await cut(image)), await ocr.read(await cut(bytesOf(images?.[0])))];
      // The same OCR reads the caption before redaction.
      expect(before).to.match(/anna|schmidt|example/i);
      expect(after).to.not.match(/anna|schmidt|example/i);
    });
  }

  it('removes data that decoders ignore', async () => {
    const secret = Buffer.from('anna.schmidt@example.org');
    const image = sharp({ create: { width: 64, height: 64, channels: 3, background: '#369' } });
    const [jpeg, webp] = [await image.jpeg().toBuffer(), await image.webp().toBuffer()];
    const film = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0isommp42', 'latin1');
    const pixels = Buffer.concat([deflateSync(Buffer.alloc(64 * 9)), secret]);
    // One chunk: the length of the chunk and of the file.
    const longer = Buffer.concat([webp, secret]);
    longer.writeUInt32LE(webp.readUInt32LE(4) + secret.length, 4);
    longer.writeUInt32LE(webp.readUInt32LE(16) + secret.length, 16);
    const files: readonly (readonly [ImageFormat, Buffer])[] = [
      ['jpeg', Buffer.concat([jpeg.subarray(0, -2), secret, jpeg.subarray(-2)])],
      ['jpeg', Buffer.concat([jpeg, film, secret])],
      [
        'jpeg',
        withSegments(jpeg, segment(0xee, Buffer.concat([Buffer.from('Adobe\0\x64\0\0\0\0\x01', 'latin1'), secret]))),
      ],
      ['png', pngWith({ width: 64, height: 64, pixels })],
      ['png', pngOf(64, 64, chunk('gAMA', secret))],
      ['webp', longer],
    ];
    for (const [format, file] of files) {
      const { action, images } = await ask(dataUrlOf(format, file));
      expect(action, format).to.equal('GUARDRAIL_INTERVENED');
      const sent = bytesOf(images?.[0]);
      expect(await sharp(sent).metadata()).to.include({ format, width: 64, height: 64 });
      expect(sent.includes(secret), format).to.equal(false);
    }
  });

  it('returns noise unchanged and without much work', async () => {
    for (const spotSize of [1, 4]) {
      const noise = await texture({ width: 1280, height: 960, spots: 'of all shades', spotSize }).png().toBuffer();
      const before = process.cpuUsage().user;
      expect((await ask(dataUrlOf('png', noise))).action).to.equal('NONE');
      // OCR of noise takes longer, whatever else the machine does.
      expect((process.cpuUsage().user - before) / 1000, 'milliseconds of processor time').to.be.below(5000);
    }
  });

  it('redacts images in calls of Portkey', async () => {
    const url = dataUrlOf('png', await fileOf(draw(note('Write to anna.schmidt@example.org')), 'png'));
    const body = (image: string): object => ({
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: image } }] }],
    });
    const call = { eventType: 'beforeRequestHook', metadata: { _user: 'user' }, request: { json: body(url) } };
    // Portkey waits for three seconds, which the first image can exceed on a busy machine. The OCR result is cached, so a retry
    // succeeds.
    await eventually(async () => {
      const { body: answer } = await harness.call('POST', '/v1/peer/check', call);
      const { verdict, transformedData } = answer as {
        verdict: boolean;
        transformedData?: { request: { json: { messages: { content: { image_url: { url: string } }[] }[] } } };
      };
      if (!verdict) return false;
      const sent = transformedData?.request.json.messages[0]?.content[0]?.image_url.url;
      expect(sent)
        .to.match(/^data:image\/png;base64,/)
        .and.not.equal(url);
      return true;
    }, TIMEOUT_MS / 2);
  });
});

/** A processor that returns these lines instead of using OCR. */
function readerOf(lines: readonly string[], calls: string[] = [], unread: readonly number[] = []): ImageProcessor {
  const line = (text: string, row: number): TextLine => {
    const words = text.split(' ');
    return {
      box: { x: 300, y: 10 + 20 * row, width: 600, height: 20, angle: 0 },
      words: words.map((word, at) => ({ text: word, from: at / words.length, to: (at + 1) / words.length - 0.01 })),
      isUnread: unread.includes(row),
    };
  };
  return {
    read: (image) => {
      calls.push(`read ${image.format}`);
      return Promise.resolve({ angle: 0, lines: lines.map(line), isAltered: false });
    },
    rewrite: ({ format }, areas) => {
      calls.push(`rewrite ${format} ${areas.length}`);
      return Promise.resolve(Buffer.from(`rewritten with ${areas.length}`));
    },
    close: () => Promise.resolve(),
  };
}

describe('requests with images', () => {
  const PERSON = 'Anna Schmidt';
  const TEXT = `Please ask ${PERSON} about it.`;
  const sessionKey = createSecretKey(Buffer.alloc(32, 7));
  const signal = new AbortController().signal;
  const identity = { tenant: 'litellm' as Tenant, team: 'team', endUser: 'user' };
  const png = `data:image/png;base64,${pngOf(8, 8).toString('base64')}`;
  const other = `data:image/png;base64,${pngOf(9, 9).toString('base64')}`;
  const withComment = `data:image/png;base64,${pngOf(8, 8, chunk('tEXt', Buffer.from('Author\0x'))).toString('base64')}`;
  const remote = 'https://example.org/image.png';

  interface Bench {
    readonly guard: Guard;
    readonly store: MappingStore;
    readonly calls: string[];
  }
  interface BenchOptions extends Partial<Pick<ImageGuardOptions, 'images' | 'remoteImages' | 'unreadText' | 'reader'>> {
    readonly monitor?: boolean;
    readonly lines?: readonly string[];
    /** The numbers of lines that count as unread. */
    readonly unread?: readonly number[];
    readonly policy?: string;
  }
  const stores: MappingStore[] = [];
  function bench({
    lines = [`Signed by ${PERSON} today`],
    unread = [],
    policy = '{}',
    monitor = false,
    ...options
  }: BenchOptions = {}): Bench {
    const calls: string[] = [];
    const store = createMemoryStore({ ttlMs: 60_000 });
    stores.push(store);
    const judging = createAnalyzer({
      detectors: [detector],
      policy: { current: compilePolicy(parsePolicy(policy), 'confidential') },
    });
    const kept = monitor ? withoutWrites(store) : store;
    const inner = createGuard({ analyzer: judging, store: kept, sessionKey, scope: 'user' });
    const reader = options.reader ?? readerOf(lines, calls, unread);
    const guard = createImageGuard(inner, {
      ...{ images: 'redact', remoteImages: 'block', unreadText: 'mask', scope: 'user', sessionKey, store: kept },
      ...options,
      reader: monitor ? withoutRewrites(reader) : reader,
    });
    return { guard: monitor ? createMonitor(guard, inner) : guard, store, calls };
  }
  after(() => Promise.all(stores.map((store) => store.close())));

  const redactedUrl = (boxes: number): string =>
    `data:image/png;base64,${Buffer.from(`rewritten with ${boxes}`).toString('base64')}`;

  it('redacts images in the list and in every form of content part, and reads each image once', async () => {
    const { guard, calls } = bench();
    const data = png.slice(png.indexOf(',') + 1);
    const parts = (url: string): Json[] => [
      { type: 'image_url', image_url: { url, detail: 'high' } },
      { type: 'image_url', image_url: url },
      { type: 'input_image', image_url: url },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: url.slice(url.indexOf(',') + 1) } },
      { type: 'image', mimeType: 'image/png', data: url.slice(url.indexOf(',') + 1) },
      { inline_data: { media_type: 'text/plain', mime_type: 'image/png', data: url.slice(url.indexOf(',') + 1) } },
      { type: 'file', file: { filename: 'a.png', file_data: url } },
      { type: 'resource', resource: { uri: 'a', mimeType: 'image/png', blob: url.slice(url.indexOf(',') + 1) } },
      { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image_url', image_url: { url } }] },
    ];
    const messages = (url: string): Json[] => [
      { role: 'user', content: [{ type: 'text', text: 'Look.' }, ...parts(url)] },
    ];
    const outcome = await guard.request(
      { texts: ['Look.'], images: [png, png], structuredMessages: messages(png) },
      { identity, signal },
    );
    expect(data.length).to.be.greaterThan(10);
    expect(outcome).to.deep.include({
      action: 'GUARDRAIL_INTERVENED',
      texts: ['Look.'],
      images: [redactedUrl(1), redactedUrl(1)],
      structuredMessages: messages(redactedUrl(1)),
      entities: [{ type: 'PERSON', detector: 'builtin', action: 'pseudonymize', count: 1 }],
    });
    expect(calls).to.deep.equal(['read png', 'rewrite png 1']);
  });

  it('keeps the length and order of the list, and images without findings', async () => {
    const texts = new Map([
      [8, [PERSON]],
      [9, ['Nothing to see here.']],
    ]);
    const reader = readerOf([]);
    const guard = bench({
      reader: {
        ...reader,
        read: (image, imageCaller) => readerOf(texts.get(image.bytes[19] ?? 0) ?? []).read(image, imageCaller),
      },
    }).guard;
    const outcome = await guard.request({ texts: [TEXT], images: [other, png, other] }, { identity, signal });
    expect(outcome).to.deep.include({ images: [other, redactedUrl(1), other] });
    const [text] = outcome.action === 'GUARDRAIL_INTERVENED' ? outcome.texts : [];
    expect(text).to.match(/^Please ask <PERSON_\w+> about it\.$/);
    expect(await guard.request({ texts: ['Hello.'], images: [other, other] }, { identity, signal })).to.deep.include({
      action: 'NONE',
    });
  });

  it('removes metadata from any image', async () => {
    const { guard, calls } = bench({ lines: ['nothing'] });
    const outcome = await guard.request({ texts: [], images: [withComment] }, { identity, signal });
    expect(outcome).to.deep.include({ action: 'GUARDRAIL_INTERVENED', images: [redactedUrl(0)], entities: [] });
    expect(calls).to.deep.equal(['read png', 'rewrite png 0']);
  });

  it('finds a person in an image by the text, and in the text by the image', async () => {
    const named = 'My name is Xaveria Quillfeather and I live here.';
    const bare = 'Xaveria Quillfeather';
    const { guard } = bench({ lines: [`item Xaveria 7`] });
    expect(await guard.request({ texts: [named], images: [png] }, { identity, signal })).to.deep.include({
      images: [redactedUrl(1)],
    });
    const reverse = bench({ lines: [named] }).guard;
    const outcome = await reverse.request({ texts: [`item ${bare} 7`], images: [png] }, { identity, signal });
    expect(JSON.stringify(outcome)).to.not.include('Quillfeather');
  });

  it('keeps what was sent of an image when a later message names a word in it, and of a message when a later image does', async () => {
    const [named, word] = ['Please call my colleague Tamsin Bolt.', 'Tighten each Bolt before use.'];
    const says = (content: string): Json => ({ role: 'user', content });
    const shows: Json = { role: 'user', content: [{ type: 'image_url', image_url: { url: png } }] };
    for (const [lines, earlier, later] of [
      [[word], shows, says(named)],
      [[named], says(word), shows],
    ] as const) {
      const { guard } = bench({ lines });
      const sent = async (structuredMessages: readonly Json[]): Promise<readonly Json[]> => {
        const outcome = await guard.request({ texts: [], structuredMessages }, { identity, signal });
        return ('structuredMessages' in outcome ? outcome.structuredMessages : undefined) ?? structuredMessages;
      };
      const [alone] = await sent([earlier]);
      expect((await sent([earlier, later]))[0]).to.deep.equal(alone);
      expect((await sent([later, earlier]))[1]).to.not.deep.equal(alone);
    }
  });

  it('blocks entities by type, and leaves ignored ones', async () => {
    const blocking = bench({ policy: '{"entities":{"PERSON":"block"}}' });
    const outcome = await blocking.guard.request({ texts: ['Hello.'], images: [png] }, { identity, signal });
    expect(outcome).to.include({ action: 'BLOCKED' });
    expect(JSON.stringify(outcome)).to.include('names of people').and.not.include('Anna');
    const ignoring = bench({ policy: '{"entities":{"PERSON":"ignore"}}' });
    expect(await ignoring.guard.request({ texts: [], images: [png] }, { identity, signal })).to.include({
      action: 'NONE',
    });
    const stricter = { block: ['PERSON'] };
    expect(await bench().guard.request({ texts: [], images: [png] }, { identity, signal, stricter })).to.include({
      action: 'BLOCKED',
    });
  });

  const REFUSED: readonly (readonly [what: string, image: string, says: RegExp])[] = [
    ['an address', remote, /referenced by URL/],
    ['a file at the provider', 'file:file-123', /referenced by URL/],
    ['SVG', `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`, /not a PNG, JPEG or WebP file/],
    ['one of another type', png.replace('image/png', 'image/webp'), /not have its declared media type/],
    ['20,000 × 20,000 pixels', `data:image/png;base64,${pngOf(20_000, 20_000).toString('base64')}`, /too many pixels/],
    ['no image', 'Anna Schmidt', /neither a base64 data URL/],
  ];
  for (const [what, image, says] of REFUSED) {
    it(`refuses ${what}, with a reason that reveals nothing about it`, async () => {
      const { guard, calls } = bench();
      const outcome = await guard.request({ texts: [TEXT], images: [png, image] }, { identity, signal });
      expect(outcome.action === 'BLOCKED' && outcome.blockedReason)
        .to.match(says)
        .and.not.match(/Anna|example/);
      expect(calls).to.deep.equal([]);
    });
  }

  it('refuses an image that exceeds its time limit, and cancels the other images of the call', async () => {
    const tenants: string[] = [];
    const { guard } = bench({
      reader: {
        ...readerOf([PERSON]),
        read: ({ bytes }, imageCaller) => {
          tenants.push(imageCaller.tenant);
          if (bytes[19] === 8) return Promise.reject(new UnreadableImageError('dense'));
          // Settles only when the read is cancelled. Otherwise the test times out.
          return new Promise((_, reject) => {
            imageCaller.signal.addEventListener('abort', () => {
              isCancelled = true;
              reject(new DetectorUnavailableError('The call ended.'));
            });
          });
        },
      },
    });
    let isCancelled = false;
    const outcome = await guard.request({ texts: [TEXT], images: [other, png] }, { identity, signal });
    expect(outcome.action === 'BLOCKED' && outcome.blockedReason).to.match(/contains too much text/);
    expect(isCancelled).to.equal(true);
    expect(tenants).to.deep.equal(['litellm', 'litellm']);
  });

  it('fails like any detector and changes nothing if OCR fails', async () => {
    for (const task of ['read', 'rewrite'] as const) {
      const error = new DetectorUnavailableError('Image OCR failed.');
      const { guard } = bench({ reader: { ...readerOf([PERSON]), [task]: () => Promise.reject(error) } });
      const failed: unknown = await guard
        .request({ texts: [TEXT], images: [png] }, { identity, signal })
        .catch((thrown: unknown) => thrown);
      expect(failed, task).to.equal(error);
    }
  });

  it('forwards image URLs if configured, and redacts other images', async () => {
    const { guard } = bench({ remoteImages: 'pass' });
    const part: Json = { type: 'image', source: { type: 'url', url: remote } };
    const file: Json = { type: 'input_image', file_id: 'file-123' };
    const uris: Json[] = [
      { file_data: { mime_type: 'image/png', file_uri: 'gs://bucket/a.png' } },
      { fileData: { fileUri: 'files/abc' } },
    ];
    const structuredMessages = [{ role: 'user', content: [part, file, ...uris] }];
    const outcome = await guard.request({ texts: [], images: [remote, png], structuredMessages }, { identity, signal });
    expect(outcome).to.deep.include({ images: [remote, redactedUrl(1)], structuredMessages });
    for (const one of [part, file, ...uris]) {
      const messages = [{ role: 'user', content: [one] }];
      expect(await bench().guard.request({ texts: [], structuredMessages: messages }, { identity, signal })).to.include(
        {
          action: 'BLOCKED',
        },
      );
    }
    const hidden: Json[] = [{ role: 'user', content: [{ type: 'image', source: { type: 'new', at: 'x' } }] }];
    expect(await guard.request({ texts: [], structuredMessages: hidden }, { identity, signal })).to.include({
      action: 'BLOCKED',
    });
  });

  it('changes, stores and refuses nothing in monitor mode, and counts everything', async () => {
    const { guard, store, calls } = bench({ monitor: true });
    expect(await guard.request({ texts: [], images: [png] }, { identity, signal })).to.deep.include({
      ...{ action: 'NONE', monitored: 'GUARDRAIL_INTERVENED' },
      entities: [{ type: 'PERSON', detector: 'builtin', action: 'pseudonymize', count: 1 }],
    });
    expect(await guard.request({ texts: [TEXT], images: [remote] }, { identity, signal })).to.deep.include({
      ...{ action: 'NONE', monitored: 'BLOCKED' },
      entities: [{ type: 'PERSON', detector: 'builtin', action: 'pseudonymize', count: 1 }],
    });
    const blocking = bench({ monitor: true, images: 'block' });
    expect(await blocking.guard.request({ texts: [], images: [png] }, { identity, signal })).to.include({
      ...{ action: 'NONE', monitored: 'BLOCKED' },
    });
    expect(await store.count()).to.equal(0);
    expect(calls.filter((call) => !call.startsWith('read'))).to.deep.equal([]);
  });

  it('reads an image once per session, until the session or its end user is erased', async () => {
    const { guard, store, calls } = bench();
    const ask = (changes: object = {}): Promise<unknown> =>
      guard.request({ texts: [], images: [png] }, { identity: { ...identity, ...changes }, signal });
    const reads = (): number => calls.splice(0).filter((call) => call.startsWith('read')).length;
    await ask();
    await ask();
    expect(reads()).to.equal(1);
    await ask({ endUser: 'another' });
    expect(reads()).to.equal(1);
    expect(await store.eraseSession(guard.sessionOf(identity))).to.equal(true);
    await ask();
    expect(reads()).to.equal(1);
    await store.eraseSubject(deriveSubject(sessionKey, identity.tenant, 'user'));
    await ask();
    await ask();
    expect(reads()).to.equal(1);
    const anonymous = { tenant: identity.tenant };
    for (let n = 0; n < 2; n += 1) await guard.request({ texts: [], images: [png] }, { identity: anonymous, signal });
    expect(reads()).to.equal(2);
  });

  const UNREAD = { lines: ['Page 1 of 2', '1 0 1', `Signed by ${PERSON} today`], unread: [0, 1] } as const;
  it('masks lines that were not read, and says so', async () => {
    const { guard } = bench(UNREAD);
    const outcome = await guard.request({ texts: [], images: [png] }, { identity, signal });
    expect(outcome).to.deep.include({ action: 'GUARDRAIL_INTERVENED', images: [redactedUrl(3)], unreadLines: 2 });
    const reasons = outcome.imageMasks?.map(({ reason }) => reason.replace(/ .*/, ''));
    expect(reasons?.sort()).to.deep.equal(['PERSON', 'unread', 'unread']);
    const polygon = outcome.imageMasks?.findLast(({ reason }) => reason === 'unread')?.polygon;
    expect(polygon?.map(({ x, y }) => [Math.round(x), Math.round(y)])).to.deep.equal([
      [0, 2],
      [600, 2],
      [600, 18],
      [0, 18],
    ]);
  });

  it('refuses an image with lines that were not read, or only counts them, as configured', async () => {
    const ask = (options: BenchOptions): Promise<unknown> =>
      bench({ ...UNREAD, ...options }).guard.request({ texts: [], images: [png] }, { identity, signal });
    expect(await ask({ unreadText: 'block' })).to.deep.include({
      ...{ action: 'BLOCKED', unreadLines: 2 },
      blockedReason: 'The request contains an image that has text that cannot be read: send a clearer image.',
    });
    expect(await ask({ unreadText: 'note' })).to.deep.include({ images: [redactedUrl(1)], unreadLines: 2 });
    expect(await ask({ unreadText: 'note', monitor: true })).to.deep.include({ action: 'NONE', unreadLines: 2 });
    expect(await ask({ unreadText: 'block', unread: [] })).to.deep.include({ unreadLines: 0 });
  });

  it('yields to the event loop between the images of a call', async () => {
    const { guard } = bench();
    const images = Array.from({ length: 8 }, (_, at) => dataUrlOf('png', pngOf(8, 8 + at)));
    let rounds = 0;
    const count = (): void => {
      rounds += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await guard.request({ texts: [], images }, { identity, signal });
    clearImmediate(counting);
    expect(rounds).to.be.at.least(images.length - 1);
  });

  it('stores no result of an image that is being read when its session is erased', async () => {
    const reader = readerOf([PERSON]);
    let erase = (): Promise<unknown> => Promise.resolve();
    const { guard, store } = bench({
      reader: {
        ...reader,
        read: async (image, imageCaller) => {
          await erase();
          return reader.read(image, imageCaller);
        },
      },
    });
    erase = () => store.eraseSession(guard.sessionOf(identity));
    const failed = await guard
      .request({ texts: [], images: [png] }, { identity, signal })
      .catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(SessionErasedError);
    expect(await store.count()).to.equal(0);
  });
});
