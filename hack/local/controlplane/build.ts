/** Builds the control plane from the Go modules that go.mod and go.sum beside this file pin. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { BinaryName, Report } from './binaries.ts';

const PACKAGES: Readonly<Record<BinaryName, string>> = {
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  etcd: 'go.etcd.io/etcd/server/v3',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  'kube-proxy': 'k8s.io/kubernetes/cmd/kube-proxy',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
};

/** Older ones do not fetch the version that go.mod asks for by themselves. */
const OLDEST_GO_MINOR = 21;
const REPORT_EVERY_MS = 10_000;

export interface BuildRequest {
  names: readonly BinaryName[];
  /** The finished programs are renamed into it. */
  folder: string;
  /** Of Kubernetes, without `v`: what the programs say their version is. */
  version: string;
  go: string;
  env: NodeJS.ProcessEnv;
  report: Report;
}

/** The Go command to build with; undefined where there is none, or one that is too old. */
export async function goCommand(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    // Outside the module: there, go would first download the toolchain that go.mod asks for.
    const { stdout } = await promisify(execFile)('go', ['env', 'GOVERSION'], { env, cwd: '/' });
    const minor = /^go1\.(\d+)/.exec(stdout)?.[1];
    return minor !== undefined && Number(minor) >= OLDEST_GO_MINOR ? 'go' : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error with the end of the compiler's output when a build fails. */
export async function build({ names, folder, version, go, env, report }: BuildRequest): Promise<void> {
  const [major, minor] = version.split('.');
  const stamp = 'k8s.io/component-base/version';
  const ldflags = `-s -w -X ${stamp}.gitVersion=v${version} -X ${stamp}.gitMajor=${major ?? ''} -X ${stamp}.gitMinor=${minor ?? ''}`;
  for (const name of names) {
    await goBuild({ name, package: PACKAGES[name], module: import.meta.dirname, folder, ldflags, go, env, report });
  }
}

export interface GoBuildRequest extends Pick<BuildRequest, 'folder' | 'go' | 'env' | 'report'> {
  /** Of the program. */
  readonly name: string;
  readonly package: string;
  /** The folder whose go.mod and go.sum pin the package. */
  readonly module: string;
  /** Default: without symbols and debugging information. */
  readonly ldflags?: string;
}

/** Builds one program and renames it into its folder. @throws Error with the end of the compiler's output. */
export async function goBuild({ name, folder, go, env, report, ...what }: GoBuildRequest): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(dirname(folder), '.build-'));
  const { GOFLAGS: _goflags, GOOS: _goos, GOARCH: _goarch, ...inherited } = env;
  const { module, ldflags = '-s -w' } = what;
  try {
    report(`Building ${name} from Go modules (once; minutes on a new machine) …`);
    const started = performance.now();
    await run(
      { name, command: go, cwd: module, env: { ...inherited, CGO_ENABLED: '0' } },
      ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags', ldflags, '-o', join(work, name), what.package],
      (packages) => {
        const seconds = Math.round((performance.now() - started) / 1000);
        report(`  ${name}: ${packages} packages compiled after ${seconds} s …`);
      },
    );
    renameSync(join(work, name), join(folder, name));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function run(
  { name, command, cwd, env }: { name: string; command: string; cwd: string; env: NodeJS.ProcessEnv },
  args: string[],
  progress: (packages: number) => void,
): Promise<void> {
  const child = spawn('nice', [command, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let packages = 0;
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) packages += 1;
    else if (!line.startsWith('go: downloading ')) errors.push(line);
  });
  const timer = setInterval(() => {
    progress(packages);
  }, REPORT_EVERY_MS);
  // An interrupted run must not leave a compiler at work.
  const stop = (): void => {
    child.kill();
  };
  process.once('exit', stop);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) {
      throw new Error(
        `${name} could not be built; it needs the Go module proxy (or a filled module cache) once. Go said:\n` +
          errors.slice(-10).join('\n'),
      );
    }
  } finally {
    clearInterval(timer);
    process.off('exit', stop);
  }
}
