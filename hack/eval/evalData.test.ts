import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { evalFolder, evalSets } from './evalData.ts';

const root = join(import.meta.dirname, '../..');

describe('evaluation data', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'eval-data-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is read from EVAL_DIR', () => {
    for (const file of [...evalSets.map((name) => `${name}.jsonl`), 'score.py']) writeFileSync(join(folder, file), '');
    expect(evalFolder({ EVAL_DIR: folder })).to.equal(folder);
  });

  it('reports missing data and the remedy', () => {
    expect(() => evalFolder({})).to.throw(/^EVAL_DIR is not set.*Set EVAL_DIR to a folder.*docs\/model-card\.md.*\.$/);
    expect(() => evalFolder({ EVAL_DIR: '' })).to.throw(/^EVAL_DIR is not set/);
    writeFileSync(join(folder, 'score.py'), '');
    expect(() => evalFolder({ EVAL_DIR: folder })).to.throw(
      /^EVAL_DIR \(.*\) does not contain presidio_synth_dev\.jsonl, /,
    );
  });

  it('is required by its tests', () => {
    const { EVAL_DIR: _, ...env } = process.env;
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
    const { status, stdout } = spawnSync(process.execPath, [mocha, '--reporter=json', 'hack/eval/eval.all.test.ts'], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    const { stats, failures } = JSON.parse(stdout) as {
      stats: { passes: number; failures: number };
      failures: { err: { message: string } }[];
    };
    expect(status).to.not.equal(0);
    expect(stats).to.include({ passes: 0, failures: 1 });
    expect(failures[0]?.err.message).to.match(/^EVAL_DIR is not set/);
  });
});
