/** The programs that make a node of a machine, built from Go modules once and kept. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from '../testing/controlplane/binaries.ts';
import { goBuild, goCommand } from '../testing/controlplane/build.ts';
import { withFileLock } from '../testing/lock.ts';
import type { Report } from '../testing/progress.ts';

/** What the project keeps on a machine between runs. */
export const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'gateway-guardrail-operator');

const CONTAINERD = join(import.meta.dirname, 'containerd');
const COREDNS = join(import.meta.dirname, 'coredns');
const PACKAGES = [
  { name: 'containerd', module: CONTAINERD, package: 'github.com/containerd/containerd/v2/cmd/containerd' },
  {
    name: 'containerd-shim-runc-v2',
    module: CONTAINERD,
    package: 'github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2',
  },
  { name: 'ctr', module: CONTAINERD, package: 'github.com/containerd/containerd/v2/cmd/ctr' },
  { name: 'coredns', module: COREDNS, package: '.' },
  // The pod's first container: it holds the network namespace and waits for its end.
  { name: 'pause', module: join(import.meta.dirname, 'pause'), package: '.' },
];

/**
 * Builds what is missing.
 * @returns the folder that has all of them, kubelet, kube-scheduler and kube-proxy included
 * @throws Error with one sentence that says what to install
 */
export async function ensurePrograms(report: Report): Promise<string> {
  const kubernetes = await ensureBinaries(
    ['kube-apiserver', 'etcd', 'kubectl', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet'],
    { report },
  );
  const sources = createHash('sha256');
  for (const module of [CONTAINERD, COREDNS]) sources.update(readFileSync(join(module, 'go.sum')));
  const folder = join(CACHE, 'node', sources.digest('hex').slice(0, 16));
  mkdirSync(folder, { recursive: true });
  const waiting = (): void => {
    report('Another run is building the programs of a node; waiting for it …');
  };
  await withFileLock(folder, waiting, async () => {
    for (const one of PACKAGES) {
      if (existsSync(join(folder, one.name))) continue;
      const go = await goCommand(process.env);
      if (go === undefined) {
        throw new Error(
          'A node needs containerd and CoreDNS, which are built with Go: install Go (https://go.dev/dl).',
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
