/**
 * The images that the cluster runs, made here: nothing is pulled. The image under test is built from the project's
 * Dockerfile; what stands in for its two base images is Debian, made with debootstrap, under their very names.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from './programs.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

export const PAUSE_IMAGE = 'localhost/pause:1';
/** As the manifests name it. */
export const IMAGE = 'localhost/gateway-guardrail-operator:e2e';

export interface Images {
  /** Archives for containerd. */
  readonly archives: readonly string[];
  /** Of the image under test, in bytes. */
  readonly size: number;
}

/** Builds all images. @throws Error with the end of podman's output */
export async function buildImages(programs: string, report: (line: string) => void): Promise<Images> {
  const folder = join(CACHE, 'images');
  mkdirSync(folder, { recursive: true });
  const { BUILD_IMAGE, BASE_IMAGE } = baseImages();
  await importDebian(folder, BASE_IMAGE, report);
  await buildWithNode(BUILD_IMAGE, BASE_IMAGE, report);

  const work = mkdtempSync(join(tmpdir(), 'images-'));
  try {
    report('Building the image from the Dockerfile …');
    // A proxy with an authority of its own may stand between this machine and the registry.
    const authority = process.env.NODE_EXTRA_CA_CERTS;
    const trust =
      authority === undefined
        ? []
        : ['--volume', `${realpathSync(authority)}:/etc/npm-ca.crt:ro`, '--volume', `${npmrc(work)}:/root/.npmrc:ro`];
    await podman([
      'build',
      '--isolation',
      'chroot',
      '--network',
      'host',
      '--pull=never',
      ...trust,
      '--tag',
      IMAGE,
      ROOT,
    ]);
    const { stdout: size } = await podman(['image', 'inspect', '--format', '{{.Size}}', IMAGE]);

    copyFileSync(join(programs, 'pause'), join(work, 'pause'));
    writeFileSync(
      join(work, 'Dockerfile'),
      'FROM scratch\nCOPY pause /pause\nUSER 65535:65535\nENTRYPOINT ["/pause"]\n',
    );
    await podman(['build', '--isolation', 'chroot', '--tag', PAUSE_IMAGE, work]);
    const archives = [];
    for (const image of [PAUSE_IMAGE, IMAGE]) {
      const archive = join(folder, `${createHash('sha256').update(image).digest('hex').slice(0, 12)}.tar`);
      rmSync(archive, { force: true });
      await podman(['save', '--output', archive, image]);
      archives.push(archive);
    }
    return { archives, size: Number(size) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The defaults of the Dockerfile's arguments. */
function baseImages(): Record<'BUILD_IMAGE' | 'BASE_IMAGE', string> {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const of = (name: string): string => {
    const value = new RegExp(`^ARG ${name}=(\\S+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`The Dockerfile has no default for ARG ${name}.`);
    return value;
  };
  return { BUILD_IMAGE: of('BUILD_IMAGE'), BASE_IMAGE: of('BASE_IMAGE') };
}

/** Debian as it is: a C library, a C++ runtime and certificates. */
async function importDebian(folder: string, image: string, report: (line: string) => void): Promise<void> {
  if (await exists(image)) return;
  report(`Making a stand-in for ${image} with debootstrap …`);
  const debian = mkdtempSync(join(folder, 'debian-'));
  const archive = `${debian}.tar`;
  try {
    await run('debootstrap', ['--variant=minbase', '--include=ca-certificates,libatomic1', 'bookworm', debian], {
      maxBuffer: 64 << 20,
    });
    await run('tar', ['--exclude=./var/cache', '--exclude=./var/lib/apt', '-cf', archive, '-C', debian, '.']);
    await podman(['import', archive, image]);
  } finally {
    rmSync(debian, { recursive: true, force: true });
    rmSync(archive, { force: true });
  }
}

/** The same with this Node and its npm. */
async function buildWithNode(image: string, base: string, report: (line: string) => void): Promise<void> {
  if (await exists(image)) return;
  report(`Making a stand-in for ${image} …`);
  const work = mkdtempSync(join(tmpdir(), 'node-'));
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
    await podman(['build', '--isolation', 'chroot', '--pull=never', '--tag', image, work]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function exists(image: string): Promise<boolean> {
  return podman(['image', 'exists', image]).then(
    () => true,
    () => false,
  );
}

/** The npm-cli.js that runs this script, or the one on PATH. */
function npm(): string {
  const path = process.env.npm_execpath;
  if (path === undefined) throw new Error('Run this by npm run e2e: the image is built with the same npm.');
  return path;
}

function npmrc(folder: string): string {
  const file = join(folder, 'npmrc');
  writeFileSync(file, 'cafile=/etc/npm-ca.crt\n');
  return file;
}

async function podman(args: readonly string[]): Promise<{ stdout: string }> {
  try {
    return await run('podman', args, { maxBuffer: 64 << 20 });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    const end = stderr.trimEnd().split('\n').slice(-15).join('\n');
    throw new Error(`podman ${args[0] ?? ''} has failed:\n${end}`, { cause: error });
  }
}
