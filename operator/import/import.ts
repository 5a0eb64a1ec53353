/** The command `import`: writes manifests for what a gateway already has. The face of this folder. */
import type { KubeConfig } from '@kubernetes/client-node';
import { budgets, customers, instances } from '../api/kinds.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { allows, ConnectionError, Connections, instanceKeyOf } from '../connection/connection.ts';
import { ConfigError } from '../config.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import {
  ApiError,
  ClusterReader,
  isNotFound,
  keyText,
  type ObjectKey,
  StartError,
  systemClock,
} from '../runtime/runtime.ts';
import { type ImportOutput, importRecords } from './importRecords.ts';
import { type ImportOptions, readOptions, usage, UsageError } from './options.ts';
import { ImportPlan, type KnownResources } from './plan.ts';
import { budgetIdOf } from '../budget/budget.ts';

/** What the command uses of its process. */
export interface ImportProcess {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Aborted by a signal. */
  readonly signal: AbortSignal;
  /** @throws Error with a message for the user if there is no usable kubeconfig */
  readonly kubeConfig: () => KubeConfig;
}

/** The import cannot begin. The message says what to do. */
class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Runs the command. @returns the exit code, see {@link usage} */
export async function runImport(args: readonly string[], process: ImportProcess): Promise<number> {
  const { stdout, stderr, signal } = process;
  const output: ImportOutput = {
    manifests: (text) => write(stdout, text, signal),
    progress: (line) => write(stderr, `${line}\n`, signal),
  };
  try {
    const options = readOptions(args);
    if (options === undefined) {
      await output.manifests(usage);
      return 0;
    }
    const isComplete = await importInstance(options, process.kubeConfig(), output, signal);
    return isComplete ? 0 : 3;
  } catch (error) {
    if (signal.aborted) {
      stderr.write('The import was interrupted, or its output was closed. The manifests are incomplete.\n');
      return 1;
    }
    stderr.write(`${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** @returns whether all records have a manifest or a resource */
async function importInstance(
  options: ImportOptions,
  kubeConfig: KubeConfig,
  output: ImportOutput,
  signal: AbortSignal,
): Promise<boolean> {
  const cluster = new ClusterReader(kubeConfig, signal);
  try {
    const instance = await readInstance(cluster, options);
    const sources = { client: cluster, clock: systemClock, instances: { get: () => instance } };
    const connection = await new Connections(sources).forInstance(instance);
    const known = await readKnownResources(cluster, instance, options.namespace);
    const plan = new ImportPlan(instance, options.namespace, options.policy, known);
    const summary = await importRecords(connection, plan, output, signal);
    for (const line of summary.lines()) await output.progress(line);
    return summary.isComplete;
  } finally {
    await cluster.close();
  }
}

/** @throws ImportError */
async function readInstance(
  cluster: ClusterReader,
  { instance: key, namespace }: ImportOptions,
): Promise<GatewayInstance> {
  const instance = await cluster.get(instances, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new ImportError(`GatewayInstance ${keyText(key)} does not exist. Create it, or correct --instance.`);
  });
  if (allows(instance, namespace)) return instance;
  throw new ImportError(
    `GatewayInstance ${keyText(key)} does not allow customers of namespace ${namespace}. Add the namespace to spec.allowedNamespaces of the instance, or correct --namespace.`,
  );
}

/** Resolves when the text is written, or its reader is ready for more. @throws Error if the signal aborts first */
async function write(stream: NodeJS.WritableStream, text: string, signal: AbortSignal): Promise<void> {
  if (stream.write(text)) return;
  await new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => (): void => {
      stream.removeListener('drain', drained);
      signal.removeEventListener('abort', aborted);
      settle();
    };
    const drained = end(resolve);
    const aborted = end(() => {
      reject(new Error('The output ended.'));
    });
    stream.once('drain', drained);
    signal.addEventListener('abort', aborted, { once: true });
    if (signal.aborted) aborted();
  });
}

function messageOf(error: unknown): string {
  const isKnown =
    isGatewayError(error) ||
    [ImportError, UsageError, ConfigError, ConnectionError, ApiError, StartError].some((type) => error instanceof type);
  if (error instanceof Error && isKnown) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** @param namespace of the imported customers @throws ApiError */
export async function readKnownResources(
  cluster: Pick<ClusterReader, 'each'>,
  instance: GatewayInstance,
  namespace: string,
): Promise<KnownResources> {
  const own = keyText(instance.metadata);
  const known = {
    customerIds: new Set<string>(),
    budgets: new Map<string, ObjectKey>(),
    customerNames: new Set<string>(),
    budgetNames: new Set<string>(),
  };
  await cluster.each(customers, (customer) => {
    if (keyText(instanceKeyOf(customer)) === own) known.customerIds.add(customer.spec.customerId);
    if (customer.metadata.namespace === namespace) known.customerNames.add(customer.metadata.name);
  });
  await cluster.each(budgets, (budget) => {
    const { namespace: at, name } = budget.metadata;
    if (keyText(instanceKeyOf(budget)) === own) known.budgets.set(budgetIdOf(budget), { namespace: at, name });
    if (at === instance.metadata.namespace) known.budgetNames.add(name);
  });
  return known;
}
