import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Workers } from './workers.ts';

const root = join(import.meta.dirname, '../..');

describe('workers', () => {
  let folder = '';
  let workers: Workers;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'workers-test-'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  beforeEach(() => {
    workers = new Workers(folder, { env: { FROM_RUNNER: 'yes' } });
  });
  afterEach(async () => {
    await workers.end();
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  let files = 0;
  /** A test file with this content. A new name each time, since a module is loaded once. */
  function file(source: string): string {
    files += 1;
    const name = `file${files}.test.mjs`;
    writeFileSync(join(folder, name), source);
    return name;
  }

  for (const [what, source, passed, failures] of [
    [
      'passes and failures',
      `it('a', () => {}); it('b', () => { throw new Error('no'); }); it('c', () => {});`,
      2,
      [['b', 'no']],
    ],
    [
      'a hook that fails',
      `describe('x', () => { before(() => { throw new Error('no'); }); it('a', () => {}); });`,
      0,
      [['x "before all" hook for "a"', 'no']],
    ],
    ['a pending test', `it('a', () => {}); it('b');`, 1, [['b', 'Pending test forbidden']]],
    ['an exclusive test', `it.only('a', () => {});`, 0, [['cannot be loaded', '.only']]],
    ['a file that cannot be loaded', `import './nothing.mjs';`, 0, [['cannot be loaded', 'nothing.mjs']]],
    ['an empty file', ``, 0, [['', 'The file registers no test.']]],
    ['a file without a test', `describe('x', () => {});`, 0, [['', 'The file registers no test.']]],
    [
      'a process that dies in a test',
      `it('a', () => {}); it('b', () => { process.kill(process.pid, 'SIGKILL'); });`,
      0,
      [['the run of the file', 'Its process ended (SIGKILL).']],
    ],
    ['the environment', `it('a', () => { if (process.env.FROM_RUNNER !== 'yes') throw new Error('no'); });`, 1, []],
  ] as const) {
    it(`report ${what}`, async () => {
      const name = file(source);
      const outcome = await workers.run(name);
      expect(outcome.name).to.equal(name);
      expect(outcome.passed).to.equal(passed);
      expect(outcome.failures).to.have.length(failures.length);
      for (const [index, [title, message]] of failures.entries()) {
        expect(outcome.failures[index]?.title).to.include(title);
        expect(outcome.failures[index]?.message).to.include(message);
      }
      expect(await workers.end()).to.deep.equal([]);
    });
  }

  it('run several files in one process, and go on in another one after it has died', async () => {
    const printPid = `it('a', () => { console.log('pid=' + process.pid + '.'); });`;
    const pids = [];
    for (const source of [printPid, printPid, `it('a', () => process.exit(3));`, printPid]) {
      const { output } = await workers.run(file(source));
      pids.push(/pid=(\d+)\./.exec(output)?.[1]);
    }
    expect(pids[0]).to.match(/\d/);
    expect(pids[1]).to.equal(pids[0]);
    expect(pids[2]).to.equal(undefined);
    expect(pids[3]).to.match(/\d/).and.not.equal(pids[0]);
  });

  it('run a file alone in a process of its own', async () => {
    const source = `it('a', () => { if (globalThis.used) throw new Error('shared'); globalThis.used = true; });`;
    const shared = [await workers.run(file(source)), await workers.run(file(source))];
    expect(shared.map(({ passed }) => passed)).to.deep.equal([1, 0]);
    expect((await workers.run(file(source), { alone: true })).passed).to.equal(1);
  });

  it('report a file that fails once as flaky material: it fails, and passes in a second run', async () => {
    const name = file(`
      import { existsSync, writeFileSync } from 'node:fs';
      it('passes the second time', () => {
        const mark = import.meta.filename + '.mark';
        if (existsSync(mark)) return;
        writeFileSync(mark, '');
        throw new Error('the first time');
      });`);
    const first = await workers.run(name);
    expect(first.failures.map(({ message }) => message)).to.deep.equal(['the first time']);
    const second = await workers.run(name, { alone: true });
    expect([second.passed, second.failures.length]).to.deep.equal([1, 0]);
  });

  it('measure processor time', async () => {
    const busy = file(`it('a', () => { const end = performance.now() + 300; while (performance.now() < end); });`);
    const { processorMs, wallMs } = await workers.run(busy);
    expect(processorMs)
      .to.be.greaterThan(0)
      .and.lessThan(wallMs + 1_000);
  });
});
