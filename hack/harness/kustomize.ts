/** Builds kustomizations of the project with kubectl. It needs no cluster. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { ensureBinaries } from './controlplane/binaries.ts';
import { runProgram } from './executables.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A kustomization whose resources and components are paths in the project. */
export interface ProjectKustomization {
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly [field: string]: unknown;
}

/** @returns the objects as YAML */
export async function buildKustomization({ resources, components, ...more }: ProjectKustomization): Promise<string> {
  const { kubectl } = await ensureBinaries(['kubectl']);
  const folder = mkdtempSync(join(tmpdir(), 'kustomize-'));
  try {
    const paths = (names: readonly string[] = []): string[] => names.map((name) => relative(folder, join(ROOT, name)));
    const kustomization = { resources: paths(resources), components: paths(components), ...more };
    writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
    return await runProgram(kubectl, ['kustomize', folder]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
