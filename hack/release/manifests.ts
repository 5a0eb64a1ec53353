/** The manifests of a release: for kubectl, and as a Helm chart. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { CHART_FOLDER } from '../chart/chart.ts';
import { run } from '../containers/podman.ts';
import { ensureBinaries } from '../harness/controlplane/binaries.ts';
import { ensureHelm } from '../harness/helm.ts';

/** The name of the image in the manifests. */
export const IMAGE = 'gateway-guardrail-operator';

/** What manifests are made of. */
export interface ManifestSources {
  /** A folder with the files of a commit. */
  readonly folder: string;
  /** A folder for files in between. */
  readonly work: string;
  /** The image without its tag. */
  readonly repository: string;
  /** The time of all files, in seconds since 1970. */
  readonly time: number;
}

/** Writes `install.yaml`, which `kubectl apply -f` installs, and `crds.yaml`. */
export async function writeManifests({ folder, work, repository }: ManifestSources, to: string): Promise<void> {
  const { kubectl } = await ensureBinaries(['kubectl']);
  const overlay = join(work, 'overlay');
  mkdirSync(overlay);
  writeFileSync(
    join(overlay, 'kustomization.yaml'),
    stringify({ resources: [`../${folder.slice(work.length + 1)}`], images: [{ name: IMAGE, newName: repository }] }),
  );
  for (const [name, source] of [
    ['install.yaml', overlay],
    ['crds.yaml', join(folder, 'crds')],
  ] as const) {
    const { stdout } = await run(kubectl, ['kustomize', source]);
    writeFileSync(join(to, name), stdout);
  }
  rmSync(overlay, { recursive: true });
}

/** Packages the Helm chart, with the image's repository as its default. */
export async function writeChart({ folder, work, repository, time }: ManifestSources, to: string): Promise<void> {
  const chart = join(work, IMAGE);
  cpSync(join(folder, CHART_FOLDER), chart, { recursive: true });
  const values = parseDocument(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  values.setIn(['image', 'repository'], repository);
  writeFileSync(join(chart, 'values.yaml'), values.toString());
  const helm = await ensureHelm();
  await helm(['lint', '--strict', chart]);
  await helm(['package', chart, '--destination', to], undefined, { SOURCE_DATE_EPOCH: String(time) });
  rmSync(chart, { recursive: true });
}
