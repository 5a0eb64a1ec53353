import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Run } from './run.ts';
import type { TestServers } from './servers.ts';
import { allTests } from './suites.ts';

const root = join(import.meta.dirname, '../..');
/** The files of these tests need no servers. */
const NO_SERVERS: TestServers = {
  findRedis: () => Promise.reject(new Error('No file needs Redis.')),
  findControlPlane: () => Promise.reject(new Error('No file needs a control plane.')),
  startControlPlane: () => {
    throw new Error('No file needs a control plane.');
  },
};
const FAILS_ONCE = `
  import { existsSync, writeFileSync } from 'node:fs';
  it('passes', () => {});
  it('passes the second time', () => {
    const mark = import.meta.filename + '.mark';
    if (existsSync(mark)) return;
    writeFileSync(mark, '');
    throw new Error('the first time');
  });`;

describe('run of the tests', function () {
  // Each run starts processes.
  this.timeout(60_000);
  let project = '';
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'run-test-'));
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  });
  afterEach(() => {
    rmSync(project, { recursive: true });
  });

  async function run(sources: Readonly<Record<string, string>>): Promise<ReturnType<Run['verdict']>> {
    for (const folder of ['operator', 'guardrail', 'hack']) mkdirSync(join(project, folder));
    writeFileSync(join(project, 'operator/passes.test.ts'), `it('a', () => {});`);
    writeFileSync(join(project, 'guardrail/passes.test.ts'), `it('a', () => {});`);
    writeFileSync(join(project, 'hack/passes.test.ts'), `it('a', () => {});`);
    for (const [name, source] of Object.entries(sources)) writeFileSync(join(project, name), source);
    const run = new Run({ root: project, servers: NO_SERVERS, signal: new AbortController().signal });
    await run.together({ files: allTests(project) });
    return run.verdict();
  }

  it('counts a file that fails once as passed, and names it as flaky', async () => {
    expect(await run({ 'hack/luck.test.ts': FAILS_ONCE })).to.deep.equal({
      passed: 5,
      failed: 0,
      lines: ['FLAKY hack/luck.test.ts › passes the second time: the first time'],
    });
  });

  it('starts a program before the test files, once the binaries that it needs are found', async () => {
    const order = join(project, 'order');
    const append = (name: string): string => `
      import { appendFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(order)}, '${name} ');`;
    for (const folder of ['operator', 'guardrail', 'hack']) mkdirSync(join(project, folder));
    writeFileSync(join(project, 'hack/a.cluster.test.ts'), `${append('file')} it('a', () => {});`);
    writeFileSync(join(project, 'hack/program.ts'), `${append('program')} console.log('1 passed, 0 failed');`);
    const found = new Promise<void>((resolve) => void setImmediate(resolve));
    const plane = { env: {}, programs: found, ready: Promise.resolve(), stop: () => Promise.resolve() };
    const run = new Run({
      root: project,
      servers: { ...NO_SERVERS, findRedis: () => Promise.resolve(), startControlPlane: () => plane },
      signal: new AbortController().signal,
    });
    // It does not fit beside anything else.
    const program = { title: 'the program', script: 'hack/program.ts', share: 1_000, casesOf: () => [] };
    await run.together({ files: ['hack/a.cluster.test.ts'], programs: [program] });
    expect(run.verdict()).to.include({ passed: 2, failed: 0 });
    expect(readFileSync(order, 'utf8')).to.equal('program file ');
  });

  it('fails when more than three files fail once', async () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => `hack/${name}.test.ts`);
    const { passed, failed, lines } = await run(Object.fromEntries(names.map((name) => [name, FAILS_ONCE])));
    expect([passed, failed]).to.deep.equal([11, 1]);
    expect(lines).to.have.length(5);
  });

  it('fails for a file that fails twice', async () => {
    expect(await run({ 'hack/wrong.test.ts': `it('a', () => { throw new Error('no'); });` })).to.deep.equal({
      passed: 3,
      failed: 1,
      lines: ['FAILED hack/wrong.test.ts › a: no'],
    });
  });

  it('fails for a file that registers no test, and names it', async () => {
    expect(await run({ 'hack/empty.test.ts': '' })).to.deep.equal({
      passed: 3,
      failed: 1,
      lines: ['FAILED hack/empty.test.ts › empty.test.ts: The file registers no test.'],
    });
  });
});
