import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../operator/runtime/testing/eventually.ts';
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

  it('run under another command, with hooks and a time limit of their own', async () => {
    const hooks = join(folder, file(`export const mochaHooks = { beforeEach() { globalThis.hooked = true; } };`));
    const others = new Workers(folder, { through: ['env', 'FROM_COMMAND=yes'], tests: { hooks, timeoutMs: 50 } });
    const source = `
      it('a', () => { if (process.env.FROM_COMMAND !== 'yes' || !globalThis.hooked) throw new Error('no'); });
      it('b', async () => { await new Promise(() => {}); });`;
    const { passed, failures } = await others.run(file(source));
    expect(passed).to.equal(1);
    expect(failures).to.have.length(1);
    expect(failures[0]?.message).to.match(/Timeout of 50ms exceeded/);
    others.abort();
  });

  for (const through of [undefined, ['env', 'A=1']]) {
    it(`end at once when they are aborted${through === undefined ? '' : ', also under another command'}`, async () => {
      const mark = file('');
      const others = new Workers(folder, through && { through });
      const source = `
        import { writeFileSync } from 'node:fs';
        it('a', async () => {
          writeFileSync(${JSON.stringify(join(folder, mark))}, 'begun');
          await new Promise((done) => setTimeout(done, 60_000));
        });`;
      const run = others.run(file(source));
      await eventually(() => {
        expect(readFileSync(join(folder, mark), 'utf8')).to.equal('begun');
      });
      others.abort();
      const { passed, failures } = await run;
      expect(passed).to.equal(0);
      expect(failures[0]?.message).to.match(/^Its process ended/);
    });
  }

  it('end a file after its time limit', async () => {
    const others = new Workers(folder, { fileLimitMs: 1 });
    const { failures } = await others.run(file(`it('a', async () => { await new Promise(() => {}); });`));
    expect(failures[0]?.message).to.match(/^It ran for more than/);
  });

  for (const [what, source, described] of [
    ['a server', `createServer().listen(0, '127.0.0.1')`, 'server {"address":"127.0.0.1"'],
    ['a process', `spawn('cat')`, 'process cat'],
    ['a timer', `setTimeout(() => {}, 60_000)`, 'Timeout'],
  ] as const) {
    it(`report ${what} that a file leaves running`, async () => {
      const others = new Workers(folder, { tests: { endsWithinMs: 100 } });
      const name = file(`
        import { spawn } from 'node:child_process';
        import { createServer } from 'node:net';
        it('a', () => { ${source}; });`);
      const { passed, failures } = await others.run(name);
      expect(passed).to.equal(1);
      expect(failures.map(({ title }) => title)).to.deep.equal([name]);
      expect(failures[0]?.message).to.include('left something running').and.include(described);
      expect((await others.run(file(`it('a', () => {});`))).failures, 'the next file').to.deep.equal([]);
      others.abort();
    });
  }

  it('accept a server that ends shortly after the last test', async () => {
    const name = file(`
      import { createServer } from 'node:net';
      it('a', () => { const server = createServer().listen(0, () => setTimeout(() => server.close(), 100)); });`);
    expect((await workers.run(name)).failures).to.deep.equal([]);
  });

  it('measure processor time', async () => {
    const busy = file(`it('a', () => { const end = performance.now() + 300; while (performance.now() < end); });`);
    const { processorMs, wallMs } = await workers.run(busy);
    expect(processorMs)
      .to.be.greaterThan(0)
      .and.lessThan(wallMs + 1_000);
  });
});
