/** Builds the control plane from the Go modules that go.mod and go.sum in this folder pin. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { endWithThisProcess, temporaryFolder } from '../processes.ts';
import type { Report } from '../progress.ts';
import type { BinaryName } from './versions.ts';

const PACKAGES: Readonly<Record<BinaryName, string>> = {
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  etcd: 'go.etcd.io/etcd/server/v3',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  'kube-proxy': 'k8s.io/kubernetes/cmd/kube-proxy',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
};

/** Prefix of the files that an interrupted build can leave beside the folder of the programs. */
export const WORK_PREFIX = '.build-';

/** Older versions do not fetch the version that go.mod requires. */
const OLDEST_GO_MINOR = 21;

export interface BuildRequest {
  names: readonly BinaryName[];
  /** The folder into which the finished programs are renamed. */
  folder: string;
  /** The version of Kubernetes, without `v`, which the programs report. */
  version: string;
  go: string;
  env: NodeJS.ProcessEnv;
  report: Report;
}

/** The Go command to build with; undefined if there is none, or if it is too old. */
export async function goCommand(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    // Runs outside the module. Inside it, go would first download the toolchain that go.mod requires.
    const { stdout } = await promisify(execFile)('go', ['env', 'GOVERSION'], { env, cwd: '/' });
    const minor = /^go1\.(\d+)/.exec(stdout)?.[1];
    return minor !== undefined && Number(minor) >= OLDEST_GO_MINOR ? 'go' : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error with the end of the compiler's output if a build fails */
export async function build({ names, folder, version, go, env, report }: BuildRequest): Promise<void> {
  const [major, minor] = version.split('.');
  const stamp = 'k8s.io/component-base/version';
  const ldflags = `-s -w -X ${stamp}.gitVersion=v${version} -X ${stamp}.gitMajor=${major ?? ''} -X ${stamp}.gitMinor=${minor ?? ''}`;
  const programs = names.map((name) => ({ name, package: PACKAGES[name] }));
  await goBuild({ programs, module: import.meta.dirname, folder, ldflags, go, env, report });
}

export interface GoBuildRequest extends Pick<BuildRequest, 'folder' | 'go' | 'env' | 'report'> {
  /** The packages to build, and the names of the programs. A package without a path (`.`) must be the only one. */
  readonly programs: readonly { readonly name: string; readonly package: string }[];
  /** The folder whose go.mod and go.sum pin the packages. */
  readonly module: string;
  /** Default: without symbols and debugging information. */
  readonly ldflags?: string;
}

/**
 * Builds programs and renames them into their folder. One command builds all of them: while it links one on a single core, it
 * compiles the next on the others.
 * @throws Error with the end of the compiler's output
 */
export async function goBuild({ programs, module, folder, ldflags = '-s -w', ...rest }: GoBuildRequest): Promise<void> {
  const { go, env, report } = rest;
  mkdirSync(folder, { recursive: true });
  const work = temporaryFolder(WORK_PREFIX, dirname(folder));
  const { GOFLAGS: _goflags, GOOS: _goos, GOARCH: _goarch, ...inherited } = env;
  const names = new Intl.ListFormat('en-GB').format(programs.map(({ name }) => name));
  const packages = programs.map((program) => program.package);
  const [only] = programs.length === 1 ? programs : [];
  const out = only ? join(work, only.name) : `${work}/`;
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', ldflags, '-o', out, ...packages];
  try {
    report(`Building ${names} from Go modules (once; minutes on a new machine) …`);
    // The temporary files of the build are in the folder that is removed.
    await run(names, [go, ...args], { cwd: module, env: { ...inherited, CGO_ENABLED: '0', GOTMPDIR: work } });
    for (const program of programs) {
      renameSync(join(work, only ? only.name : defaultName(program.package)), join(folder, program.name));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The name that `go build` gives a program: the last part of its path that is not a version. */
function defaultName(path: string): string {
  return basename(path.replace(/\/v\d+$/, ''));
}

/** @throws Error with the end of the error output */
async function run(
  names: string,
  command: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const child = spawn('nice', command, { ...options, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  endWithThisProcess(child);
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  if (code === 0) return;
  const lines = errors.trim().split('\n');
  throw new Error(
    `Building ${names} failed. The first build needs the Go module proxy or a filled module cache. Output of Go:\n` +
      lines
        .filter((line) => !line.startsWith('go: downloading '))
        .slice(-10)
        .join('\n'),
  );
}
