/**
 * `npm run generate`: writes `crds/` from the types, the operator's roles and `docs/permissions.md` from the declared
 * permissions, the version into the manifests, the Helm chart from the manifests, and `docs/reference.md`. With `--check`, it
 * writes nothing and fails if a file differs.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { CHART_FOLDER, generateChart } from '../chart/chart.ts';
import { generateReference, REFERENCE_PATH } from '../reference/reference.ts';
import { generate, GenerationError } from './crdgen.ts';
import { projectSources } from './project.ts';
import { generateRoles } from './roles.ts';
import { VERSIONED_MANIFESTS, withVersion } from './versions.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const root = join(import.meta.dirname, '../..');

try {
  const crds = generate(projectSources(root));
  const roles = generateRoles();
  const versioned = VERSIONED_MANIFESTS.map((path): [string, string] => [path, withVersion(read(path) ?? '')]);
  const manifests = new Map([...inFolder('crds', crds), ...roles, ...versioned]);
  const chart = generateChart((path) => manifests.get(path) ?? readFileSync(join(root, path), 'utf8'), crds);
  const desired = new Map([...manifests, ...chart, [REFERENCE_PATH, generateReference(crds)]]);
  const different = [...desired].filter(([path, text]) => read(path) !== text);
  // Everything in these folders is generated, so any other file belongs to something that was removed.
  const obsolete = ['crds', CHART_FOLDER].flatMap(list).filter((path) => !desired.has(path));
  if (values.check) {
    const paths = [...different.map(([path]) => path), ...obsolete];
    if (paths.length > 0) {
      console.error(`${paths.join(', ')}: not up to date. Run npm run generate.`);
      process.exitCode = 1;
    }
  } else {
    for (const [path, text] of different) write(path, text);
    for (const path of obsolete) rmSync(join(root, path));
    console.log(
      `${different.length} written, ${obsolete.length} removed, ${desired.size - different.length} unchanged.`,
    );
  }
} catch (error) {
  if (!(error instanceof GenerationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function inFolder(folder: string, files: ReadonlyMap<string, string>): [path: string, text: string][] {
  return [...files].map(([name, text]) => [`${folder}/${name}`, text]);
}

function list(folder: string): string[] {
  mkdirSync(join(root, folder), { recursive: true });
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function read(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
