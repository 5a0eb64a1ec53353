/**
 * The images that the project's Dockerfile starts from. On machines that reach no registry, Debian images from debootstrap
 * can replace them.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CACHE } from '../harness/cache.ts';
import { withFileLock } from '../harness/lock.ts';
import { buildImage, imageExists, podman, run, withTemporaryFolder } from './podman.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(CACHE, 'images');

/** The timeout for a registry that drops packets. */
const PULL_TIMEOUT_MS = 300_000;

/** The arguments of the Dockerfile that name images. */
export type BaseImages = Readonly<Record<'BUILD_IMAGE' | 'BASE_IMAGE', string>>;

/** An architecture of images, as OCI names it. */
export type Architecture = 'amd64' | 'arm64';

type Report = (line: string) => void;

/** @returns the defaults of the Dockerfile's arguments, each with its digest. */
export function baseImages(): BaseImages {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const of = (name: string): string => {
    const value = new RegExp(`^ARG ${name}=(\\S+@sha256:[0-9a-f]{64})$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`In the Dockerfile, ARG ${name} has no default with a digest.`);
    return value;
  };
  return { BUILD_IMAGE: of('BUILD_IMAGE'), BASE_IMAGE: of('BASE_IMAGE') };
}

/** @returns the arguments of a build that starts from other images. */
export function baseImageArguments(images: BaseImages): string[] {
  return Object.entries(images).flatMap(([name, image]) => ['--build-arg', `${name}=${image}`]);
}

/** Pulls an image that the store lacks. Resolves with whether the store has it. */
export async function pullImage(image: string, report: Report): Promise<boolean> {
  if (await imageExists(image)) return true;
  report(`Pulling ${image} …`);
  try {
    await podman(['pull', '--quiet', image], { timeout: PULL_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}

/** The image that marks the base images as stand-ins. */
const STAND_IN = 'localhost/stand-in:1';

/** Whether the store has stand-ins of the base images. */
export function haveStandIns(): Promise<boolean> {
  return imageExists(STAND_IN);
}

/** @returns the names of the stand-ins. A local image has no registry digest. */
export function standIns(): BaseImages {
  const { BUILD_IMAGE, BASE_IMAGE } = baseImages();
  const tagOf = (image: string): string => image.slice(0, image.indexOf('@'));
  return { BUILD_IMAGE: tagOf(BUILD_IMAGE), BASE_IMAGE: tagOf(BASE_IMAGE) };
}

/** Lets one process at a time create base images on this machine. */
export function withBaseImages<T>(report: Report, work: () => Promise<T>): Promise<T> {
  mkdirSync(FOLDER, { recursive: true });
  const waiting = (): void => {
    report('Another run is creating the base images; waiting for it …');
  };
  return withFileLock(FOLDER, waiting, work);
}

/** Creates the stand-ins that are missing, for this machine's architecture. */
export async function createStandIns(report: Report): Promise<BaseImages> {
  const { BUILD_IMAGE, BASE_IMAGE } = standIns();
  if (!(await imageExists(BASE_IMAGE))) {
    await importDebian(BASE_IMAGE, { report });
    await podman(['tag', BASE_IMAGE, STAND_IN]);
  }
  if (!(await imageExists(BUILD_IMAGE))) await buildWithNode(BUILD_IMAGE, BASE_IMAGE, report);
  return { BUILD_IMAGE, BASE_IMAGE };
}

/** Creates stand-ins for both architectures. Their names are lists, of which a build takes the image of its platform. */
export function createStandInLists(report: Report): Promise<BaseImages> {
  return withBaseImages(report, () => listStandIns(report));
}

async function listStandIns(report: Report): Promise<BaseImages> {
  const here = await createStandIns(report);
  const foreign = machineArchitecture() === 'arm64' ? 'amd64' : 'arm64';
  const debian = `localhost/stand-in-${foreign}:1`;
  if (!(await imageExists(debian))) await importDebian(debian, { foreign, report });
  const list = async (name: string, image: string): Promise<string> => {
    const list = `localhost/stand-in-${name}:1`;
    if (await imageExists(list)) await podman(['manifest', 'rm', list]);
    await podman(['manifest', 'create', list]);
    for (const each of [image, debian]) await podman(['manifest', 'add', list, `containers-storage:${each}`]);
    return list;
  };
  return { BUILD_IMAGE: await list('build', here.BUILD_IMAGE), BASE_IMAGE: await list('base', here.BASE_IMAGE) };
}

/** The architecture of this machine. */
export function machineArchitecture(): Architecture {
  return process.arch === 'arm64' ? 'arm64' : 'amd64';
}

/**
 * Creates a minimal Debian image: a C library, a C++ runtime and certificates. The programs of a foreign architecture cannot
 * run here, so its packages are unpacked and not configured.
 */
async function importDebian(
  image: string,
  { foreign, report }: { readonly foreign?: Architecture; readonly report: Report },
): Promise<void> {
  report(`No registry is reachable. Creating a stand-in for ${image} with debootstrap …`);
  const options = foreign === undefined ? [] : ['--foreign', `--arch=${foreign}`];
  const packages = '--include=ca-certificates,libatomic1';
  const work = withTemporaryFolder(FOLDER, async (folder) => {
    const [debian, archive] = [join(folder, 'debian'), join(folder, 'debian.tar')];
    await run('debootstrap', [...options, '--variant=minbase', packages, 'bookworm', debian]);
    if (foreign !== undefined) await unpackPackages(debian);
    await run('tar', ['--exclude=./var/cache', '--exclude=./var/lib/apt', '-cf', archive, '-C', debian, '.']);
    const platform = foreign === undefined ? [] : ['--arch', foreign];
    await podman(['import', '--quiet', ...platform, archive, image]);
  });
  await work.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(
      `No registry is reachable for ${image}, and debootstrap, which creates a stand-in, is missing. Install it (apt-get install debootstrap).`,
      { cause: error },
    );
  });
}

/** Unpacks the packages that the first stage of debootstrap has only downloaded. */
async function unpackPackages(debian: string): Promise<void> {
  const archives = join(debian, 'var/cache/apt/archives');
  // Debian's packages contain the folder /lib, which is a link.
  const unpack =
    'set -e; for deb in "$1"/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar --keep-directory-symlink -x -C "$2"; done';
  await run('sh', ['-c', unpack, 'sh', archives, debian]);
  // debootstrap links /proc to that of this machine until its second stage.
  for (const path of ['debootstrap', 'proc']) rmSync(join(debian, path), { recursive: true, force: true });
}

/** Adds this Node and its npm to the Debian image. */
async function buildWithNode(image: string, base: string, report: Report): Promise<void> {
  report(`Creating a stand-in for ${image} …`);
  await withTemporaryFolder(tmpdir(), async (work) => {
    copyFileSync(process.execPath, join(work, 'node'));
    await run('cp', ['-r', dirname(dirname(npm())), join(work, 'npm')]);
    await run('chmod', ['755', join(work, 'npm/bin/npm-cli.js')]);
    const lines = [
      `FROM ${base}`,
      'COPY node /usr/local/bin/node',
      'COPY npm /usr/local/lib/node_modules/npm',
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    ];
    writeFileSync(join(work, 'Dockerfile'), lines.join('\n'));
    await buildImage(['--tag', image, work]);
  });
}

/** @returns the path of the npm-cli.js that runs this script. */
function npm(): string {
  const path = process.env.npm_execpath;
  if (path === undefined)
    throw new Error('The image is built with the npm that runs this script. Start it with npm run.');
  return path;
}
