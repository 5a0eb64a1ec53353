import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../..');

describe('package-lock.json', function () {
  this.timeout(10 * 60_000);
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'npm-ci-'));
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      copyFileSync(join(root, file), join(folder, file));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  // A platform package that does not exist lets the first npm ci pass and every later one fail.
  it('installs twice in a row with the Node of the machine, and provides the pinned Node', () => {
    const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !/node_modules|node-gyp-bin/.test(entry));
    const env = { ...process.env, PATH: path.join(delimiter) };
    for (const time of ['first', 'second']) {
      const { status, stderr } = spawnSync('npm', ['ci'], { cwd: folder, env, encoding: 'utf8' });
      expect(status, `${time} npm ci: ${stderr}`).to.equal(0);
    }
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const pinned = new Set(Object.values(manifest.optionalDependencies));
    expect(pinned.size).to.equal(1);
    const version = execFileSync(join(folder, 'node_modules/.bin/node'), ['--version'], { encoding: 'utf8' });
    expect(version.trim()).to.equal(`v${[...pinned][0] ?? ''}`);
  });
});
