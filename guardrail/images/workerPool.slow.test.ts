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
import { pngOf } from './testing/files.ts';
import { createImageWorkerPool, type WorkerPoolOptions } from './workerPool.ts';

/** A thread that follows the order in the first byte of an image. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    let stop;
    parentPort.on('message', ({ kind, bytes }) => {
      if (kind === 'stop') return stop?.();
      const reply = (answer) => parentPort.postMessage({ kind, answer });
      const [order] = bytes;
      if (order === 1) for (;;);
      if (order === 2) throw new Error('Anna Schmidt');
      if (order === 3) process.exit(0);
      if (order === 4) { reply({ problem: 'damaged' }); return; }
      if (order === 5) { stop = () => reply({ isStopped: true }); return; }
      const box = { left: 0, top: 0, width: 1, height: 1 };
      const result = { passes: [[[{ text: String(threadId), box }]]], isAltered: false };
      setTimeout(() => reply(kind === 'read' ? { result } : { bytes }), order);
    });
  `)}`,
);
const order = (byte: number): ImageFile => ({
  format: 'png',
  bytes: Uint8Array.of(byte),
  mayHaveExtraData: false,
  isLossless: true,
});
const HANG = order(1);
const THROW = order(2);
const EXIT = order(3);
const REFUSE = order(4);
const UNTIL_STOPPED = order(5);
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
    const made = createImageWorkerPool({ threads: 1, program, ...options });
    open.push(made);
    return made;
  };
  afterEach(async () => {
    await Promise.all(open.map((reader) => reader.close()));
    open = [];
  });
  const threadOf = async (reader: ImageProcessor, caller = A): Promise<string | undefined> =>
    (await reader.read(READ, caller)).passes[0]?.[0]?.[0]?.text;
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('runs one thread if one is enough, and at most the configured number', async () => {
    const one = workers();
    expect(new Set(await Promise.all([threadOf(one), threadOf(one), threadOf(one)]))).to.have.property('size', 1);
    const two = workers({ threads: 2 });
    expect(new Set(await Promise.all([1, 2, 3, 4, 5].map(() => threadOf(two))))).to.have.property('size', 2);
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

  it('repeats a rewrite if a read hangs in the same thread', async () => {
    const reader = workers({ timeoutMs: 1000 });
    const [hanging, written] = [failure(reader.read(HANG, A)), reader.rewrite(READ, [], B)];
    expect(await hanging)
      .to.be.instanceOf(ImagesBusyError)
      .and.include({ code: 'timeout', waitMs: 1000 });
    expect([...(await written)]).to.deep.equal([...READ.bytes]);
    expect(await threadOf(reader)).to.be.a('string');
  });

  const FAULTS = [
    ['throws', THROW, DetectorUnavailableError],
    ['exits', EXIT, DetectorUnavailableError],
    ['hangs', HANG, ImagesBusyError],
  ] as const;
  for (const [what, image, kind] of FAULTS) {
    it(`replaces a thread that ${what}, and reveals nothing of the image`, async () => {
      const reader = workers({ timeoutMs: 1000 });
      const before = await threadOf(reader);
      const [error, after] = await Promise.all([failure(reader.read(image, A)), threadOf(reader)]);
      expect(error).to.be.instanceOf(kind);
      expect(String(error))
        .to.match(/Image OCR/)
        .and.not.match(/Anna/);
      expect(after).to.be.a('string').and.not.equal(before);
    });
  }

  it('reports an unreadable image and keeps the thread', async () => {
    const reader = workers();
    const before = await threadOf(reader);
    const error = await failure(reader.read(REFUSE, A));
    expect(error).to.be.instanceOf(UnreadableImageError).and.have.property('problem', 'damaged');
    expect(await threadOf(reader)).to.equal(before);
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
    expect(await threadOf(reader, B)).to.be.a('string');
    controller.abort();
    for (const error of await Promise.all(waiting)) expect(error).to.be.instanceOf(DetectorUnavailableError);
    await first;
    expect(await threadOf(reader)).to.be.a('string');
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

  it('cancels a read at once when its caller disconnects, and keeps the thread', async () => {
    const reader = workers();
    const before = await threadOf(reader);
    const controller = new AbortController();
    const abandoned = failure(reader.read(UNTIL_STOPPED, { ...A, signal: controller.signal }));
    const next = threadOf(reader, B);
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
    expect(await threadOf(reader, B)).to.be.a('string');
    expect(await abandoned).to.be.instanceOf(DetectorUnavailableError);
  });

  /** Waits until this process has used processor time, in milliseconds, so that a read of the OCR engine has begun. */
  const untilUsed = async (ms: number): Promise<void> => {
    const before = process.cpuUsage().user;
    await eventually(() => process.cpuUsage().user - before > 1000 * ms, 50_000);
  };

  describe('with a page of small print that takes more than a minute', () => {
    let dense: ImageFile;
    before(async () => {
      const line = 'Anna Schmidt wrote to the office about the invoice of last May and asked for a new one.';
      const runs = Array.from({ length: 38 }, (_, at) => ({ x: 4, y: 13 * (at + 1), text: line, size: 11 }));
      const tile = await draw({ width: 500, height: 500, runs }).flatten({ background: '#fff' }).png().toBuffer();
      const page = sharp({ create: { width: 2000, height: 2000, channels: 3, background: '#fff' } });
      dense = inspect(
        await page
          .composite([{ input: tile, tile: true }])
          .png()
          .toBuffer(),
      );
    });
    const plain = async (): Promise<ImageFile> =>
      inspect(await draw(note('Anna Schmidt')).flatten({ background: '#fff' }).png().toBuffer());
    const real = (options: WorkerPoolOptions): ImageProcessor => {
      const reader = createImageWorkerPool(options);
      open.push(reader);
      return reader;
    };

    it('refuses it when it exceeds its processor time budget, and reads the next image', async () => {
      const reader = real({ budgetMs: 300, timeoutMs: 60_000 });
      const error = failure(reader.read(dense, A));
      const next = reader.read(await plain(), B);
      expect(await error)
        .to.be.instanceOf(UnreadableImageError)
        .and.have.property('problem', 'dense');
      expect(JSON.stringify(await next)).to.include('Schmidt');
    });

    it('cancels it when its caller disconnects, and reads the next image', async () => {
      // Neither the budget nor the time limit ends within this test.
      const reader = real({ budgetMs: 600_000, timeoutMs: 600_000 });
      await reader.read(await plain(), B);
      const controller = new AbortController();
      const abandoned = failure(reader.read(dense, { ...A, signal: controller.signal }));
      // The caller disconnects in the middle of the page.
      await untilUsed(500);
      controller.abort();
      expect(await abandoned).to.be.instanceOf(DetectorUnavailableError);
      expect(JSON.stringify(await reader.read(await plain(), B))).to.include('Schmidt');
    });

    it('stops cleanly while it reads it', async () => {
      const reader = real({ budgetMs: 600_000, timeoutMs: 600_000 });
      const reading = failure(reader.read(dense, A));
      await untilUsed(300);
      await reader.close();
      expect(await reading).to.be.instanceOf(DetectorUnavailableError);
    });
  });

  it('ends idle threads, and all threads when it is closed', async () => {
    const reader = workers({ idleMs: 1 });
    const before = await threadOf(reader);
    await eventually(async () => (await threadOf(reader)) !== before);
    const errors = [failure(reader.read(HANG, A)), failure(reader.read(READ, A))];
    await reader.close();
    for (const error of await Promise.all(errors)) expect(error).to.be.instanceOf(DetectorUnavailableError);
    expect(await failure(reader.read(READ, A))).to.be.instanceOf(DetectorUnavailableError);
  });

  it('reports the outcome of each task', async () => {
    const seen: unknown[] = [];
    const reader = workers({ observe: (task, outcome, seconds) => seen.push([task, outcome, seconds > 0]) });
    await threadOf(reader);
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

  it('costs nothing without images: loads no library and starts no thread, before and after a call', async () => {
    const { withImage, ...without } = await outputOf(`
      const { startHarness } = await import(${module('../testing/appHarness.ts')});
      const cost = () => {
        const { sharedObjects, workers } = process.report.getReport();
        return [sharedObjects.filter((name) => /sharp|vips/.test(name)).length, workers.length];
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
    // With an image, the same measurement finds both.
    expect(withImage).to.not.include(0);
  });

  it('runs its threads and those of its libraries at a lower priority on systems with thread priorities', async () => {
    const { own, others } = await outputOf(`
      const { existsSync, readdirSync, readFileSync } = require('node:fs');
      const { getPriority } = require('node:os');
      const { createImageWorkerPool } = await import(${module('./images.ts')});
      const { parseImageDataUrl } = await import(${module('./dataUrl.ts')});
      const reader = createImageWorkerPool();
      await reader.read(parseImageDataUrl(${JSON.stringify(IMAGE_URL)}), { tenant: 'a', signal: new AbortController().signal });
      const threads = existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [];
      const nameOf = (thread) => readFileSync('/proc/self/task/' + thread + '/comm', 'utf8').trim();
      const others = threads.filter((thread) => /WorkerThread|vips/.test(nameOf(thread))).map((thread) => getPriority(+thread));
      console.log(JSON.stringify({ own: getPriority(process.pid), others }));
      await reader.close();
    `);
    if (process.platform === 'linux') expect(others).to.have.length.greaterThan(1);
    for (const priority of others as number[]) expect(priority).to.be.at.least(Math.max(10, own as number));
  });

  it('refuses what its libraries cannot decode', async () => {
    const reader = createImageWorkerPool({ threads: 1 });
    open.push(reader);
    const broken = pngOf(64, 64);
    // Within the compressed pixels: the structure stays valid.
    broken.fill(0x55, 45, 50);
    expect(await failure(reader.read(inspect(broken), A))).to.be.instanceOf(UnreadableImageError);
  });
});
