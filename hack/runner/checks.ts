/** The checks of `npm test` that are not mocha tests. Each of them passes or fails as a whole. */
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import type { Progress } from '../harness/progress.ts';
import type { Outcome } from './outcome.ts';
import type { TestFailure } from './worker.ts';

export interface Check {
  title: string;
  /** A program of `node_modules/.bin`, and its arguments. */
  command: [string, ...string[]];
}

/** The longest first. */
export const CHECKS: readonly Check[] = [
  {
    title: 'ESLint',
    command: [
      'eslint',
      '--config=hack/eslint.config.mjs',
      '--cache',
      '--cache-location=node_modules/.cache/eslint',
      '--max-warnings=0',
      '.',
    ],
  },
  { title: 'TypeScript', command: ['tsc'] },
  { title: 'Imports', command: ['depcruise', '--config=hack/imports.config.mjs', 'operator', 'guardrail', 'hack'] },
  { title: 'TypeScript of the playground', command: ['tsc', '--project', 'guardrail/http/playground'] },
  { title: 'TypeScript of the kernel', command: ['tsc', '--project', 'guardrail/detection/kernel'] },
  { title: 'Generated files', command: ['node', 'hack/generate/main.ts', '--check'] },
  { title: 'Prettier', command: ['prettier', '--check', '--log-level=warn', '--cache', '.'] },
];

/** Runs a check. Never throws. */
export async function runCheck(root: string, progress: Progress, { title, command }: Check): Promise<Outcome> {
  const [program, ...args] = command;
  const started = performance.now();
  const output: string[] = [];
  const passes = progress.step(title, async () => {
    const bin = join(root, 'node_modules/.bin');
    // The programs run on the pinned Node, not on that of the machine.
    const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
    const child = spawn(join(bin, program), args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
    }
    const code = await new Promise<number | null>((done, fail) => {
      child.once('error', fail);
      child.once('close', done);
    });
    if (code !== 0) throw new Error(title);
  });
  const failures: TestFailure[] = [];
  try {
    await passes;
  } catch (error) {
    const text = output.join('') || String(error);
    console.log(text);
    failures.push({ title: program, message: text.trim().split('\n')[0] ?? '' });
  }
  return { name: title, passed: failures.length === 0 ? 1 : 0, failures, wallMs: performance.now() - started };
}
