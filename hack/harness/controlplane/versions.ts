/** The Kubernetes programs that tests start, and their version. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type BinaryName =
  'kube-apiserver' | 'etcd' | 'kubectl' | 'kube-controller-manager' | 'kube-scheduler' | 'kube-proxy' | 'kubelet';

/** The version to build. Any other patch release of the same minor version is used if it is found. */
export const KUBERNETES_VERSION = versionInGoMod('k8s.io/kubernetes');

/** The platform as Go and the release archives name it, such as `linux-amd64`. */
export function platformName(): string {
  return `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
}

/** Reads a version from go.mod, which is the only place with versions. */
function versionInGoMod(module: string): string {
  const text = readFileSync(join(import.meta.dirname, 'go.mod'), 'utf8');
  const line = text.split('\n').find((candidate) => candidate.trim().startsWith(`${module} v`));
  const version = line && /\bv(\d+\.\d+\.\d+)/.exec(line)?.[1];
  if (version === undefined || version === '')
    throw new Error(`hack/harness/controlplane/go.mod does not require ${module}.`);
  return version;
}
