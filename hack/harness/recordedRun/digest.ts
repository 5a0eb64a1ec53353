import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';

/**
 * The state of a path: the digest of a file's bytes or of a folder's names, or that there is neither. A program that looks
 * for a file and does not find it depends on that, too.
 */
export function digestOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return `file ${sha256(readFileSync(path))}`;
  if (stats?.isDirectory() === true) return `folder ${sha256(readdirSync(path).sort().join('\n'))}`;
  return stats ? 'special' : 'absent';
}

/** SHA-256 in hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
