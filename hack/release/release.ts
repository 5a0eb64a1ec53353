/** The steps of a release. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { baseImages, createStandInLists, type BaseImages } from '../containers/baseImages.ts';
import { podman, run, withTemporaryFolder } from '../containers/podman.ts';
import type { Progress } from '../harness/progress.ts';
import { changesOf, unreleasedChanges, withRelease } from './changelog.ts';
import { revisionProblems } from './crdRevisions.ts';
import {
  ARCHITECTURES,
  buildFor,
  removeImage,
  verifyReproducible,
  writeArchive,
  writeLicences,
  type BuiltImage,
  type ImageSources,
} from './images.ts';
import { IMAGE, writeChart, writeManifests } from './manifests.ts';
import { currentCommit, exportCommit, isShallow, lastReleased, taggedCommit, type Commit } from './sources.ts';
import { isVersion, mayNameVersion, versionProblems, withVersion, type Files } from './versions.ts';

const ROOT = join(import.meta.dirname, '../..');

/** How a release is made. */
export interface ReleaseOptions {
  /** The repository of the image in manifests. */
  readonly repository: string;
  readonly baseImage?: string | undefined;
  readonly buildImage?: string | undefined;
  readonly standIns: boolean;
  /** Whether each image is built twice. */
  readonly verify: boolean;
  /** Whether uncommitted and unreleased changes are allowed. */
  readonly snapshot: boolean;
}

/**
 * Writes a release into `dist/VERSION`.
 * @returns what to do next
 * @throws Error with one sentence for each reason why there can be no release
 */
