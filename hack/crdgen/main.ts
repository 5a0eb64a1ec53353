/**
 * `npm run generate`: writes `crds/` from the types, the operator's roles and `docs/permissions.md` from the declared
 * permissions, the version into the manifests, the Helm chart from the manifests, `docs/reference.md`, and the kernel of the
 * detector from its sources. With `--check`, it writes nothing and fails if a file differs.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { CHART_FOLDER, generateChart } from '../chart/chart.ts';
import { buildKernel, KERNEL_PATH } from '../kernel/kernel.ts';
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
  const versioned = VERSIONED_MANIFESTS.map((path): [string, string] => [
    path,
    withVersion(read(path)?.toString() ?? ''),
  ]);
  const manifests = new Map([...inFolder('crds', crds), ...roles, ...versioned]);
  const chart = generateChart((path) => manifests.get(path) ?? readFileSync(join(root, path), 'utf8'), crds);
  const texts = new Map([...manifests, ...chart, [REFERENCE_PATH, generateReference(crds)]]);
  const desired = new Map([...texts].map(([path, text]): [string, Uint8Array] => [path, Buffer.from(text)]));
  desired.set(KERNEL_PATH, buildKernel(root));
  const different = [...desired].filter(([path, contents]) => read(path)?.equals(contents) !== true);
  // Everything in these folders is generated, so any other file belongs to something that was removed.
  const obsolete = ['crds', CHART_FOLDER].flatMap(list).filter((path) => !desired.has(path));
  if (values.check) {
    const paths = [...different.map(([path]) => path), ...obsolete];
    if (paths.length > 0) {
      console.error(`${paths.join(', ')}: not up to date. Run npm run generate.`);
      process.exitCode = 1;
    }
  } else {
    for (const [path, contents] of different) write(path, contents);
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

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(join(root, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function write(path: string, contents: Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), contents);
}
