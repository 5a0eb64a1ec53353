import { text } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';
import { runKubectlCommand } from './kubectl/kubectl.ts';

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
