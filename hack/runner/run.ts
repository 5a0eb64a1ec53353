/** A run of the project's tests: what runs at the same time, what runs once more, and the outcomes. */
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Progress } from '../harness/progress.ts';
import { type Check, runCheck } from './checks.ts';
import { type Outcome, type SecondRun, type Verdict, verdict } from './outcome.ts';
import { type CaseProgram, runProgram } from './programs.ts';
import { runTasks, type Task } from './schedule.ts';
import type { TestServers } from './servers.ts';
import { isNeeded, kindOf, type TestKind } from './suites.ts';
import { Workers } from './workers.ts';

export interface RunOptions {
  /** The folder of the project. */
  readonly root: string;
  /** Variables of the tests in addition to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly servers: TestServers;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** What a run consists of. */
export interface Parts {
  /** Test files, relative to the project. */
  readonly files: readonly string[];
  readonly checks?: readonly Check[];
  readonly programs?: readonly CaseProgram[];
}

/** The longest kinds start first. The many short files of the last one fill the gaps. */
const ORDER: readonly TestKind[] = ['all', 'cluster', 'slow', 'redis', 'unit'];
/** The share of a processor that a file of a kind uses on average, with the servers that it starts. */
const SHARE: Readonly<Record<TestKind, number>> = { all: 0.5, cluster: 0.65, slow: 1, redis: 0.65, unit: 1 };

/** The programs of a control plane are found in this time, unless they have to be fetched. */
const BINARIES_MS = 10_000;

export class Run {
  /** The outcomes of first runs, by kind of test, and of checks and programs. */
  readonly stages = new Map<string, Outcome[]>();
  readonly #options: RunOptions;
  readonly #progress = new Progress();
  readonly #secondRuns: SecondRun[] = [];
  /** Failures that belong to no file. */
  readonly #other: string[] = [];

  constructor(options: RunOptions) {
    this.#options = options;
  }

  /** Runs these files one after the other, and shows what they print while they run. */
  async oneByOne(files: readonly string[]): Promise<void> {
    const { servers } = this.#options;
    if (isNeeded('redis', files)) await servers.findRedis(this.#progress);
    if (isNeeded('controlPlane', files)) await servers.findControlPlane(this.#progress);
    const workers = this.#workers({ live: true });
    for (const file of files) this.#add(kindOf(file), await workers.run(file));
    await this.#end(workers);
  }

  /** Runs all parts, as many at the same time as there are processors for. Runs what failed once more, alone, at the end. */
  async together({ files, checks = [], programs = [] }: Parts): Promise<void> {
    const { servers } = this.#options;
    if (isNeeded('redis', files)) await servers.findRedis(this.#progress);
    const plane = isNeeded('controlPlane', files) ? servers.startControlPlane(this.#progress) : undefined;
    const workers = this.#workers({ env: plane?.env ?? {} });
    try {
      const binaries = programs.length > 0 && (await isSoon(plane?.programs)) ? undefined : plane?.programs;
      await runTasks(
        [
          ...programs.map((program) => this.#programTask(program, binaries)),
          ...checks.map((check) => this.#checkTask(check)),
          ...files
            .toSorted((a, b) => ORDER.indexOf(kindOf(a)) - ORDER.indexOf(kindOf(b)))
            .map((file) => this.#fileTask(file, workers, plane?.ready)),
        ],
        availableParallelism(),
      );
      await this.#runFailedAgain(workers, programs);
      await this.#end(workers);
    } finally {
      await plane?.stop();
    }
  }

  verdict(): Verdict {
    const twice = new Set(this.#secondRuns.map(({ first }) => first));
    const once = [...this.stages.values()].flat().filter((outcome) => !twice.has(outcome));
    return verdict(once, this.#secondRuns, this.#other);
  }

  #workers({ env, live = false }: { env?: Readonly<Record<string, string>>; live?: boolean }): Workers {
    const { root, signal } = this.#options;
    const workers = new Workers(root, { env: { ...this.#options.env, ...env }, live });
    signal.addEventListener('abort', () => {
      workers.abort();
    });
    return workers;
  }

  #fileTask(file: string, workers: Workers, plane: Promise<unknown> | undefined): Task {
    const kind = kindOf(file);
    return {
      name: file,
      share: SHARE[kind],
      ...(plane && isNeeded('controlPlane', [file]) && { ready: plane }),
      run: async () => {
        this.#options.signal.throwIfAborted();
        const outcome = await workers.run(file);
        this.#report(outcome);
        this.#add(kind, outcome);
      },
    };
  }

  #checkTask(check: Check): Task {
    return {
      name: check.title,
      share: 1,
      run: async () => {
        this.#options.signal.throwIfAborted();
        this.#add('checks', await runCheck(this.#options.root, this.#progress, check));
      },
    };
  }

  #programTask(program: CaseProgram, binaries: Promise<unknown> | undefined): Task {
    return {
      name: program.title,
      share: program.share,
      ...(binaries && { ready: binaries }),
      run: async () => {
        this.#options.signal.throwIfAborted();
        const outcome = await runProgram(this.#options, this.#progress, program);
        this.#report(outcome);
        this.#add('programs', outcome);
      },
    };
  }

  async #runFailedAgain(workers: Workers, programs: readonly CaseProgram[]): Promise<void> {
    const failed = [...this.stages].flatMap(([stage, outcomes]) =>
      stage === 'checks' ? [] : outcomes.filter(({ failures }) => failures.length > 0),
    );
    for (const first of failed) {
      this.#options.signal.throwIfAborted();
      this.#progress.line(`${first.name} failed. It runs once more, alone.`);
      const program = programs.find(({ title }) => title === first.name);
      const second = program
        ? await runProgram(this.#options, this.#progress, program, first)
        : await workers.run(first.name, { alone: true });
      this.#report(second);
      this.#secondRuns.push({ first, second });
    }
  }

  async #end(workers: Workers): Promise<void> {
    for (const { files, output } of await workers.end()) {
      const what = output.trim() || 'It does not answer.';
      this.#other.push(`A process did not end after its last test: ${what} (It ran ${files.join(', ')}.)`);
    }
  }

  #add(stage: string, outcome: Outcome): void {
    const outcomes = this.stages.get(stage);
    if (outcomes) outcomes.push(outcome);
    else this.stages.set(stage, [outcome]);
  }

  /** Prints one line, and before it the output of what failed. */
  #report({ name, passed, failures, wallMs, output }: Outcome & { readonly output: string }): void {
    const seconds = `${(wallMs / 1000).toFixed(1)} s`.padStart(8);
    if (failures.length === 0) this.#progress.line(`✓ ${seconds}  ${name} (${passed})`);
    else this.#progress.line(`${output}\n✗ ${seconds}  ${name} (${passed}, ${failures.length} failed)`);
  }
}

/**
 * Whether binaries are there, or will be within seconds. The programs that need them are the largest tasks: once others run, no
 * processor has room for them until the end.
 */
async function isSoon(binaries: Promise<unknown> | undefined): Promise<boolean> {
  const there = Promise.resolve(binaries).then(
    () => true,
    () => false,
  );
  return Promise.race([there, delay(BINARIES_MS, false, { ref: false })]);
}
