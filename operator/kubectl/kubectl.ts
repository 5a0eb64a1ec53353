/** The commands for people: `top` and `explain-call`. The face of this folder. */
import type { KubeConfig } from '@kubernetes/client-node';
import { ConfigError } from '../config.ts';
import { ApiError, ClusterReader, StartError } from '../runtime/runtime.ts';
import { explainCall, ExplainError } from './explainCall.ts';
import { type KubectlCommand, KubectlUsageError, readKubectlCommand, usage } from './options.ts';
import { readTop, topTable } from './top.ts';

/** What a command uses of its process. */
export interface KubectlProcess {
  readonly stdin: () => Promise<string>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly signal: AbortSignal;
  /** @throws Error with a message for the user if there is no usable kubeconfig */
  readonly kubeConfig: () => KubeConfig;
}

/** Runs a command. @param args begin with its name @returns the exit code, see {@link usage} */
export async function runKubectlCommand(args: readonly string[], process: KubectlProcess): Promise<number> {
  try {
    const command = readKubectlCommand(args);
    if (command.name === 'help') process.stdout.write(usage);
    else process.stdout.write(await outputOf(command, process));
    return 0;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return error instanceof KubectlUsageError ? 2 : 1;
  }
}

async function outputOf(command: Exclude<KubectlCommand, { name: 'help' }>, process: KubectlProcess): Promise<string> {
  const kubeConfig = process.kubeConfig();
  if (command.context !== undefined) useContext(kubeConfig, command.context);
  const namespace =
    command.namespace ?? kubeConfig.getContextObject(kubeConfig.getCurrentContext())?.namespace ?? 'default';
  const cluster = new ClusterReader(kubeConfig, process.signal);
  try {
    if (command.name === 'top') {
      const scope = command.isAllNamespaces ? undefined : namespace;
      const rows = await readTop(cluster, { namespace: scope, instance: command.instance });
      return command.output === 'json' ? `${JSON.stringify(rows, null, 2)}\n` : topTable(rows);
    }
    const { customer: name, team, output } = command;
    const text = command.text ?? (await process.stdin());
    return await explainCall(cluster, { customer: { namespace, name }, text, team, output }, process.signal);
  } finally {
    await cluster.close();
  }
}

function useContext(kubeConfig: KubeConfig, context: string): void {
  if (kubeConfig.getContextObject(context) === null) {
    throw new KubectlUsageError(`The kubeconfig has no context ${context}: see kubectl config get-contexts.`);
  }
  kubeConfig.setCurrentContext(context);
}

function messageOf(error: unknown): string {
  const known = [KubectlUsageError, ExplainError, ConfigError, ApiError, StartError];
  if (error instanceof Error && known.some((type) => error instanceof type)) return error.message;
  // Not its message, which can contain a text.
  return `The command failed unexpectedly (${error instanceof Error ? error.name : typeof error}).`;
}
