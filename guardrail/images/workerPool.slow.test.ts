import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import sharp from 'sharp';
import { DetectorUnavailableError } from '../detection/detection.ts';
import type { Tenant } from '../ids.ts';
import {
  ImagesBusyError,
  UnreadableImageError,
  type ImageFile,
  type ImageCaller,
  type ImageProcessor,
} from './contract.ts';
import { eventually } from '../testing/appHarness.ts';
import { dataUrlOf } from './dataUrl.ts';
import { inspect } from './inspect.ts';
import { draw, note } from './testing/drawings.ts';
import { ORDERS, STEPS } from './testing/faultyOrders.ts';
import { pngOf } from './testing/files.ts';
import { createImageWorkerPool, type WorkerPoolOptions } from './workerPool.ts';

const program = new URL('./testing/faultyProgram.ts', import.meta.url);
const order = (byte: number): ImageFile => ({
  format: 'png',
  bytes: Uint8Array.of(byte),
  mayHaveExtraData: false,
  isLossless: true,
});
const HANG = order(ORDERS.hang);
const THROW = order(ORDERS.throw);
const EXIT = order(ORDERS.exit);
const REFUSE = order(ORDERS.refuse);
const UNTIL_STOPPED = order(ORDERS.untilStopped);
const READ = order(20);
const IMAGE_URL = dataUrlOf('png', pngOf(64, 64));

