/** What a build of the image can read. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

/** The files of the project that `.dockerignore` leaves, and that git does not ignore. The last pattern that matches decides. */
export function contextFiles(root: string): string[] {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ included: line.startsWith('!'), glob: line.replace(/^!/, '') }));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  return listed
    .toString()
    .split('\0')
    .filter((file) => {
      // A pattern that matches a folder also matches its contents. For Node, but not for Docker, ** leaves out hidden files.
      const paths = file.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
      const last = patterns.findLast(({ glob }) => paths.some((path) => glob === '**' || matchesGlob(path, glob)));
      return (last?.included ?? true) && existsSync(join(root, file));
    })
    .sort();
}

/**
 * Copies what a build reads into a folder, so that the build does not see later changes of the working tree.
 *
 * @returns a hash of the paths and the contents
 */
export function copyContext(root: string, folder: string): string {
  const hash = createHash('sha256');
  for (const file of ['Dockerfile', '.dockerignore', ...contextFiles(root)]) {
    cpSync(join(root, file), join(folder, file), { preserveTimestamps: true });
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(folder, file)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}
