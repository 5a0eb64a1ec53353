/** Runs generators, and compares or writes their files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { GenerationError } from '../crdgen/crdgen.ts';
import type { Generator, Project } from './generators.ts';

/** What became of the files of one generator. Paths begin at the root of the project. */
export interface Outcome {
  readonly name: string;
  /** Files that were not up to date. */
  readonly written: readonly string[];
  /** Files of its folders that it no longer writes. */
  readonly removed: readonly string[];
  readonly unchanged: number;
}

/**
 * Selects generators by name; all without a name.
 * @throws Error if there is no such generator
 */
export function selectGenerators(all: readonly Generator[], names: readonly string[]): readonly Generator[] {
  const unknown = names.filter((name) => !all.some((generator) => generator.name === name));
  if (unknown.length > 0) {
    throw new Error(`There is no generator ${unknown.join(', ')}. Known: ${all.map(({ name }) => name).join(', ')}.`);
  }
  return all.filter(({ name }) => names.length === 0 || names.includes(name));
}

/**
 * Runs generators in their order.
 * @param write whether to write the files that differ; otherwise they are only reported
 * @param report receives the outcome of each generator
 * @throws Error that names the generator. If the sources are invalid, its cause is a GenerationError.
 */
export function runGenerators(
  generators: readonly Generator[],
  root: string,
  write: boolean,
  report: (outcome: Outcome) => void,
): void {
  const generated = new Map<string, Buffer>();
  const read = (path: string): string => (generated.get(path) ?? readFileSync(join(root, path))).toString();
  for (const generator of generators) {
    const files = filesOf(generator, { root, read });
    for (const [path, content] of files) generated.set(path, content);
    const outcome = compare(generator, files, root);
    if (write) {
      for (const path of outcome.written) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), files.get(path) ?? '');
      }
      for (const path of outcome.removed) rmSync(join(root, path));
    }
    report(outcome);
  }
}

function filesOf({ name, writes, run }: Generator, project: Project): ReadonlyMap<string, Buffer> {
  try {
    const files = [...run(project)].map(([path, content]): [string, Buffer] => [path, Buffer.from(content)]);
    const declared = (path: string): boolean =>
      writes.some((one) => (one.endsWith('/') ? path.startsWith(one) : path === one));
    const [other] = files.filter(([path]) => !declared(path));
    if (other !== undefined) throw new Error(`${other[0]} is not among the files that the generator declares.`);
    return new Map(files);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const lines = error instanceof GenerationError ? message.split('\n') : [message];
    throw new Error(lines.map((line) => `${name}: ${line}`).join('\n'), { cause: error });
  }
}

function compare({ name, writes }: Generator, files: ReadonlyMap<string, Buffer>, root: string): Outcome {
  const isCurrent = ([path, content]: readonly [string, Buffer]): boolean =>
    existsSync(join(root, path)) && readFileSync(join(root, path)).equals(content);
  const written = [...files].filter((file) => !isCurrent(file)).map(([path]) => path);
  const present = writes.filter((path) => path.endsWith('/')).flatMap((folder) => filesIn(root, folder));
  const removed = present.filter((path) => !files.has(path));
  return { name, written, removed, unchanged: files.size - written.length };
}

function filesIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
