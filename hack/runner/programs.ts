/** The parts of `npm run test:all` that are programs with cases of their own: the attacks and the real cluster. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Progress } from '../harness/progress.ts';
import type { Outcome } from './outcome.ts';
import type { TestFailure } from './worker.ts';

/** A program whose output ends with a line `FAILED name: message` for each failure and a line `N passed, N failed`. */
export interface CaseProgram {
  readonly title: string;
  readonly script: string;
  /** See `Task.share`. */
  readonly share: number;
  /** The arguments that select a case, from the name in its line `FAILED`; none if the line names no case. Pure. */
  readonly casesOf: (name: string) => readonly string[];
}

export const PROGRAMS: readonly CaseProgram[] = [
  {
    title: 'the attacks (npm run attack)',
    script: 'hack/attack/main.ts',
    // They measure what others wait for, so nothing runs beside them.
    share: 2,
    casesOf: (name) => (name.includes('/') ? [name] : []),
  },
  {
    title: 'the real cluster (npm run e2e)',
    script: 'hack/e2e/main.ts',
    share: 1,
    casesOf: (name) => /e2e\/cases\/(\w+)\.ts$/.exec(name)?.slice(1) ?? [],
  },
];

/** The longest time that a program may take. The attacks take 3 minutes and the real cluster 8, on two quiet processors. */
const LIMIT_MS = 30 * 60_000;
/** A program that does not end on SIGTERM is killed after this time. */
const KILL_MS = 60_000;

/** The number of programs that run. They end in order after a signal. */
let running = 0;

/** Whether a program runs that has to end before this process may. */
export function isProgramRunning(): boolean {
  return running > 0;
}

/** How a program runs. */
export interface ProgramOptions {
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** After this time, the program is ended, which is a failure. Default: {@link LIMIT_MS}. */
  readonly limitMs?: number;
}

/**
 * Runs a program. Never throws: a program that fails without saying why is one failure.
 *
 * @param failed runs only the cases that failed in this first run; the others of that run count as passed
 */
export async function runProgram(
  { root, env = {}, signal, limitMs = LIMIT_MS }: ProgramOptions,
  progress: Progress,
  { title, script, casesOf }: CaseProgram,
  failed?: Outcome,
): Promise<Outcome & { readonly output: string }> {
  const started = performance.now();
  const cases = failed?.failures.map((failure) => casesOf(failure.title)) ?? [];
  // A failure that names no case can only be repeated by all of them.
  const repeatAll = cases.some((names) => names.length === 0);
  const args = repeatAll ? [] : [...new Set(cases.flat())];
  running += 1;
  const end = await progress
    .step(title, async () => {
      const child = spawn(process.execPath, [script, ...args], {
        cwd: root,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const stop = (): void => {
        child.kill('SIGTERM');
      };
      process.once('exit', stop);
      signal.addEventListener('abort', stop);
      const output: string[] = [];
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
      }
      let killing: NodeJS.Timeout | undefined;
      const limit = setTimeout(() => {
        output.push(`\nThe program did not end within ${Math.ceil(limitMs / 60_000)} minutes.\n`);
        stop();
        killing = setTimeout(() => child.kill('SIGKILL'), KILL_MS);
      }, limitMs);
      const [code] = (await once(child, 'close')) as [number | null];
      clearTimeout(limit);
      clearTimeout(killing);
      process.off('exit', stop);
      signal.removeEventListener('abort', stop);
      return { code, output: output.join('') };
    })
    .finally(() => {
      running -= 1;
    });
  const { passed, failures } = read(end.output, end.code);
  // A case can need others, which then run and pass again. They count once.
  const repeated = failed && !repeatAll ? failed.passed + failed.failures.length - failures.length : passed;
  return {
    name: title,
    passed: repeated,
    failures,
    wallMs: performance.now() - started,
    output: end.output,
  };
}

/** The result of a program, from its output and its exit code. Pure. */
export function read(output: string, code: number | null): Pick<Outcome, 'passed' | 'failures'> {
  const counts = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
  const failures: TestFailure[] = [...output.matchAll(/^FAILED ([^:\s]+):? (.*)$/gm)].map(
    ([, title = '', message = '']) => ({
      title,
      message,
    }),
  );
  const expected = counts ? Number(counts[2]) : 1;
  if (failures.length === 0 && (expected > 0 || code !== 0)) {
    const last = output
      .trimEnd()
      .split('\n')
      .filter((line) => !/ passed, \d+ failed$/.test(line))
      .at(-1);
    failures.push({
      title: 'the program',
      message: `${last === undefined || last === '' ? 'It printed nothing.' : last} (exit code ${code ?? 'none'})`,
    });
  }
  return { passed: Number(counts?.[1] ?? 0), failures };
}
