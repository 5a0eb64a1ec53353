import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { basename } from 'node:path';

/** Whether a path is a program that this process can execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs a program to its end. Resolves to its output; rejects with its name, its arguments and its error output. */
export function runProgram(
  path: string,
  args: readonly string[],
  { input, env }: { readonly input?: string | undefined; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 1 << 26 };
    const child = execFile(path, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else {
        const command = [basename(path), ...args].join(' ');
        reject(new Error(`${command}: ${stderr.trim() || error.message}`, { cause: error }));
      }
    });
    child.stdin?.end(input);
  });
}
