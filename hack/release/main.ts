/** `npm run release`: writes everything that a release consists of into `dist/VERSION`, or sets the version. */
import { parseArgs } from 'node:util';
import { Progress } from '../harness/progress.ts';
import { IMAGE } from './manifests.ts';
import { release, setVersion, type ReleaseOptions } from './release.ts';

const HELP = `npm run release                            writes the release of the version in package.json into dist/VERSION
npm run release -- --set-version VERSION   sets the version in all files, and makes a section of the unreleased changes

The image is built for linux/amd64 and linux/arm64 with podman. Nothing is published; the last lines say how to.

  --repository NAME   the image's repository in install.yaml and in the chart (default: ${IMAGE})
  --base-image IMAGE  and
  --build-image IMAGE from a mirror, in place of those in the Dockerfile
  --stand-ins         in place of both, Debian images that debootstrap creates, on machines that reach no registry
  --verify            builds each image twice, and compares the digests
  --snapshot          a trial: with uncommitted changes of files that git knows, and with unreleased changes as notes
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'set-version': { type: 'string' },
      repository: { type: 'string', default: IMAGE },
      'base-image': { type: 'string' },
      'build-image': { type: 'string' },
      'stand-ins': { type: 'boolean', default: false },
      verify: { type: 'boolean', default: false },
      snapshot: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const version = values['set-version'];
  if (version !== undefined) {
    console.log(await setVersion(version, new Date()));
    return;
  }
  const options: ReleaseOptions = {
    repository: values.repository,
    baseImage: values['base-image'],
    buildImage: values['build-image'],
    standIns: values['stand-ins'],
    verify: values.verify,
    snapshot: values.snapshot,
  };
  console.log(await release(options, new Progress()));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