export async function release(options: ReleaseOptions, progress: Progress): Promise<string> {
  // The modes of new files become part of archives.
  process.umask(0o022);
  const { version } = packageJson;
  const commit = await currentCommit(ROOT);
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const problems = [
    ...machineProblems(),
    ...(options.standIns && !options.snapshot ? ['Stand-ins are for trials. Use --stand-ins with --snapshot.'] : []),
    ...(options.snapshot ? [] : await releaseProblems(version, commit)),
    ...projectProblems(version),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  await podman(['--version']);
  const notes = options.snapshot ? unreleasedChanges(changelog) : changesOf(changelog, version);

  const dist = join(ROOT, 'dist', options.snapshot ? `${version}-snapshot` : version);
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  return withTemporaryFolder(tmpdir(), async (work) => {
    const folder = join(work, 'sources');
    await exportCommit(ROOT, commit, folder);
    await progress.step('Manifests', async () => {
      const sources = { folder, work, repository: options.repository, time: commit.time };
      await writeManifests(sources, dist);
      await writeChart(sources, dist);
    });
    const base = await progress.step('Base images', (report) => chooseBaseImages(options, report));
    const { id, time } = commit;
    const sources: ImageSources = { folder, version, commit: id, time, base, local: options.standIns };
    const digest = await writeImages(sources, { dist, verify: options.verify, progress });
    writeFileSync(join(dist, 'RELEASE_NOTES.md'), releaseNotes(notes, { version, commit, digest, base }));
    writeFileSync(join(dist, 'SHA256SUMS'), checksums(dist));
    if (options.snapshot) return `${relative(ROOT, dist)} is complete. It is a trial, which is not for publication.`;
    return nextSteps({ version, dist: relative(ROOT, dist), repository: options.repository, digest });
  });
}

/**
 * Sets the version in all files of the project, and makes a section of the unreleased changes.
 * @param now the time of the release
 * @returns what to do next
 * @throws Error that says why the version cannot be set
 */
export async function setVersion(version: string, now: Date): Promise<string> {
  if (!isVersion(version)) throw new Error(`${version} is not a version. Name one such as 0.2.0 or 1.0.0-rc.1.`);
  const path = join(ROOT, 'CHANGELOG.md');
  const changelog = withRelease(readFileSync(path, 'utf8'), version, now.toISOString().slice(0, 10));
  const changed = withVersion(projectFiles(mayNameVersion), version);
  for (const [file, text] of [...changed, ['CHANGELOG.md', changelog] as const]) writeFileSync(join(ROOT, file), text);
  // The chart is generated from package.json, which this process has read already.
  await run(process.execPath, [join(ROOT, 'hack/generate/main.ts')]);
  const files = ['CHANGELOG.md', ...changed.keys()].join(', ');
  return (
    `The version is ${version} in ${files} and the chart. Review and commit this, then tag the commit:\n` +
    `  git commit --all --message 'release: set the version ${version}' && git tag --annotate v${version} --message v${version}`
  );
}

function machineProblems(): string[] {
  if (process.platform !== 'linux') return ['A release is built on Linux.'];
  if (process.getuid?.() !== 0)
    return ['A release is built as root, because podman keeps its images in a store of root.'];
  return [];
}

async function releaseProblems(version: string, commit: Commit & { readonly clean: boolean }): Promise<string[]> {
  const tagged = await taggedCommit(ROOT, `v${version}`);
  return [
    ...(commit.clean
      ? []
      : ['The working tree has uncommitted changes. Commit them, or try the release with --snapshot.']),
    ...(tagged === undefined || tagged === commit.id
      ? []
      : [`The tag v${version} names another commit: ${version} is released. Set a new one with --set-version.`]),
    ...((await isShallow(ROOT))
      ? ['The clone is shallow, so the release before is not known. Run git fetch --unshallow --tags.']
      : []),
    ...revisionProblems(
      await lastReleased(ROOT, commit, 'crds'),
      projectFiles((path) => /^crds\/.+\.dev\.yaml$/.test(path)),
    ),
  ];
}

function projectProblems(version: string): string[] {
  return versionProblems(projectFiles(mayNameVersion), version).map(
    (problem) => `${problem} Run npm run release -- --set-version VERSION.`,
  );
}

function projectFiles(included: (path: string) => boolean): Files {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const files = listed.filter((path) => included(path) && existsSync(join(ROOT, path)));
  return new Map(files.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

async function chooseBaseImages(
  { standIns, baseImage, buildImage }: ReleaseOptions,
  report: (line: string) => void,
): Promise<BaseImages> {
  if (standIns) return createStandInLists(report);
  const { BUILD_IMAGE, BASE_IMAGE } = baseImages();
  const images = { BUILD_IMAGE: buildImage ?? BUILD_IMAGE, BASE_IMAGE: baseImage ?? BASE_IMAGE };
  for (const image of Object.values(images)) {
    report(`Pulling ${image} …`);
    await podman(['pull', '--quiet', image]).catch((error: unknown) => {
      throw new Error(
        `${image} cannot be pulled. Name a mirror with --base-image and --build-image. For a trial without a registry, use --snapshot --stand-ins.`,
        { cause: error },
      );
    });
  }
  return images;
}

async function writeImages(
  sources: ImageSources,
  { dist, verify, progress }: { readonly dist: string; readonly verify: boolean; readonly progress: Progress },
): Promise<string> {
  const images: BuiltImage[] = [];
  try {
    for (const architecture of ARCHITECTURES) {
      const image = await progress.step(`Image for ${architecture}`, () => buildFor(architecture, sources));
      images.push(image);
      if (verify) await progress.step(`The same again`, () => verifyReproducible(image, sources));
      await writeLicences(image, sources, dist);
    }
    return await progress.step('Archive of the images', () =>
      writeArchive(images, sources, join(dist, `${IMAGE}-${sources.version}.oci.tar`)),
    );
  } finally {
    // Two images with their layers take a gigabyte.
    for (const { name } of images) await removeImage(name);
  }
}

interface Released {
  readonly version: string;
  readonly commit: Commit;
  readonly digest: string;
  readonly base: BaseImages;
}

function releaseNotes(changes: string, { version, commit, digest, base }: Released): string {
  return [
    `# ${IMAGE} ${version}`,
    '',
    changes,
    '## Image',
    '',
    `- digest: \`${digest}\``,
    '- platforms: linux/amd64 and linux/arm64',
    `- commit: ${commit.id}`,
    `- base image: ${base.BASE_IMAGE}`,
    '',
    'Read docs/upgrading.md before you upgrade. `sha256sum --check SHA256SUMS` checks the files.',
    '',
  ].join('\n');
}

/** The list of files that `sha256sum --check` reads. */
function checksums(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
  const sum = (path: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return paths.map((path) => `${sum(path)}  ${path}\n`).join('');
}

function nextSteps(released: { version: string; dist: string; repository: string; digest: string }): string {
  const { version, dist, repository, digest } = released;
  return [
    `${dist} is complete. The image has the digest ${digest}. To publish it:`,
    `  skopeo copy --all --preserve-digests oci-archive:${dist}/${IMAGE}-${version}.oci.tar docker://${repository}:${version}`,
    `  cosign sign ${repository}@${digest}`,
    `  cosign sign-blob --bundle ${dist}/SHA256SUMS.sigstore.json ${dist}/SHA256SUMS`,
    `  helm push ${dist}/${IMAGE}-${version}.tgz oci://REGISTRY/charts`,
    '  and attach the files of the folder to the release of the tag.',
  ].join('\n');
}
