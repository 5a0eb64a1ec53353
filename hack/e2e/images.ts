/**
 * The images that the cluster runs. The image under test is built from the project's Dockerfile on its base images. If no
 * registry answers, Debian images from debootstrap replace the base images under their names. All images are kept in a
 * separate store; the machine's own images are neither used nor changed.
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import {
  baseImageArguments,
  baseImages,
  createStandIns,
  haveStandIns,
  pullImage,
  standIns,
  withBaseImages,
} from '../containers/baseImages.ts';
import { buildImage, imageExists, npmTrust, podman, temporaryFolder } from '../containers/podman.ts';
import { CACHE } from '../harness/cache.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(CACHE, 'images');

export const PAUSE_IMAGE = 'localhost/pause:1';
/** The name in the manifests, with the default registry of all runtimes. */
const IMAGE = `docker.io/library/gateway-guardrail-operator:${packageJson.version}`;

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
  return withBaseImages(report, async () => {
    const redis = redisImage();
    const images = [...Object.values(baseImages()), redis];
    if (!(await haveStandIns()) && (await allOf(images, (image) => pullImage(image, report)))) return 'as named';
    const { BASE_IMAGE } = await createStandIns(report);
    if (!(await imageExists(redis))) await buildWithRedis(redis, BASE_IMAGE, report);
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
    const named = base === 'as named' ? [] : baseImageArguments(standIns());
    await buildImage(['--network', 'host', '--layers', ...npmTrust(work), ...named, '--tag', IMAGE, ROOT]);
    const { stdout: size } = await podman(['image', 'inspect', '--format', '{{.Size}}', IMAGE]);

    copyFileSync(join(programs, 'pause'), join(work, 'pause'));
    writeFileSync(
      join(work, 'Dockerfile'),
      'FROM scratch\nCOPY pause /pause\nUSER 65535:65535\nENTRYPOINT ["/pause"]\n',
    );
    await buildImage(['--tag', PAUSE_IMAGE, work]);
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

/** @returns the image of the component `redis`. */
function redisImage(): string {
  const file = join(ROOT, 'operator/manifests/components/redis/statefulset.yaml');
  const image = /^\s+image: (\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (image === undefined) throw new Error(`${file} does not contain an image.`);
  return image;
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
    await buildImage(['--network', 'host', '--tag', image, work]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @returns whether the check passes for every item, in sequence. */
async function allOf<T>(items: readonly T[], ask: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (!(await ask(item))) return false;
  return true;
}
