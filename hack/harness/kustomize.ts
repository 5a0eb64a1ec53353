/** Builds kustomizations of the project with kubectl. It needs no cluster. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { ensureBinaries } from './controlplane/binaries.ts';

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
    const { stdout } = await promisify(execFile)(kubectl, ['kustomize', folder], { maxBuffer: 1 << 26 });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