describe('the worker pool', function () {
  this.timeout(60_000);
  const [A, B] = ['a', 'b'].map((tenant) => ({ tenant: tenant as Tenant, signal: new AbortController().signal })) as [
    ImageCaller,
    ImageCaller,
  ];
  let open: ImageProcessor[] = [];
  const workers = (options: WorkerPoolOptions = {}): ImageProcessor => {
    const made = createImageWorkerPool({ processes: 1, program, ...options });
    open.push(made);
    return made;
  };
  afterEach(async () => {
    await Promise.all(open.map((reader) => reader.close()));
    open = [];
  });
  const processOf = async (reader: ImageProcessor, caller = A): Promise<string | undefined> =>
    (await reader.read(READ, caller)).lines[0]?.words[0]?.text;
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('runs one process if one is enough, and at most the configured number', async () => {
    const one = workers();
    expect(new Set(await Promise.all([processOf(one), processOf(one), processOf(one)]))).to.have.property('size', 1);
    const two = workers({ processes: 2 });
    expect(new Set(await Promise.all([1, 2, 3, 4, 5].map(() => processOf(two))))).to.have.property('size', 2);
  });

  it('rewrites an image while it reads the next one', async () => {
    const reader = workers();
    const done: string[] = [];
    const task = async (what: string, work: Promise<unknown>): Promise<void> => {
      await work;
      done.push(what);
    };
    const first = task('first read', reader.read(READ, A));
    const others = [2, 3].map((at) => task(`read ${at}`, reader.read(order(200), A)));
    await first;
    await task('first written', reader.rewrite(READ, [], A));
    await Promise.all(others);
    expect(done).to.deep.equal(['first read', 'first written', 'read 2', 'read 3']);
  });

  it('repeats a rewrite if a read hangs in the same process', async () => {
    const reader = workers({ timeoutMs: 1000 });
    const [hanging, written] = [failure(reader.read(HANG, A)), reader.rewrite(READ, [], B)];
    expect(await hanging)
      .to.be.instanceOf(ImagesBusyError)
      .and.include({ code: 'timeout', waitMs: 1000 });
    expect([...(await written)]).to.deep.equal([...READ.bytes]);
    expect(await processOf(reader)).to.be.a('string');
  });

  const FAULTS = [
    ['throws', THROW, DetectorUnavailableError],
    ['exits', EXIT, DetectorUnavailableError],
    ['hangs', HANG, ImagesBusyError],
  ] as const;
  for (const [what, image, kind] of FAULTS) {
    it(`replaces a process that ${what}, and reveals nothing of the image`, async () => {
      const reader = workers({ timeoutMs: 1000 });
      const before = await processOf(reader);
      const [error, after] = await Promise.all([failure(reader.read(image, A)), processOf(reader)]);
      expect(error).to.be.instanceOf(kind);
      expect(String(error))
        .to.match(/Image OCR/)
        .and.not.match(/Anna/);
      expect(after).to.be.a('string').and.not.equal(before);
    });
  }

  it('reports an unreadable image and keeps the process', async () => {
    const reader = workers();
    const before = await processOf(reader);
    const error = await failure(reader.read(REFUSE, A));
    expect(error).to.be.instanceOf(UnreadableImageError).and.have.property('problem', 'damaged');
    expect(await processOf(reader)).to.equal(before);
  });

  it('refuses more images than it can read in time, and drops those of disconnected callers', async () => {
    const reader = workers({ stopMs: 100 });
    const controller = new AbortController();
    const departed = { ...A, signal: controller.signal };
    const first = reader.read(READ, A);
    // One tenant gets three quarters of the 100 queue entries, and one more.
    const waiting = Array.from({ length: 76 }, () => failure(reader.read(HANG, departed)));
    const refused = await failure(reader.read(READ, A));
    expect(refused).to.be.instanceOf(ImagesBusyError).and.include({ code: 'overloaded', waitMs: 76_000 });
    // Another tenant can still queue an image, and is next.
    expect(await processOf(reader, B)).to.be.a('string');
    controller.abort();
    for (const error of await Promise.all(waiting)) expect(error).to.be.instanceOf(DetectorUnavailableError);
    await first;
    expect(await processOf(reader)).to.be.a('string');
  });

  it('serves tenants in turn, by the duration of their images', async () => {
    const reader = workers();
    const done: string[] = [];
    const read = async (who: string, caller: ImageCaller, ms: number): Promise<void> => {
      await reader.read(order(ms), caller);
      done.push(who);
    };
    const slow = Array.from({ length: 4 }, () => read('a', A, 150));
    const quick = Array.from({ length: 5 }, () => read('b', B, 10));
    await Promise.all([...slow, ...quick]);
    // The first image of A was running when B arrived. Two of A take as long as thirty of B, so all of B finish before
    // the third of A.
    expect(done.slice(0, 7).filter((who) => who === 'b')).to.have.length(5);
  });

  it('cancels a read at once when its caller disconnects, and keeps the process', async () => {
    const reader = workers();
    const before = await processOf(reader);
    const controller = new AbortController();
    const abandoned = failure(reader.read(UNTIL_STOPPED, { ...A, signal: controller.signal }));
    const next = processOf(reader, B);
    controller.abort();
    expect(await abandoned).to.be.instanceOf(DetectorUnavailableError);
    expect(await next).to.equal(before);
  });

  it('finishes a cached read while no other image waits, and cancels it otherwise', async () => {
    const reader = workers();
    const abandon = (image: typeof READ): Promise<unknown> => {
      const controller = new AbortController();
      const read = reader.read(image, { ...A, signal: controller.signal, isCached: true });
      controller.abort();
      return failure(read);
    };
    expect(await abandon(READ)).to.equal(undefined);
    const abandoned = abandon(UNTIL_STOPPED);
    expect(await processOf(reader, B)).to.be.a('string');
    expect(await abandoned).to.be.instanceOf(DetectorUnavailableError);
  });

  it('gives a long read the time that it takes, while it makes progress', async () => {
    const reader = workers({ timeoutMs: STEPS.duration / 2 });
    expect(await reader.read(order(ORDERS.inSteps), A)).to.have.property('lines');
  });

  describe('with a page of small print', () => {
    const page = async (side: number): Promise<ImageFile> => {
      const line = 'Anna Schmidt wrote to the office about the invoice of last May and asked for a new one.';
      const runs = Array.from({ length: 38 }, (_, at) => ({ x: 4, y: 13 * (at + 1), text: line, size: 11 }));
      const tile = await draw({ width: 500, height: 500, runs }).flatten({ background: '#fff' }).png().toBuffer();
      const blank = sharp({ create: { width: side, height: side, channels: 3, background: '#fff' } });
      return inspect(
        await blank
          .composite([{ input: tile, tile: true }])
          .png()
          .toBuffer(),
      );
    };
    const plain = async (): Promise<ImageFile> =>
      inspect(await draw(note('Anna Schmidt')).flatten({ background: '#fff' }).png().toBuffer());
    const real = (): ImageProcessor => {
      const reader = createImageWorkerPool();
      open.push(reader);
      return reader;
    };

    it('refuses more than four full pages before it reads them, and reads the next image', async () => {
      const reader = real();
      const error = failure(reader.read(await page(2000), A));
      const next = reader.read(await plain(), B);
      expect(await error)
        .to.be.instanceOf(UnreadableImageError)
        .and.have.property('problem', 'dense');
      expect(JSON.stringify(await next)).to.include('Schmidt');
    });

    it('cancels it when its caller disconnects, in the same process, and reads the next image', async () => {
      const reader = real();
      await reader.read(await plain(), B);
      const controller = new AbortController();
      const abandoned = failure(reader.read(await page(500), { ...A, signal: controller.signal }));
      // The rewrite is done between two steps of the read, so the read has begun.
      await reader.rewrite(await plain(), [], B);
      controller.abort();
      expect(await abandoned).to.be.instanceOf(DetectorUnavailableError);
      expect(JSON.stringify(await reader.read(await plain(), B))).to.include('Schmidt');
    });

    it('stops cleanly while it reads it', async () => {
      const reader = real();
      const reading = failure(reader.read(await page(500), A));
      await reader.rewrite(await plain(), [], B);
      await reader.close();
      expect(await reading).to.be.instanceOf(DetectorUnavailableError);
    });
  });

  it('ends idle processes, and all processes when it is closed', async () => {
    const reader = workers({ idleMs: 1 });
    const before = await processOf(reader);
    await eventually(async () => (await processOf(reader)) !== before);
    const errors = [failure(reader.read(HANG, A)), failure(reader.read(READ, A))];
    await reader.close();
    for (const error of await Promise.all(errors)) expect(error).to.be.instanceOf(DetectorUnavailableError);
    expect(await failure(reader.read(READ, A))).to.be.instanceOf(DetectorUnavailableError);
  });

  it('reports the outcome of each task', async () => {
    const seen: unknown[] = [];
    const reader = workers({ observe: (task, outcome, seconds) => seen.push([task, outcome, seconds > 0]) });
    await processOf(reader);
    await failure(reader.read(REFUSE, A));
    await failure(reader.rewrite(THROW, [], A));
    expect(seen).to.deep.equal([
      ['read', 'ok', true],
      ['read', 'refused', true],
      ['rewrite', 'error', true],
    ]);
  });

  const module = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  /** The output of a separate program: this process has already loaded the libraries. */
  const outputOf = async (program: string): Promise<Record<string, unknown>> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', `(async () => {${program}})()`]);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('costs nothing without images: loads no library and starts no process, before and after a call', async () => {
    const { withImage, ...without } = await outputOf(`
      const { startHarness } = await import(${module('../testing/appHarness.ts')});
      const cost = () => {
        const { sharedObjects, libuv } = process.report.getReport();
        const isProcess = ({ type, is_active }) => type === 'process' && is_active;
        return [sharedObjects.filter((name) => /sharp|vips|onnx/.test(name)).length, libuv.filter(isProcess).length];
      };
      const harness = await startHarness();
      const before = cost();
      const { status } = await harness.guard({ input_type: 'request', texts: ['Write to Anna Schmidt.'] });
      const after = cost();
      await harness.guard({ input_type: 'request', images: [${JSON.stringify(IMAGE_URL)}] });
      console.log(JSON.stringify({ status, before, after, withImage: cost() }));
      await harness.stop();
    `);
    expect(without).to.deep.equal({ status: 200, before: [0, 0], after: [0, 0] });
    // With an image, there is a process. The libraries are in it alone.
    expect(withImage).to.deep.equal([0, 1]);
  });

  it('runs its process at a lower priority, as the first to end when memory is short, and without secrets', async () => {
    const { own, children } = await outputOf(`
      const { readFileSync } = require('node:fs');
      const { getPriority } = require('node:os');
      process.env.GUARDRAIL_SESSION_KEY = 'secret';
      const { createImageWorkerPool } = await import(${module('./images.ts')});
      const { parseImageDataUrl } = await import(${module('./dataUrl.ts')});
      const reader = createImageWorkerPool();
      await reader.read(parseImageDataUrl(${JSON.stringify(IMAGE_URL)}), { tenant: 'a', signal: new AbortController().signal });
      const isLinux = process.platform === 'linux';
      const pids = isLinux ? readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ') : [];
      const children = pids.map((pid) => ({
        priority: getPriority(+pid),
        score: Number(readFileSync('/proc/' + pid + '/oom_score_adj', 'utf8')),
        hasSecret: readFileSync('/proc/' + pid + '/environ', 'utf8').includes('secret'),
      }));
      console.log(JSON.stringify({ own: getPriority(process.pid), children }));
      await reader.close();
    `);
    if (process.platform !== 'linux') return;
    expect(children).to.deep.equal([{ priority: Math.max(10, own as number), score: 1000, hasSecret: false }]);
  });

  it('refuses what its libraries cannot decode', async () => {
    const reader = createImageWorkerPool();
    open.push(reader);
    const broken = pngOf(64, 64);
    // Within the compressed pixels: the structure stays valid.
    broken.fill(0x55, 45, 50);
    expect(await failure(reader.read(inspect(broken), A))).to.be.instanceOf(UnreadableImageError);
  });
});
