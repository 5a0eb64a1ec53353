import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { currentCommit, exportCommit, isShallow, lastReleased, taggedCommit } from './sources.ts';

const DATE = '2026-01-31T12:00:00Z';

describe('the sources of a release', () => {
  let work = '';
  let root = '';
  const git = (...args: string[]): string => {
    const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com', GIT_AUTHOR_DATE: DATE };
    const committer = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com', GIT_COMMITTER_DATE: DATE };
    const env = { ...process.env, ...identity, ...committer };
    return execFileSync('git', ['-C', root, ...args], { env, encoding: 'utf8' }).trim();
  };

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'sources-'));
    root = join(work, 'project');
    mkdirSync(root);
    git('init', '--quiet');
    writeFileSync(join(root, 'file'), 'committed');
    writeFileSync(join(root, 'script'), '#!/bin/sh\n');
    chmodSync(join(root, 'file'), 0o664);
    chmodSync(join(root, 'script'), 0o775);
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
  });
  afterEach(() => {
    rmSync(work, { recursive: true });
  });

  it('are the files of the commit, with modes that do not depend on the working tree', async () => {
    const commit = await currentCommit(root);
    expect(commit).to.deep.equal({ id: git('rev-parse', 'HEAD'), time: Date.parse(DATE) / 1000, clean: true });
    const folder = join(work, 'sources');
    writeFileSync(join(root, 'file'), 'changed later');
    await exportCommit(root, commit, folder);
    expect(readFileSync(join(folder, 'file'), 'utf8')).to.equal('committed');
    const mode = (file: string): number => statSync(join(folder, file)).mode & 0o777;
    expect([mode('file'), mode('script')]).to.deep.equal([0o644, 0o755]);
    expect(statSync(join(folder, 'file')).mtimeMs).to.equal(Date.parse(DATE));
  });

  it('include uncommitted changes of known files, which are reported, and no other file', async () => {
    writeFileSync(join(root, 'file'), 'changed');
    writeFileSync(join(root, 'unknown'), 'secret');
    const commit = await currentCommit(root);
    expect(commit.clean).to.equal(false);
    const folder = join(work, 'sources');
    await exportCommit(root, commit, folder);
    expect(readFileSync(join(folder, 'file'), 'utf8')).to.equal('changed');
    expect(statSync(join(folder, 'unknown'), { throwIfNoEntry: false })).to.equal(undefined);
  });

  it('are found by their tag, annotated or not', async () => {
    const commit = git('rev-parse', 'HEAD');
    expect(await taggedCommit(root, 'v1.0.0')).to.equal(undefined);
    git('tag', 'v1.0.0');
    git('tag', '--annotate', 'v1.0.1', '--message', 'v1.0.1');
    expect(await taggedCommit(root, 'v1.0.0')).to.equal(commit);
    expect(await taggedCommit(root, 'v1.0.1')).to.equal(commit);
  });

  it('are incomplete in a shallow clone', async () => {
    git('commit', '--quiet', '--allow-empty', '--message', 'second');
    const shallow = join(work, 'shallow');
    git('clone', '--quiet', '--depth=1', `file://${root}`, shallow);
    expect([await isShallow(root), await isShallow(shallow)]).to.deep.equal([false, true]);
  });

  it('can be compared with those of the release before', async () => {
    const current = async (): Promise<ReadonlyMap<string, string>> =>
      lastReleased(root, await currentCommit(root), 'crds');
    expect([...(await current())]).to.deep.equal([]);
    mkdirSync(join(root, 'crds'));
    for (const version of ['1.0.0', '1.0.1']) {
      writeFileSync(join(root, 'crds/a.yaml'), version);
      git('add', '.');
      git('commit', '--quiet', '--message', version);
      git('tag', `v${version}`);
    }
    // The tag of this release does not count.
    expect([...(await current())]).to.deep.equal([['crds/a.yaml', '1.0.0']]);
    git('commit', '--quiet', '--allow-empty', '--message', 'after');
    expect([...(await current())]).to.deep.equal([['crds/a.yaml', '1.0.1']]);
  });
});
