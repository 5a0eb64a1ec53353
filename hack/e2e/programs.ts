/** The programs of a Kubernetes node, built from Go modules once and cached. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../harness/cache.ts';
import { ensureBinaries } from '../harness/controlplane/binaries.ts';
import { goBuild, goCommand } from '../harness/controlplane/build.ts';
import { withFileLock } from '../harness/lock.ts';
import type { Report } from '../harness/progress.ts';

const CONTAINERD = join(import.meta.dirname, 'containerd');
const COREDNS = join(import.meta.dirname, 'coredns');
const NETWORK_POLICIES = join(import.meta.dirname, 'networkpolicies');
const PACKAGES = [
  { name: 'containerd', module: CONTAINERD, package: 'github.com/containerd/containerd/v2/cmd/containerd' },
  {
    name: 'containerd-shim-runc-v2',
    module: CONTAINERD,
    package: 'github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2',
  },
  { name: 'ctr', module: CONTAINERD, package: 'github.com/containerd/containerd/v2/cmd/ctr' },
  { name: 'coredns', module: COREDNS, package: '.' },
  { name: 'network-policies', module: NETWORK_POLICIES, package: '.' },
  // The pod's first container, which keeps the network namespace alive.
  { name: 'pause', module: join(import.meta.dirname, 'pause'), package: '.' },
];

/**
 * Builds the missing programs.
 *
 * @returns the folder of all programs, including kubelet, kube-scheduler and kube-proxy
 * @throws Error with one sentence that names what to install
 */
export async function ensurePrograms(report: Report): Promise<string> {
  const kubernetes = await ensureBinaries(
    ['kube-apiserver', 'etcd', 'kubectl', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet'],
    { report },
  );
  const sources = createHash('sha256');
  for (const module of [CONTAINERD, COREDNS, NETWORK_POLICIES]) sources.update(readFileSync(join(module, 'go.sum')));
  const folder = join(CACHE, 'node', sources.digest('hex').slice(0, 16));
  mkdirSync(folder, { recursive: true });
  const waiting = (): void => {
    report('Another run is building the node programs; waiting for it …');
  };
  await withFileLock(folder, waiting, async () => {
    for (const one of PACKAGES) {
      if (existsSync(join(folder, one.name))) continue;
      const go = await goCommand(process.env);
      if (go === undefined) {
        throw new Error(
          'A node requires containerd and CoreDNS, which are built with Go. Install Go (https://go.dev/dl).',
        );
      }
      await goBuild({ programs: [one], module: one.module, folder, go, env: process.env, report });
    }
    for (const name of ['kubelet', 'kube-scheduler', 'kube-proxy'] as const) {
      rmSync(join(folder, name), { force: true });
      symlinkSync(kubernetes[name], join(folder, name));
    }
  });
  return folder;
}
