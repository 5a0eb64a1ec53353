import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { Progress } from '../harness/progress.ts';
import { runCheck } from './checks.ts';

const silent = new Progress(
  new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  }),
);

describe('check', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'checks-test-'));
    for (const clone of ['first', 'second']) {
      mkdirSync(join(folder, clone));
      symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, clone, 'node_modules'));
    }
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function run(clone: string, script: string, state?: string): Promise<number> {
    const check = { title: 'Trial', command: ['node', '--eval', script] as [string, ...string[]] };
    const outcome = await runCheck(
      join(folder, clone),
      silent,
      { ...check, ...(state !== undefined && { state }) },
      join(folder, 'cache'),
    );
    return outcome.failures.length;
  }

  it('passes or fails as its program does', async () => {
    expect(await run('first', '')).to.equal(0);
    expect(await run('first', 'process.exit(2)')).to.equal(1);
  });

  it('gives its state to another clone, once it has passed', async () => {
    const write =
      "require('fs').mkdirSync('of', { recursive: true }); require('fs').writeFileSync('of/state', 'known');";
    const read = "if (require('fs').readFileSync('of/state', 'utf8') !== 'known') process.exit(1);";
    expect(await run('first', `${write} process.exit(1);`, 'of/state')).to.equal(1);
    expect(await run('second', read, 'of/state')).to.equal(1);
    expect(existsSync(join(folder, 'second/of/state'))).to.equal(false);
    expect(await run('first', write, 'of/state')).to.equal(0);
    expect(await run('second', read, 'of/state')).to.equal(0);
  });
});
