/**
 * The images that the cluster runs. The image under test is built from the project's Dockerfile on its base images. If no
 * registry answers, Debian images from debootstrap replace the base images under their names. All images are kept in a
 * separate store; the machine's own images are neither used nor changed.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { withFileLock } from '../testing/lock.ts';
import { removeAtExit } from '../testing/processes.ts';
import { CACHE } from './programs.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(CACHE, 'images');

export const PAUSE_IMAGE = 'localhost/pause:1';
/** The name in the manifests, with the default registry of all runtimes. */
const IMAGE = `docker.io/library/gateway-guardrail-operator:${packageJson.version}`;

/** The timeout for a registry that drops packets. */
const PULL_TIMEOUT_MS = 300_000;
/** Unused layers are removed after this time. */
const KEPT_HOURS = 24 * 7;

export interface Images {
  /** The archives for containerd. */
  readonly archives: readonly string[];
  /** The size of the image under test, in bytes. */
  readonly size: number;
  /** Whether the base images are those of the Dockerfile, or stand-ins. */
  readonly base: 'as named' | 'stand-in';
}

type Report = (line: string) => void;

/**
 * Provides the base images.
 *
 * @returns whether they are the real ones
 */
export function ensureBaseImages(report: Report): Promise<Images['base']> {
  mkdirSync(FOLDER, { recursive: true });
  const waiting = (): void => {
    report('Another run is creating the base images; waiting for it …');
  };
  return withFileLock(FOLDER, waiting, async () => {
    const named = baseImages();
    const redis = redisImage();
    const images = [...Object.values(named), redis];
    if (!(await exists(STAND_IN)) && (await allOf(images, (image) => pull(image, report)))) return 'as named';
    const { BUILD_IMAGE, BASE_IMAGE } = standIns(named);
    if (!(await exists(BASE_IMAGE))) await importDebian(BASE_IMAGE, report);
    if (!(await exists(BUILD_IMAGE))) await buildWithNode(BUILD_IMAGE, BASE_IMAGE, report);
    if (!(await exists(redis))) await buildWithRedis(redis, BASE_IMAGE, report);
    return 'stand-in';
  });
}

/**
 * Builds the image under test and the pause image.
 *
 * @throws Error with the end of podman's output
 */
