import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../..');

/** The files that a build of the image can see: what `.dockerignore` leaves. The last pattern that matches decides. */
function contextFiles(): string[] {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ included: line.startsWith('!'), glob: line.replace(/^!/, '') }));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  return listed
    .toString()
    .split('\0')
    .filter((file) => {
      // A pattern that matches a folder also matches its contents.
      const paths = file.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
      const last = patterns.findLast(({ glob }) => paths.some((path) => matchesGlob(path, glob)));
      return last?.included ?? true;
    });
}

describe('the image', () => {
  const files = contextFiles();

  it('has the programs, the words of each language and the CRDs', () => {
    expect(files).to.include.members(['operator/main.ts', 'guardrail/main.ts', 'package-lock.json']);
    expect(files).to.include('guardrail/detection/languages/de/de.ts');
    expect(files.filter((file) => file.startsWith('crds/'))).to.have.length.above(1);
  });

  it('has no tests, no test support, no training data and nothing of hack/', () => {
    const unwanted = /\.test\.ts$|(^|\/)(testing|training)\/|^hack\/|^docs\//;
    expect(files.filter((file) => unwanted.test(file))).to.deep.equal([]);
  });
});
