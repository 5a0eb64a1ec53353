/** The control groups that a kubelet makes. They are all that a cluster leaves behind when its namespaces are gone. */
import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';
/** Of the kubelet, and of containerd where it is asked for a container by itself. */
const ROOTS = ['kubepods', 'k8s.io'];

/** Where controllers are: one folder for all of them with version 2, one each with version 1. */
export function hierarchies(): { readonly folder: string; readonly controllers: readonly string[] }[] {
  const unified = join(MOUNT, 'cgroup.controllers');
  if (existsSync(unified)) return [{ folder: MOUNT, controllers: readFileSync(unified, 'utf8').trim().split(/\s+/) }];
  if (!existsSync(MOUNT)) return [];
  return readdirSync(MOUNT).map((name) => ({ folder: join(MOUNT, name), controllers: name.split(',') }));
}

/** Whether pods run here. What a cluster of ours has left behind, as after a power cut, is removed first. */
export function isNodeAlready(): boolean {
  removeCgroups();
  return ours().some((folder) => existsSync(folder));
}

/** Removes what no process is in any more. */
export function removeCgroups(): void {
  for (const folder of ours()) removeTree(folder);
}

function ours(): string[] {
  return hierarchies().flatMap(({ folder }) => ROOTS.map((root) => join(folder, root)));
}

/** A control group's folder can only be removed by itself, the innermost first; its files go with it. */
function removeTree(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) removeTree(join(folder, entry.name));
    }
    rmdirSync(folder);
  } catch {
    // Not there, or something runs in it.
  }
}
