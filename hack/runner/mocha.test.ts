import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { judge } from './mocha.ts';

const root = join(import.meta.dirname, '../..');

describe('test driver', () => {
  const counts = (passed: number, failed: number, ended = true) => ({
    ended,
    passed,
    failed,
    failures: Array.from({ length: failed }, (_, index) => `failure ${index}`),
  });
  for (const [what, written, code, leftRunning, expected] of [
    ['a run without failure', counts(3, 0), 0, false, [3, 0]],
    ['failures', counts(3, 2), 2, false, [3, 2]],
    ['no test', counts(0, 0), 0, false, [0, 1]],
    ['no test, which mocha reports as an error', counts(0, 0), 1, false, [0, 1]],
    ['an aborted run', counts(0, 0, false), 1, false, [0, 1]],
    ['a run that was killed before its last test', counts(7, 1, false), null, false, [7, 2]],
    ['something left running', counts(3, 0), null, true, [3, 1]],
    ['a failure exit code after passed tests', counts(3, 0), 7, false, [3, 1]],
  ] as const) {
    it(`counts ${what} as ${expected.join(' passed, ')} failed`, () => {
      const { passed, failed, failures } = judge({ ...written, failures: [...written.failures] }, code, leftRunning);
      expect([passed, failed]).to.deep.equal(expected);
      expect(failures).to.have.length(failed);
    });
  }

  it('says what was left running', () => {
    const { failures } = judge({ ...counts(3, 0), running: ['process 12', 'Timeout'] }, null, true, 'one.test.ts');
    expect(failures).to.have.length(1);
    expect(failures[0]).to.include('(one.test.ts): process 12, Timeout.');
  });

  describe('of real runs', () => {
    let folder = '';
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'driver-test-'));
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    });
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    async function run(source: string, options = '{}'): Promise<string> {
      writeFileSync(join(folder, 'one.test.mjs'), source);
      const program = `
        const { runMocha } = await import(${JSON.stringify(join(import.meta.dirname, 'mocha.ts'))});
        const { passed, failed } = await runMocha(${JSON.stringify(folder)}, ['one.test.mjs'], ${options});
        process.stdout.write('\\n' + passed + ' passed, ' + failed + ' failed');`;
      return new Promise((resolve) => {
        execFile(process.execPath, ['--input-type=module', '-e', program], (_error, stdout) => {
          resolve(stdout.split('\n').at(-1) ?? '');
        });
      });
    }

    for (const [what, source, expected] of [
      [
        'passes and failures',
        `it('a', () => {}); it('b', () => { throw new Error('no'); }); it('c', () => {});`,
        '2 passed, 1 failed',
      ],
      [
        'a failing hook',
        `describe('x', () => { before(() => { throw new Error('no'); }); it('a', () => {}); });`,
        '0 passed, 1 failed',
      ],
      ['a file that cannot be loaded', `import './nothing.mjs';`, '0 passed, 1 failed'],
      [
        'a process that dies in a test',
        `it('a', () => {}); it('b', () => { process.kill(process.pid, 'SIGKILL'); });`,
        '1 passed, 1 failed',
      ],
      ['no test', `describe('x', () => {});`, '0 passed, 1 failed'],
    ] as const) {
      it(`counts ${what}: ${expected}`, async () => {
        expect(await run(source)).to.equal(expected);
      });
    }

    it('runs under another command, with its own environment', async () => {
      const source = `it('a', () => { if (process.env.A + process.env.B !== '12') throw new Error('no'); });`;
      expect(await run(source, `{ through: ['env', 'A=1'], env: { B: '2' } }`)).to.equal('1 passed, 0 failed');
      expect(await run(source)).to.equal('0 passed, 1 failed');
    });

    it('ends at once when it is aborted, and counts this as a failure', async () => {
      const source = `it('a', async () => { await new Promise((done) => setTimeout(done, 10_000)); });`;
      expect(await run(source, '{ abort: AbortSignal.timeout(1_000) }')).to.match(/^0 passed, [12] failed$/);
    });
  });
});
