/** Builds the image for all platforms from a copy of the sources, so that the same sources result in the same digest. */
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  baseImageArguments,
  machineArchitecture,
  type Architecture,
  type BaseImages,
} from '../containers/baseImages.ts';
import { buildImage, npmTrust, podman, run, withTemporaryFolder } from '../containers/podman.ts';

/** All architectures of a release. */
export const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64'];

/** What an image is built from. */
export interface ImageSources {
  /** A folder with the files of a commit. */
  readonly folder: string;
  readonly version: string;
  readonly commit: string;
  /** The time of the commit, in seconds since 1970: all times in the image. */
  readonly time: number;
  readonly base: BaseImages;
  /** Whether the base images are only in podman's store. */
  readonly local: boolean;
}

/** An image in podman's store. */
export interface BuiltImage {
  readonly architecture: Architecture;
  readonly name: string;
  readonly digest: string;
}

/** Builds the image for one architecture, from scratch: cached layers have other times. */
export async function buildFor(
  architecture: Architecture,
  sources: ImageSources,
  tag = `${sources.version}-${architecture}`,
): Promise<BuiltImage> {
  const name = `localhost/release:${tag}`;
  const { commit, time, base, local, folder } = sources;
  const created = new Date(time * 1000).toISOString().replace('.000Z', 'Z');
  const platforms = { BUILDPLATFORM: `linux/${machineArchitecture()}`, TARGETPLATFORM: `linux/${architecture}` };
  await withTemporaryFolder(tmpdir(), (work) =>
    buildImage([
      // Local names are in no registry. Otherwise, podman replaces an image that it has for another platform.
      ...(local ? [] : ['--pull=missing']),
      '--no-cache',
      '--layers',
      `--platform=linux/${architecture}`,
      `--timestamp=${time}`,
      '--network=host',
      ...npmTrust(work),
      ...argumentsOf({ ...platforms, REVISION: commit, CREATED: created }),
      ...baseImageArguments(base),
      // The compile cache is written by a program of the image, which runs on its own architecture only.
      ...(architecture === machineArchitecture() ? [] : ['--target=image']),
      `--tag=${name}`,
      folder,
    ]),
  );
  const { stdout } = await podman(['image', 'inspect', '--format', '{{.Digest}}', name]);
  return { architecture, name, digest: stdout.trim() };
}

function argumentsOf(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
}

/**
 * Builds an image once more, and compares.
 * @throws Error with the files that differ
 */
export async function verifyReproducible(image: BuiltImage, sources: ImageSources): Promise<void> {
  const again = await buildFor(image.architecture, sources, `${sources.version}-${image.architecture}-again`);
  if (again.digest === image.digest) {
    await removeImage(again.name);
    return;
  }
  const mount = async ({ name }: BuiltImage): Promise<string> => (await podman(['image', 'mount', name])).stdout.trim();
  const [first, second] = [await mount(image), await mount(again)];
  const differences = await run('diff', ['--brief', '--recursive', '--no-dereference', first, second]).then(
    () => 'No file has another content: the times, modes or owners of files differ.',
    (error: unknown) => {
      const lines = (error as { readonly stdout?: string }).stdout?.split('\n').slice(0, 20) ?? [];
      return lines.join('\n').replaceAll(first, '').replaceAll(second, '');
    },
  );
  for (const { name } of [image, again]) await podman(['image', 'unmount', name]);
  await removeImage(again.name);
  throw new Error(
    `Two builds for ${image.architecture} have the digests ${image.digest} and ${again.digest}.\n${differences}`,
  );
}

/** Removes a name from podman's store, and what only it has. */
export async function removeImage(name: string): Promise<void> {
  await podman(['rmi', '--force', name]);
}

/**
 * Writes an archive in the OCI layout with an index of all images.
 * @returns the digest of the index
 */
export async function writeArchive(
  images: readonly BuiltImage[],
  { version, time }: Pick<ImageSources, 'version' | 'time'>,
  archive: string,
): Promise<string> {
  const list = `localhost/release:${version}`;
  const removeList = (): Promise<unknown> => podman(['manifest', 'rm', list]).catch(() => undefined);
  try {
    return await withTemporaryFolder(tmpdir(), async (work) => {
      const [layout, digestFile] = [join(work, 'layout'), join(work, 'digest')];
      await removeList();
      await podman(['manifest', 'create', list]);
      for (const { name } of images) await podman(['manifest', 'add', list, `containers-storage:${name}`]);
      const push = ['manifest', 'push', '--quiet', '--all', '--format=oci', `--digestfile=${digestFile}`];
      await podman([...push, list, `oci:${layout}:${version}`]);
      await writeTar(layout, archive, time);
      return readFileSync(digestFile, 'utf8').trim();
    });
  } finally {
    await removeList();
  }
}

/** Writes the SBOM and the licence texts of an image. */
export async function writeLicences(
  { name, architecture }: BuiltImage,
  { version, time }: Pick<ImageSources, 'version' | 'time'>,
  folder: string,
): Promise<void> {
  const container = (await podman(['create', name])).stdout.trim();
  try {
    await withTemporaryFolder(tmpdir(), async (work) => {
      const licences = join(work, 'licenses');
      mkdirSync(licences);
      await podman(['cp', `${container}:/licenses/.`, licences]);
      const sbom = join(licences, 'sbom.cdx.json');
      copyFileSync(sbom, join(folder, `sbom-${version}-${architecture}.cdx.json`));
      rmSync(sbom);
      const archive = join(folder, `licenses-${version}-${architecture}.tar.gz`);
      await writeTar(work, archive, time, ['--use-compress-program=gzip -n']);
    });
  } finally {
    await podman(['rm', container]);
  }
}

/** Writes an archive whose bytes depend on the files and the time only. */
async function writeTar(folder: string, archive: string, time: number, more: readonly string[] = []): Promise<void> {
  const fixed = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go=rX'];
  await run('tar', [...fixed, ...more, '-cf', archive, '-C', folder, '.']);
}
