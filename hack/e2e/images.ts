/**
 * The images that the cluster runs. The image under test is built from the project's Dockerfile on its base images. If no
 * registry answers, Debian images from debootstrap replace the base images under their names. All images are kept in a
 * separate store; the machine's own images are neither used nor changed.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
import { copyContext } from '../containers/context.ts';
import { buildImage, imageExists, npmTrust, podman, withTemporaryFolder } from '../containers/podman.ts';
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
 * Provides the archives of all images. Each is made once for its key. The key of the image under test is made of the files
 * that its build reads, and of its base images.
 *
 * @throws Error with the end of podman's output
 */
export function ensureImages(programs: string, base: Images['base'], report: Report): Promise<Images> {
  return withTemporaryFolder(tmpdir(), async (work) => {
    const from = base === 'as named' ? baseImages() : standIns();
    const redis = redisImage();
    const inspected = await podman(['image', 'inspect', '--format', '{{.Id}}', redis, ...Object.values(from)]);
    const [redisId = '', ...baseIds] = inspected.stdout.trim().split('\n');
    const sources = join(work, 'sources');
    const key = hashOf(copyContext(ROOT, sources), ...baseIds);
    const operator = await archiveOf({ name: 'operator', key, image: IMAGE }, async () => {
      report('Building the image from the Dockerfile …');
      const named = base === 'as named' ? [] : baseImageArguments(from);
      await buildImage(['--network', 'host', '--layers', ...npmTrust(work), ...named, '--tag', IMAGE, sources]);
      await podman(['image', 'prune', '--force', '--filter', `until=${KEPT_HOURS}h`]);
    });
    const program = join(programs, 'pause');
    const pause = await archiveOf({ name: 'pause', key: hashOf(readFileSync(program)), image: PAUSE_IMAGE }, () => {
      const folder = join(work, 'pause');
      mkdirSync(folder);
      copyFileSync(program, join(folder, 'pause'));
      writeFileSync(
        join(folder, 'Dockerfile'),
        'FROM scratch\nCOPY pause /pause\nUSER 65535:65535\nENTRYPOINT ["/pause"]\n',
      );
      return buildImage(['--tag', PAUSE_IMAGE, folder]);
    });
    const store = await archiveOf({ name: 'redis', key: hashOf(redisId), image: redis }, () => Promise.resolve());
    // The archive is not compressed.
    return { archives: [pause, operator, store], size: statSync(operator).size, base };
  });
}

interface Archive {
  readonly name: string;
  readonly key: string;
  readonly image: string;
}

/** @returns the archive of an image. If there is none with this key, creates the image, and replaces the former archive. */
async function archiveOf({ name, key, image }: Archive, create: () => Promise<unknown>): Promise<string> {
  const file = `${name}-${key}.tar`;
  const archive = join(FOLDER, file);
  if (existsSync(archive)) return archive;
  await create();
  for (const old of readdirSync(FOLDER)) {
    if (old.startsWith(name) && old.includes('.tar')) rmSync(join(FOLDER, old));
  }
  const unfinished = `${archive}.new`;
  await podman(['save', '--quiet', '--output', unfinished, image]);
  renameSync(unfinished, archive);
  return archive;
}

function hashOf(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** @returns the image of the component `redis`. */
function redisImage(): string {
  const file = join(ROOT, 'operator/manifests/components/redis/statefulset.yaml');
  const image = /^\s+image: (\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (image === undefined) throw new Error(`${file} does not contain an image.`);
  return image;
}

/** Adds Debian's Redis to the Debian image. */
function buildWithRedis(image: string, base: string, report: Report): Promise<void> {
  report(`Creating a stand-in for ${image} …`);
  const steps = [
    'mkdir -p /var/lib/apt/lists/partial /var/cache/apt/archives/partial',
    'apt-get update -qq',
    'apt-get install -y -qq --no-install-recommends redis-server',
    'rm -rf /var/lib/apt/lists /var/cache/apt',
  ];
  return withTemporaryFolder(tmpdir(), async (work) => {
    writeFileSync(join(work, 'Dockerfile'), `FROM ${base}\nRUN ${steps.join(' && ')}\n`);
    await buildImage(['--network', 'host', '--tag', image, work]);
  });
}

/** @returns whether the check passes for every item, in sequence. */
async function allOf<T>(items: readonly T[], ask: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (!(await ask(item))) return false;
  return true;
}
