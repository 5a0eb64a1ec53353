/** The sources of a release: the files of a commit, not those of the working tree. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../containers/podman.ts';
import type { Files } from './versions.ts';

/** What is released. */
export interface Commit {
  readonly id: string;
  /** In seconds since 1970. */
  readonly time: number;
}

/** The commit that is checked out. Uncommitted changes are included if there are any. */
export async function currentCommit(root: string): Promise<Commit & { readonly clean: boolean }> {
  const changed = await git(root, 'status', '--porcelain');
  // A commit of the changed files that no branch contains.
  const stash = changed === '' ? '' : await git(root, 'stash', 'create');
  const id = stash === '' ? await git(root, 'rev-parse', 'HEAD') : stash;
  return { id, time: Number(await git(root, 'show', '--no-patch', '--format=%ct', 'HEAD')), clean: changed === '' };
}

/** The commit that a tag names; undefined: there is no such tag. */
export async function taggedCommit(root: string, tag: string): Promise<string | undefined> {
  const found = await git(root, 'for-each-ref', '--format=%(objectname) %(*objectname)', `refs/tags/${tag}`);
  return found === '' ? undefined : found.trim().split(' ').at(-1);
}

/** Whether the history, and with it the tags of earlier releases, may be incomplete. */
export async function isShallow(root: string): Promise<boolean> {
  return (await git(root, 'rev-parse', '--is-shallow-repository')) === 'true';
}

/** The files of a folder in the last release before a commit. None if there was no release. */
export async function lastReleased(root: string, { id }: Pick<Commit, 'id'>, folder: string): Promise<Files> {
  const describe = git(root, 'describe', '--tags', '--abbrev=0', '--match=v[0-9]*', `${id}^`);
  // git fails if there is no such tag, or no commit before.
  const tag = await describe.catch(() => undefined);
  if (tag === undefined) return new Map();
  const paths = await git(root, 'ls-tree', '-r', '--name-only', tag, '--', folder);
  const texts = paths
    .split('\n')
    .map(async (path): Promise<[string, string]> => [path, await git(root, 'show', `${tag}:${path}`)]);
  return new Map(await Promise.all(texts));
}

/** Writes the files of a commit into a new folder. Their modes do not depend on this machine. */
export async function exportCommit(root: string, { id }: Commit, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, '..', 'sources.tar');
  await run('git', ['-C', root, '-c', 'tar.umask=0022', 'archive', '--format=tar', `--output=${archive}`, id]);
  await run('tar', ['-x', '--preserve-permissions', '--no-same-owner', '-f', archive, '-C', folder]);
}

async function git(root: string, ...args: readonly string[]): Promise<string> {
  return (await run('git', ['-C', root, ...args])).stdout.trim();
}