export async function buildImages(programs: string, base: Images['base'], report: Report): Promise<Images> {
  const work = temporaryFolder(tmpdir());
  try {
    report('Building the image from the Dockerfile …');
    // A proxy with its own certificate authority may be between this machine and the registry.
    const authority = process.env.NODE_EXTRA_CA_CERTS;
    const trust =
      authority === undefined
        ? []
        : ['--volume', `${realpathSync(authority)}:/etc/npm-ca.crt:ro`, '--volume', `${npmrc(work)}:/root/.npmrc:ro`];
    const named = base === 'as named' ? [] : argumentsFor(standIns(baseImages()));
    await build(['--network', 'host', '--layers', ...trust, ...named, '--tag', IMAGE, ROOT]);
    const { stdout: size } = await podman(['image', 'inspect', '--format', '{{.Size}}', IMAGE]);

    copyFileSync(join(programs, 'pause'), join(work, 'pause'));
    writeFileSync(
      join(work, 'Dockerfile'),
      'FROM scratch\nCOPY pause /pause\nUSER 65535:65535\nENTRYPOINT ["/pause"]\n',
    );
    await build(['--tag', PAUSE_IMAGE, work]);
    const archives = [];
    for (const [name, image] of [
      ['pause', PAUSE_IMAGE],
      ['operator', IMAGE],
      ['redis', redisImage()],
    ] as const) {
      const archive = join(FOLDER, `${name}.tar`);
      rmSync(archive, { force: true });
      await podman(['save', '--output', archive, image]);
      archives.push(archive);
    }
    await podman(['image', 'prune', '--force', '--filter', `until=${KEPT_HOURS}h`]);
    return { archives, size: Number(size), base };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The image that marks the base images as stand-ins. */
const STAND_IN = 'localhost/stand-in:1';

type BaseImages = Readonly<Record<'BUILD_IMAGE' | 'BASE_IMAGE', string>>;

/** @returns the defaults of the Dockerfile's arguments, each with its digest. */
function baseImages(): BaseImages {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const of = (name: string): string => {
    const value = new RegExp(`^ARG ${name}=(\\S+@sha256:[0-9a-f]{64})$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`In the Dockerfile, ARG ${name} has no default with a digest.`);
    return value;
  };
  return { BUILD_IMAGE: of('BUILD_IMAGE'), BASE_IMAGE: of('BASE_IMAGE') };
}

function argumentsFor(images: BaseImages): string[] {
  return Object.entries(images).flatMap(([name, image]) => ['--build-arg', `${name}=${image}`]);
}

/** @returns the names of the stand-ins. A local image has no registry digest. */
function standIns({ BUILD_IMAGE, BASE_IMAGE }: BaseImages): BaseImages {
  const tagOf = (image: string): string => image.slice(0, image.indexOf('@'));
  return { BUILD_IMAGE: tagOf(BUILD_IMAGE), BASE_IMAGE: tagOf(BASE_IMAGE) };
}

/** @returns the image of the component `redis`. */
function redisImage(): string {
  const file = join(ROOT, 'operator/manifests/components/redis/statefulset.yaml');
  const image = /^\s+image: (\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (image === undefined) throw new Error(`${file} does not contain an image.`);
  return image;
}

async function pull(image: string, report: Report): Promise<boolean> {
  if (await exists(image)) return true;
  report(`Pulling ${image} …`);
  try {
    await podman(['pull', '--quiet', image], { timeout: PULL_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}

/** Creates a minimal Debian image: a C library, a C++ runtime and certificates. */
async function importDebian(image: string, report: Report): Promise<void> {
  report(`No registry is reachable. Creating a stand-in for ${image} with debootstrap …`);
  const debian = temporaryFolder(FOLDER);
  const archive = `${debian}.tar`;
  try {
    const packages = '--include=ca-certificates,libatomic1';
    await run('debootstrap', ['--variant=minbase', packages, 'bookworm', debian]);
    await run('tar', ['--exclude=./var/cache', '--exclude=./var/lib/apt', '-cf', archive, '-C', debian, '.']);
    await podman(['import', '--quiet', archive, STAND_IN]);
    await podman(['tag', STAND_IN, image]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new Error(
        `No registry is reachable for ${image}, and debootstrap, which creates a stand-in, is missing. Install it (apt-get install debootstrap).`,
        { cause: error },
      );
    }
    throw error;
  } finally {
    rmSync(debian, { recursive: true, force: true });
    rmSync(archive, { force: true });
  }
}

/** Adds this Node and its npm to the Debian image. */
async function buildWithNode(image: string, base: string, report: Report): Promise<void> {
  report(`Creating a stand-in for ${image} …`);
  const work = temporaryFolder(tmpdir());
  try {
    copyFileSync(process.execPath, join(work, 'node'));
    await run('cp', ['-r', dirname(dirname(npm())), join(work, 'npm')]);
    await run('chmod', ['755', join(work, 'npm/bin/npm-cli.js')]);
    writeFileSync(
      join(work, 'Dockerfile'),
      [
        `FROM ${base}`,
        'COPY node /usr/local/bin/node',
        'COPY npm /usr/local/lib/node_modules/npm',
        'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
      ].join('\n'),
    );
    await build(['--tag', image, work]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Adds Debian's Redis to the Debian image. */
async function buildWithRedis(image: string, base: string, report: Report): Promise<void> {
  report(`Creating a stand-in for ${image} …`);
  const work = temporaryFolder(tmpdir());
  try {
    const steps = [
      'mkdir -p /var/lib/apt/lists/partial /var/cache/apt/archives/partial',
      'apt-get update -qq',
      'apt-get install -y -qq --no-install-recommends redis-server',
      'rm -rf /var/lib/apt/lists /var/cache/apt',
    ];
    writeFileSync(join(work, 'Dockerfile'), `FROM ${base}\nRUN ${steps.join(' && ')}\n`);
    await build(['--network', 'host', '--tag', image, work]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function build(args: readonly string[]): Promise<unknown> {
  // Builds without a separate container for each step, which needs rights that some machines do not grant.
  return podman(['build', '--isolation', 'chroot', '--pull=never', ...args]);
}

function exists(image: string): Promise<boolean> {
  return podman(['image', 'exists', image]).then(
    () => true,
    () => false,
  );
}

/** @returns whether the check passes for every item, in sequence. */
async function allOf<T>(items: readonly T[], ask: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (!(await ask(item))) return false;
  return true;
}

/** @returns the path of the npm-cli.js that runs this script. */
function npm(): string {
  const path = process.env.npm_execpath;
  if (path === undefined)
    throw new Error('The image is built with the npm that runs this script. Start it with npm run e2e.');
  return path;
}

function npmrc(folder: string): string {
  const file = join(folder, 'npmrc');
  writeFileSync(file, 'cafile=/etc/npm-ca.crt\n');
  return file;
}

const STORE = join(CACHE, 'containers');
/**
 * podman's state of the store until the next reboot. Its path may have at most 50 characters, so it is not beside the store.
 */
const STORE_STATE = `/run/guardrail-images-${createHash('sha256').update(STORE).digest('hex').slice(0, 8)}`;

async function podman(
  args: readonly string[],
  options: { readonly timeout?: number } = {},
): Promise<{ stdout: string }> {
  const store = ['--root', STORE, '--runroot', STORE_STATE];
  try {
    return await run('podman', [...store, ...args], options);
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    const end = stderr.trimEnd().split('\n').slice(-15).join('\n');
    throw new Error(`podman ${args[0] ?? ''} failed:\n${end}`, { cause: error });
  }
}

function temporaryFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'image-'));
  removeAtExit(folder);
  return folder;
}

/** Runs a program that ends at the latest with this process. */
async function run(command: string, args: readonly string[], options: object = {}): Promise<{ stdout: string }> {
  const running = promisify(execFile)(command, args, { maxBuffer: 64 << 20, ...options });
  const stop = (): void => {
    running.child.kill();
  };
  process.once('exit', stop);
  try {
    return await running;
  } finally {
    process.off('exit', stop);
  }
}
