/** The control groups that a kubelet creates. Only they remain of a cluster after its namespaces end. */
import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';
/** The root groups of the kubelet, and of containers that containerd starts directly. */
const ROOTS = ['kubepods', 'k8s.io'];

/** @returns the folders of the controllers: one for all of them with cgroup v2, one each with v1. */
export function hierarchies(): { readonly folder: string; readonly controllers: readonly string[] }[] {
  const unified = join(MOUNT, 'cgroup.controllers');
  if (existsSync(unified)) return [{ folder: MOUNT, controllers: readFileSync(unified, 'utf8').trim().split(/\s+/) }];
  if (!existsSync(MOUNT)) return [];
  return readdirSync(MOUNT).map((name) => ({ folder: join(MOUNT, name), controllers: name.split(',') }));
}

/**
 * @returns whether pods run on this machine. Removes the remains of an earlier cluster first, for example after a power
 * failure.
 */
export function isNodeAlready(): boolean {
  removeCgroups();
  return cgroupFolders().some((folder) => existsSync(folder));
}

/** Removes the control groups without processes. */
export function removeCgroups(): void {
  for (const folder of cgroupFolders()) removeTree(folder);
}

function cgroupFolders(): string[] {
  return hierarchies().flatMap(({ folder }) => ROOTS.map((root) => join(folder, root)));
}

/** Removes a control group. A folder can only be removed alone, innermost first; its files disappear with it. */
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
