/** The test files of the project, and what each of them needs. The name of a file says it. */
import { globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/**
 * - `unit` (`name.test.ts`): Node alone, at most a few seconds a file.
 * - `slow` (`name.slow.test.ts`): Node alone, but inherently long.
 * - `redis`, `cluster` (`name.redis.test.ts`, `name.cluster.test.ts`): a Redis server; a Kubernetes control plane.
 * - `all` (`name.all.test.ts`): programs of other projects. Such a test may need the servers, too.
 */
export type TestKind = 'unit' | 'slow' | 'redis' | 'cluster' | 'all';

/** A server that takes minutes to fetch on a new machine. */
export type Server = 'controlPlane' | 'redis';

const NEEDED_SERVERS: Readonly<Record<TestKind, readonly Server[]>> = {
  unit: [],
  slow: [],
  redis: ['redis'],
  cluster: ['controlPlane'],
  all: ['controlPlane', 'redis'],
};
const KIND = /\.(slow|redis|cluster|all)\.test\.ts$/;
const FOLDERS = ['operator', 'guardrail', 'hack'];

/** The kind of a test file. */
export function kindOf(file: string): TestKind {
  return (KIND.exec(file)?.[1] as TestKind | undefined) ?? 'unit';
}

/** Whether at least one of these test files may need a server. */
export function isNeeded(server: Server, files: readonly string[]): boolean {
  return files.some((file) => NEEDED_SERVERS[kindOf(file)].includes(server));
}

/** All test files, relative to the project. */
export function allTests(root: string): string[] {
  return FOLDERS.flatMap((folder) => testsIn(root, join(root, folder)));
}

/**
 * The test files at a path, which may be a folder, relative to the project.
 * @throws Error with one sentence when there is none
 */
export function testsIn(root: string, path: string): string[] {
  const file = relative(root, resolve(path));
  const stats = statSync(join(root, file), { throwIfNoEntry: false });
  if (!stats) throw new Error(`${path} does not exist.`);
  if (!stats.isDirectory()) return [file];
  const found = globSync(join(file, '**/*.test.ts'), { cwd: root, exclude: (name) => name === 'node_modules' });
  if (found.length === 0) throw new Error(`${path} contains no test file (*.test.ts).`);
  return found.sort();
}
