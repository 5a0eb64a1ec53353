import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { contextFiles, copyContext } from './context.ts';

describe('what a build of the image reads', () => {
  let work = '';
  let root = '';
  const write = (path: string, text = path): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const keys: string[] = [];
  const key = (): string => copyContext(root, join(work, `copy-${keys.push('')}`));
  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'context-'));
    root = join(work, 'project');
    write('Dockerfile');
    write('.dockerignore', '**\n!a\n# Words.\n**/*.test.ts\n**/testing\n');
    write('.gitignore', 'a/ignored\n');
    for (const path of ['a/b/c.ts', 'a/b/c.test.ts', 'a/testing/t.ts', 'a/ignored', 'other']) write(path);
    execFileSync('git', ['init', '--quiet', root]);
  });
  afterEach(() => {
    rmSync(work, { recursive: true });
  });

  it('are the files that the last matching pattern of .dockerignore leaves, without those that git ignores', () => {
    expect(contextFiles(root)).to.deep.equal(['a/b/c.ts']);
    const folder = join(work, 'copy');
    copyContext(root, folder);
    expect(readdirSync(folder, { recursive: true }).sort()).to.deep.equal(
      ['.dockerignore', 'Dockerfile', 'a', 'a/b', 'a/b/c.ts'].sort(),
    );
  });

  it('has a hash that changes with the name, with the content, and with the Dockerfile, and with no other file', () => {
    const before = key();
    write('a/b/c.test.ts', 'changed');
    write('other', 'changed');
    expect(key()).to.equal(before);
    for (const path of ['a/b/c.ts', 'a/new.ts', 'Dockerfile', '.dockerignore']) {
      const last = key();
      write(path, '**\n!a\n# Changed.\n**/*.test.ts\n**/testing\n');
      expect(key(), path).not.to.equal(last);
    }
  });
});
