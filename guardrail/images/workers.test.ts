import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { DetectorUnavailableError } from '../detection/detection.ts';
import { ImagesBusyError, UnreadableImageError, type PictureReader } from './contract.ts';
import { dataUrlOf } from './dataUrl.ts';
import { inspect } from './inspect.ts';
import { draw, note } from './testing/pictures.ts';
import { pngOf } from './testing/files.ts';
import { createWorkers, type WorkerOptions } from './workers.ts';

/** A thread that does what its picture's first byte says. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', ({ kind, bytes }) => {
      const say = (answer) => parentPort.postMessage({ kind, answer });
      const [order] = bytes;
      if (order === 1) for (;;);
      if (order === 2) throw new Error('Anna Schmidt');
      if (order === 3) process.exit(0);
      if (order === 4) { say({ problem: 'damaged' }); return; }
      const box = { left: 0, top: 0, width: 1, height: 1 };
      const reading = { passes: [[[{ text: String(threadId), box }]]], isAltered: false };
      setTimeout(() => say(kind === 'read' ? { reading } : { bytes }), order);
    });
  `)}`,
);
const order = (byte: number) =>
  ({ format: 'png', bytes: Uint8Array.of(byte), mayHoldMore: false, isLossless: true }) as const;
const HANG = order(1);
const THROW = order(2);
const EXIT = order(3);
const REFUSE = order(4);
const READ = order(20);
const PICTURE = dataUrlOf('png', pngOf(64, 64));

describe('the threads that read pictures', function () {
  this.timeout(60_000);
  const signal = new AbortController().signal;
  let open: PictureReader[] = [];
  const workers = (options: WorkerOptions = {}): PictureReader => {
    const made = createWorkers({ threads: 1, program, ...options });
    open.push(made);
    return made;
  };
  afterEach(async () => {
    await Promise.all(open.map((reader) => reader.close()));
    open = [];
  });
  const threadOf = async (reader: PictureReader): Promise<string | undefined> =>
    (await reader.read(READ, signal)).passes[0]?.[0]?.[0]?.text;
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('are one for all pictures where one is enough, and as many as are allowed where there are more', async () => {
    const one = workers();
    expect(new Set(await Promise.all([threadOf(one), threadOf(one), threadOf(one)]))).to.have.property('size', 1);
    const two = workers({ threads: 2 });
    expect(new Set(await Promise.all([1, 2, 3, 4, 5].map(() => threadOf(two))))).to.have.property('size', 2);
  });

  it('write what was read while they read the next one', async () => {
    const reader = workers();
    const done: string[] = [];
    const task = async (what: string, work: Promise<unknown>): Promise<void> => {
      await work;
      done.push(what);
    };
    const first = task('first read', reader.read(READ, signal));
    const others = [2, 3].map((at) => task(`read ${at}`, reader.read(order(200), signal)));
    await first;
    await task('first written', reader.rewrite(READ, [], signal));
    await Promise.all(others);
    expect(done).to.deep.equal(['first read', 'first written', 'read 2', 'read 3']);
  });

  it('fail what they write together with what they read, when they hang', async () => {
    const reader = workers({ timeoutMs: 1000 });
    const errors = [failure(reader.read(HANG, signal)), failure(reader.rewrite(READ, [], signal))];
    for (const error of await Promise.all(errors)) {
      expect(error).to.be.instanceOf(ImagesBusyError).and.include({ code: 'timeout', waitMs: 1000 });
    }
    expect(await threadOf(reader)).to.be.a('string');
  });

  const FAULTS = [
    ['throws', THROW, DetectorUnavailableError],
    ['exits', EXIT, DetectorUnavailableError],
    ['hangs', HANG, ImagesBusyError],
  ] as const;
  for (const [what, picture, kind] of FAULTS) {
    it(`are replaced when one ${what}, and tell nothing of the picture`, async () => {
      const reader = workers({ timeoutMs: 2000 });
      const before = await threadOf(reader);
      const [error, after] = await Promise.all([failure(reader.read(picture, signal)), threadOf(reader)]);
      expect(error).to.be.instanceOf(kind);
      expect(String(error))
        .to.match(/Image OCR/)
        .and.not.match(/Anna/);
      expect(after).to.be.a('string').and.not.equal(before);
    });
  }

  it('say what is wrong with a picture, and go on', async () => {
    const reader = workers();
    const before = await threadOf(reader);
    const error = await failure(reader.read(REFUSE, signal));
    expect(error).to.be.instanceOf(UnreadableImageError).and.have.property('problem', 'damaged');
    expect(await threadOf(reader)).to.equal(before);
  });

  it('refuse more pictures than they can read in time, and leave out those whose caller has gone', async () => {
    const reader = workers();
    const controller = new AbortController();
    const first = reader.read(READ, signal);
    const waiting = Array.from({ length: 100 }, () => failure(reader.read(HANG, controller.signal)));
    const refused = await failure(reader.read(READ, signal));
    expect(refused).to.be.instanceOf(ImagesBusyError).and.include({ code: 'overloaded', waitMs: 100_000 });
    controller.abort();
    for (const error of await Promise.all(waiting)) expect(error).to.be.instanceOf(DetectorUnavailableError);
    await first;
    expect(await threadOf(reader)).to.be.a('string');
  });

  it('end when there is no work for them, and when they are closed, whatever they are doing', async () => {
    const reader = workers({ idleMs: 1 });
    const before = await threadOf(reader);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await threadOf(reader)).to.not.equal(before);
    const errors = [failure(reader.read(HANG, signal)), failure(reader.read(READ, signal))];
    await reader.close();
    for (const error of await Promise.all(errors)) expect(error).to.be.instanceOf(DetectorUnavailableError);
    expect(await failure(reader.read(READ, signal))).to.be.instanceOf(DetectorUnavailableError);
  });

  it('count how each task went', async () => {
    const seen: unknown[] = [];
    const reader = workers({ observe: (task, outcome, seconds) => seen.push([task, outcome, seconds > 0]) });
    await threadOf(reader);
    await failure(reader.read(REFUSE, signal));
    await failure(reader.rewrite(THROW, [], signal));
    expect(seen).to.deep.equal([
      ['read', 'ok', true],
      ['read', 'refused', true],
      ['rewrite', 'error', true],
    ]);
  });

  const module = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  /** What a program of its own prints: in this one the tests have used the same libraries. */
  const printed = async (program: string): Promise<Record<string, unknown>> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', `(async () => {${program}})()`]);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('cost a service without pictures nothing: no library is loaded, no thread runs, before and after a call', async () => {
    const { withPicture, ...without } = await printed(`
      const { startHarness } = await import(${module('../appHarness.ts')});
      const cost = () => {
        const { sharedObjects, workers } = process.report.getReport();
        return [sharedObjects.filter((name) => /sharp|vips/.test(name)).length, workers.length];
      };
      const harness = await startHarness();
      const before = cost();
      const { status } = await harness.guard({ input_type: 'request', texts: ['Write to Anna Schmidt.'] });
      const after = cost();
      await harness.guard({ input_type: 'request', images: [${JSON.stringify(PICTURE)}] });
      console.log(JSON.stringify({ status, before, after, withPicture: cost() }));
      await harness.stop();
    `);
    expect(without).to.deep.equal({ status: 200, before: [0, 0], after: [0, 0] });
    // The same look sees them where they are.
    expect(withPicture).to.not.include(0);
  });

  it('step back behind the thread that answers calls, with those of the libraries, where threads have priorities', async () => {
    const { own, others } = await printed(`
      const { existsSync, readdirSync, readFileSync } = require('node:fs');
      const { getPriority } = require('node:os');
      const { createWorkers } = await import(${module('./images.ts')});
      const { pictureOf } = await import(${module('./dataUrl.ts')});
      const reader = createWorkers();
      await reader.read(pictureOf(${JSON.stringify(PICTURE)}), new AbortController().signal);
      const threads = existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [];
      const nameOf = (thread) => readFileSync('/proc/self/task/' + thread + '/comm', 'utf8').trim();
      const others = threads.filter((thread) => /WorkerThread|vips/.test(nameOf(thread))).map((thread) => getPriority(+thread));
      console.log(JSON.stringify({ own: getPriority(process.pid), others }));
      await reader.close();
    `);
    if (process.platform === 'linux') expect(others).to.have.length.greaterThan(1);
    for (const priority of others as number[]) expect(priority).to.be.at.least(Math.max(10, own as number));
  });

  it('refuse what their libraries cannot unpack, and end cleanly in the middle of a picture', async () => {
    const reader = createWorkers({ threads: 1 });
    open.push(reader);
    const broken = pngOf(64, 64);
    // Within the compressed pixels: the structure is whole.
    broken.fill(0x55, 45, 50);
    expect(await failure(reader.read(inspect(broken), signal))).to.be.instanceOf(UnreadableImageError);
    const file = await draw(note('Anna Schmidt')).flatten({ background: '#fff' }).png().toBuffer();
    const reading = failure(reader.read(inspect(file), signal));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await reader.close();
    expect(await reading).to.be.instanceOf(DetectorUnavailableError);
  });
});
