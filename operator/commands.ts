import { text } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';
import { runKubectlCommand } from './kubectl/kubectl.ts';
import { runImport } from './import/import.ts';

/** Runs a command for kubectl in this process, and ends the process. */
export async function runKubectl(args: readonly string[], kubeConfig: () => KubeConfig): Promise<never> {
  const { stdin, stdout, stderr } = process;
  const interruption = new AbortController();
  // A reader such as head may close the output.
  stdout.on('error', () => process.exit(1));
  const code = await runKubectlCommand(args, {
    stdin: () => text(stdin),
    stdout,
    stderr,
    signal: interruption.signal,
    kubeConfig,
  });
  await new Promise<void>((resolve) => {
    stdout.write('', () => {
      resolve();
    });
  });
  process.exit(code);
}

/** The exit codes of a process that a signal ended, as shells report them. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs the command `import` in this process, and ends the process. */
export async function runImportCommand(args: readonly string[], kubeConfig: () => KubeConfig): Promise<never> {
  const interruption = new AbortController();
  let interrupted: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A second signal does not wait for the end of the import.
      if (interrupted !== undefined) process.exit(exitCodes[signal]);
      interrupted = exitCodes[signal];
      interruption.abort();
    });
  }
  const { stdout, stderr } = process;
  // A reader such as head may close the output.
  stdout.on('error', () => {
    interruption.abort();
  });
  const code = await runImport(args, { stdout, stderr, signal: interruption.signal, kubeConfig });
  for (const stream of [stdout, stderr]) {
    await new Promise<void>((resolve) => {
      stream.write('', () => {
        resolve();
      });
    });
  }
  process.exit(interrupted ?? code);
}
