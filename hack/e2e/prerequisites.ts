/** Checks that a machine can become a node, before any slow work. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { hierarchies, isNodeAlready } from './cgroups.ts';
import { isExecutable } from '../harness/executables.ts';

/** The folder of Debian's containernetworking-plugins. */
export const CNI_PROGRAMS = '/usr/lib/cni';

/** The facts about a machine. */
export interface Facts {
  readonly platform: string;
  readonly root: boolean;
  /** Missing programs from {@link PACKAGES}. */
  readonly missing: readonly string[];
  readonly overlay: boolean;
  readonly namespaces: boolean;
  /** Control group controllers that cannot be used. */
  readonly controllers: readonly string[];
  /** Whether pods of another kubelet run on the machine. */
  readonly busy: boolean;
}

/** The required programs and their Debian packages. */
const PACKAGES: Readonly<Record<string, string>> = {
  podman: 'podman',
  runc: 'runc',
  iptables: 'iptables',
  ipset: 'ipset',
  ip: 'iproute2',
  conntrack: 'conntrack',
  unshare: 'util-linux',
  mount: 'mount',
  [join(CNI_PROGRAMS, 'ptp')]: 'containernetworking-plugins',
};
const CONTROLLERS = ['cpu', 'cpuset', 'memory', 'pids'];
const ALTERNATIVE =
  'Alternatively, set KUBECONFIG to a cluster, and E2E_IMAGE to an image of this project that its nodes can pull.';

/** @returns the missing prerequisites, one sentence each. Pure. */
export function problems(facts: Facts): string[] {
  if (facts.platform !== 'linux') return [`A cluster node requires Linux. ${ALTERNATIVE}`];
  if (!facts.root) return [`A cluster node requires root. Run sudo npm run e2e. ${ALTERNATIVE}`];
  const packages = [...new Set(facts.missing.map((program) => PACKAGES[program] ?? program))];
  return [
    ...(packages.length === 0
      ? []
      : [`Programs are missing. Install them, on Debian with apt-get install ${packages.join(' ')}.`]),
    ...(facts.overlay
      ? []
      : ['The kernel has no overlay file system, which containers require. Run modprobe overlay.']),
    ...(facts.namespaces
      ? []
      : ['On this machine, root cannot create network, mount and process namespaces. Use another machine.']),
    ...(facts.controllers.length === 0
      ? []
      : [
          `Control groups for ${facts.controllers.join(', ')} cannot be created below /sys/fs/cgroup. Mount them writable.`,
        ]),
    ...(facts.busy ? ['Pods of another kubelet run on this machine. Use a machine that is not a node.'] : []),
  ];
}

/** Collects the facts about this machine. */
export async function gatherFacts(): Promise<Facts> {
  const { platform } = process;
  const root = process.getuid?.() === 0;
  if (platform !== 'linux' || !root) {
    return { platform, root, missing: [], overlay: true, namespaces: true, controllers: [], busy: false };
  }
  const missing = Object.keys(PACKAGES).filter((program) => !isThere(program));
  return {
    platform,
    root,
    missing,
    overlay: /\boverlay\b/.test(readFileSync('/proc/filesystems', 'utf8')) || existsSync('/sys/module/overlay'),
    namespaces: missing.includes('unshare') || (await canUnshare()),
    controllers: CONTROLLERS.filter((controller) => !canUse(controller)),
    busy: isNodeAlready(),
  };
}

function isThere(program: string): boolean {
  const folders = program.startsWith('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => isExecutable(join(folder, program)));
}

async function canUnshare(): Promise<boolean> {
  try {
    await promisify(execFile)('unshare', ['--net', '--pid', '--mount', '--fork', '--mount-proc', 'true']);
    return true;
  } catch {
    return false;
  }
}

function canUse(controller: string): boolean {
  const folder = hierarchies().find((each) => each.controllers.includes(controller))?.folder;
  if (folder === undefined) return false;
  const trial = join(folder, `e2e-trial-${process.pid}`);
  try {
    mkdirSync(trial);
    rmdirSync(trial);
    return true;
  } catch {
    return false;
  }
}
