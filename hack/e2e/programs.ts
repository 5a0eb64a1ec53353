/** The programs of a Kubernetes node, built from Go modules once and cached. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../harness/cache.ts';
import { ensureBinaries } from '../harness/controlplane/binaries.ts';
import { goBuild, goCommand } from '../harness/controlplane/build.ts';
import { withFileLock } from '../harness/lock.ts';
import type { Report } from '../harness/progress.ts';

const CONTAINERD = 'github.com/containerd/containerd/v2/cmd';
/** The programs by the folder of the module that builds them. */
const PROGRAMS: readonly { readonly module: string; readonly name: string; readonly package: string }[] = [
  ...['containerd', 'containerd-shim-runc-v2', 'ctr'].map((name) => ({
    module: 'containerd',
    name,
    package: `${CONTAINERD}/${name}`,
  })),
  { module: 'coredns', name: 'coredns', package: '.' },
  { module: 'networkpolicies', name: 'network-policies', package: '.' },
  // The pod's first container, which keeps the network namespace alive.
  { module: 'pause', name: 'pause', package: '.' },
];

/**
 * Builds the missing programs.
 *
 * @returns the folder of all programs, including kubectl, kubelet, kube-scheduler and kube-proxy
 * @throws Error with one sentence that names what to install
 */
export async function ensurePrograms(report: Report): Promise<string> {
  const kubernetes = await ensureBinaries(
    ['kube-apiserver', 'etcd', 'kubectl', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet'],
    { report },
  );
  const folder = join(CACHE, 'node', hashOfModules());
  mkdirSync(folder, { recursive: true });
  const waiting = (): void => {
    report('Another run is building the node programs; waiting for it …');
  };
  await withFileLock(folder, waiting, async () => {
    for (const program of PROGRAMS) {
      if (existsSync(join(folder, program.name))) continue;
      const go = await goCommand(process.env);
      if (go === undefined) {
        throw new Error(
          'A node requires containerd and CoreDNS, which are built with Go. Install Go (https://go.dev/dl).',
        );
      }
      const module = join(import.meta.dirname, program.module);
      await goBuild({ programs: [program], module, folder, go, env: process.env, report });
    }
    for (const name of ['kubectl', 'kubelet', 'kube-scheduler', 'kube-proxy'] as const) {
      rmSync(join(folder, name), { force: true });
      symlinkSync(kubernetes[name], join(folder, name));
    }
  });
  return folder;
}

/** @returns a hash of the sources of the programs, and of the versions that they use */
function hashOfModules(): string {
  const hash = createHash('sha256');
  for (const module of new Set(PROGRAMS.map((program) => program.module))) {
    const folder = join(import.meta.dirname, module);
    for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
