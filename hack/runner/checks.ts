/** The checks of `npm test` that are not mocha tests. Each of them passes or fails as a whole. */
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import type { Progress } from '../harness/progress.ts';
import type { TestCounts } from './mocha.ts';

interface Check {
  title: string;
  /** A program of `node_modules/.bin`, and its arguments. */
  command: [string, ...string[]];
}

const ESLINT: Check = {
  title: 'ESLint',
  command: [
    'eslint',
    '--config=hack/eslint.config.mjs',
    '--cache',
    '--cache-location=node_modules/.cache/eslint',
    '--max-warnings=0',
    '.',
  ],
};
const OTHERS: readonly Check[] = [
  { title: 'TypeScript', command: ['tsc'] },
  { title: 'Imports', command: ['depcruise', '--config=hack/imports.config.mjs', 'operator', 'guardrail', 'hack'] },
  { title: 'TypeScript of the playground', command: ['tsc', '--project', 'guardrail/http/playground'] },
  { title: 'TypeScript of the kernel', command: ['tsc', '--project', 'guardrail/detection/kernel'] },
  { title: 'Generated files', command: ['node', 'hack/crdgen/main.ts', '--check'] },
  { title: 'Prettier', command: ['prettier', '--check', '--log-level=warn', '--cache', '.'] },
];

/** Runs all checks. ESLint takes as long as the others together, so they run in parallel with it, one after the other. */
export async function runChecks(root: string, progress: Progress): Promise<TestCounts[]> {
  const eslint = runCheck(root, progress, ESLINT);
  const results: TestCounts[] = [];
  for (const check of OTHERS) results.push(await runCheck(root, progress, check));
  return [...results, await eslint];
}

async function runCheck(root: string, progress: Progress, { title, command }: Check): Promise<TestCounts> {
  const [program, ...args] = command;
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
  try {
    await passes;
    return { passed: 1, failed: 0, failures: [] };
  } catch (error) {
    console.log(output.join('') || String(error));
    return { passed: 0, failed: 1, failures: [title] };
  }
}
