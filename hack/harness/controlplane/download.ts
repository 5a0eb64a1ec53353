/** The release archives of controller-tools, which setup-envtest also uses: kube-apiserver, etcd and kubectl in one file. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../processes.ts';
import type { Report } from '../progress.ts';
import type { BinaryName } from './versions.ts';

/** The newest version for which controller-tools had published the SHA-512 of the archive when this was written. */
export const ARCHIVE_VERSION = '1.36.2';

export const ARCHIVE_BINARIES: readonly BinaryName[] = ['kube-apiserver', 'etcd', 'kubectl'];

/** From `envtest-releases.yaml` of kubernetes-sigs/controller-tools. */
const SHA512: Readonly<Record<string, string>> = {
  'darwin-amd64':
    'b4fe9f973cd1992e3880f8b230ed32c0c243b83371591e3e3315f4404df2cdbef8ee94eeb9bb245b7e5feb987d5c4a76c43e0877654ab73f00d7bbc2b9984514',
  'darwin-arm64':
    '9278f9e5af556b2f1f2d139769c1f0d717c7b4426917fdebdba898bcb725a916e4910d6160886194ff9be9589ea7c5c32c2b8ae0754703874b7c8ba8ddfc41ce',
  'linux-amd64':
    'ea743186c8a799f5cf8faf16969f86189d003cb7d130e0ac4b58789f1e5748dcf30ebe91c837a10d5ac415383da3e10b9e64d65785c938c23e739781cfb76f08',
  'linux-arm64':
    '2d72ee985a8e262a3c57dc9f7f0fd891f6a8c7bf7ebaa2db6dc6d8eac8ae28181afe51c1f368b67756cdb40b10de9b205609e1726e5f27f7c6d824dd9c6649ac',
};

/** The address of an archive and its hash. */
export interface ArchiveSource {
  url: string;
  /** Lower-case hexadecimal. */
  sha512: string;
}

/** Firewalls often drop packets instead of rejecting them, so the answer must begin within this time. */
const ANSWER_TIMEOUT_MS = 5_000;
const STALL_TIMEOUT_MS = 30_000;

/** Prefix of the files that an interrupted download can leave beside its folder. */
export const WORK_PREFIX = '.download-';

/**
 * Downloads and unpacks the archive into `folder`. Each file is renamed into it.
 * @returns the cause of a failure, as a clause without a full stop; an empty string on success
 */
export async function download(
  folder: string,
  report: Report,
  source: ArchiveSource | undefined = publishedArchive(),
): Promise<string> {
  if (!source) return `no archive is published for ${process.platform}-${process.arch}`;
  mkdirSync(folder, { recursive: true });
  // Beside the folder, so that the renames stay within one file system.
  const work = temporaryFolder(WORK_PREFIX, dirname(folder));
  try {
    const archive = join(work, 'archive.tar.gz');
    report(
      `Downloading kube-apiserver, etcd and kubectl ${ARCHIVE_VERSION} (133 MB) from ${new URL(source.url).host} …`,
    );
    const digest = await fetchInto(archive, source.url);
    if (digest !== source.sha512) throw new Error('its SHA-512 differs from the published one');
    await promisify(execFile)('tar', ['-xzf', archive, '-C', work, '--strip-components=2']);
    for (const name of ARCHIVE_BINARIES) renameSync(join(work, name), join(folder, name));
    return '';
  } catch (error) {
    const why = `downloading the archive failed (${reason(error)})`;
    report(`${why.charAt(0).toUpperCase()}${why.slice(1)}.`, true);
    return why;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function publishedArchive(): ArchiveSource | undefined {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const sha512 = SHA512[platform];
  if (sha512 === undefined) return undefined;
  const release = `envtest-v${ARCHIVE_VERSION}`;
  const releases = 'https://github.com/kubernetes-sigs/controller-tools/releases/download';
  return { url: `${releases}/${release}/${release}-${platform}.tar.gz`, sha512 };
}

/** Writes the body to a file. @returns its SHA-512 */
async function fetchInto(file: string, url: string): Promise<string> {
  const abort = new AbortController();
  let timer = setTimeout(() => {
    abort.abort(new Error('no response in time'));
  }, ANSWER_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    const hash = createHash('sha512');
    const meter = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        clearTimeout(timer);
        timer = setTimeout(() => {
          abort.abort(new Error('it stalled'));
        }, STALL_TIMEOUT_MS);
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(response.body), meter, createWriteStream(file), { signal: abort.signal });
    return hash.digest('hex');
  } finally {
    clearTimeout(timer);
  }
}

/** The error of fetch is only "fetch failed"; its cause has the details. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError) return reason(cause.errors[0]);
  return cause instanceof Error ? reason(cause) : error.message;
}
