/** The generators of this project, one for each thing that is written from another. */
import { CHART_FOLDER, generateChart } from '../chart/chart.ts';
import { generate as generateCrds } from '../crdgen/crdgen.ts';
import { projectSources } from '../crdgen/project.ts';
import { generateReference, REFERENCE_PATH } from '../reference/reference.ts';
import { buildKernel, KERNEL_PATHS } from './kernel.ts';
import { generateRoles, ROLE_FILES } from './roles.ts';

/** The project, with the results of the generators that have run. Paths begin at its root. */
export interface Project {
  readonly root: string;
  readonly read: (path: string) => string;
}

export interface Generator {
  readonly name: string;
  /** The files that it writes. Of a folder, which ends with `/`, it writes every file. */
  readonly writes: readonly string[];
  /** @returns the contents of its files by their path. It writes nothing. */
  readonly run: (project: Project) => ReadonlyMap<string, string | Uint8Array>;
}

const CRDS = 'crds/';

/** In their order: a generator may read what an earlier one writes. */
export const GENERATORS: readonly Generator[] = [
  {
    name: 'crds',
    writes: [CRDS],
    run: ({ root }) => new Map([...generateCrds(projectSources(root))].map(([name, text]) => [`${CRDS}${name}`, text])),
  },
  { name: 'roles', writes: Object.values(ROLE_FILES), run: () => generateRoles() },
  {
    name: 'chart',
    writes: [`${CHART_FOLDER}/`],
    run: (project) => generateChart(project.read, crdsOf(project)),
  },
  {
    name: 'reference',
    writes: [REFERENCE_PATH],
    run: (project) => new Map([[REFERENCE_PATH, generateReference(crdsOf(project))]]),
  },
  {
    name: 'kernel',
    writes: KERNEL_PATHS,
    run: ({ root }) => new Map(KERNEL_PATHS.map((path) => [path, buildKernel(root, path)])),
  },
];

/** The files of the CRDs by name. */
function crdsOf({ root, read }: Project): ReadonlyMap<string, string> {
  const names = projectSources(root).kinds.map(({ plural, group }) => `${plural}.${group}.yaml`);
  return new Map(names.map((name) => [name, read(`${CRDS}${name}`)]));
}
