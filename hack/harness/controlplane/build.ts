/** Builds the control plane from the Go modules that go.mod and go.sum in this folder pin. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { endWithThisProcess, removeAtExit } from '../processes.ts';
import type { Report } from '../progress.ts';
import { describeBuild, describeDownload, GoOutput } from './goOutput.ts';
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
const REPORT_EVERY_MS = 1_000;

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
  const work = mkdtempSync(join(dirname(folder), WORK_PREFIX));
  removeAtExit(work);
  const { GOFLAGS: _goflags, GOOS: _goos, GOARCH: _goarch, ...inherited } = env;
  const names = new Intl.ListFormat('en-GB').format(programs.map(({ name }) => name));
  const packages = programs.map((program) => program.package);
  const flags = ['-trimpath', '-buildvcs=false'];
  const runGo = (args: readonly string[], describe: (output: GoOutput) => string): Promise<GoOutput> =>
    run({
      names,
      command: go,
      args,
      cwd: module,
      // The temporary files of the build are in the folder that is removed.
      env: { ...inherited, CGO_ENABLED: '0', GOTMPDIR: work },
      progress: (output) => {
        report(`${names}: ${describe(output)}`);
      },
    });
  try {
    report(`Building ${names} from Go modules (once; minutes on a new machine) …`);
    const atMost = requiredModules(module);
    const { lines } = await runGo(['list', '-deps', ...flags, '-f', STALE_PACKAGES, ...packages], (output) =>
      describeDownload(output, atMost),
    );
    const stale = new Set(lines.filter((line) => line !== ''));
    const [only] = programs.length === 1 ? programs : [];
    await runGo(
      ['build', '-v', ...flags, '-ldflags', ldflags, '-o', only ? join(work, only.name) : `${work}/`, ...packages],
      ({ packages: compiled }) => describeBuild(compiled, stale),
    );
    for (const program of programs) {
      renameSync(join(work, only ? only.name : defaultName(program.package)), join(folder, program.name));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The packages to compile, which are not in the build cache. */
const STALE_PACKAGES = '{{if .Stale}}{{.ImportPath}}{{end}}';

/** The name that `go build` gives a program: the last part of its path that is not a version. */
function defaultName(path: string): string {
  return basename(path.replace(/\/v\d+$/, ''));
}

/** The number of modules that a go.mod requires: at most this number is downloaded. */
function requiredModules(folder: string): number {
  const text = readFileSync(join(folder, 'go.mod'), 'utf8');
  return [...text.matchAll(/^\t\S+ v\S+/gm)].length;
}

interface GoRun {
  readonly names: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly progress: (output: GoOutput) => void;
}

async function run({ names, command, args, cwd, env, progress }: GoRun): Promise<GoOutput> {
  const child = spawn('nice', [command, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  endWithThisProcess(child);
  const output = new GoOutput();
  createInterface({ input: child.stdout }).on('line', (line) => output.lines.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => {
    output.read(line);
  });
  const timer = setInterval(() => {
    progress(output);
  }, REPORT_EVERY_MS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) {
      throw new Error(
        `Building ${names} failed. The first build needs the Go module proxy or a filled module cache. Output of Go:\n` +
          output.errors.slice(-10).join('\n'),
      );
    }
    return output;
  } finally {
    clearInterval(timer);
  }
}
