/** The command line of an import. Pure. */
import { parseArgs } from 'node:util';
import type { ObjectKey } from '../runtime/runtime.ts';
import type { ManagementPolicy } from './plan.ts';

export const usage = `Writes manifests for the customers and budgets that a gateway already has to standard output, ready for
kubectl apply. Applying them changes nothing at the gateway. Reads the gateway and the cluster, and writes to neither.

node operator/main.ts import --instance=NAMESPACE/NAME [flags]

  --instance=NAMESPACE/NAME
      The GatewayInstance of the gateway.
  --namespace=NAME
      Namespace of the customers. Budgets are in the namespace of the instance. Default: the namespace of the instance.
  --management-policy=Manage|Observe
      Whether the resources manage the records or only observe them. Default: Manage.
  --help
      Print this help.

The permissions that it needs: get the GatewayInstance, its Secrets and its Service, and list GatewayCustomers and
GatewayBudgets in all namespaces.

Exit codes: 0 all records have a manifest or a resource; 1 the import failed, and the manifests are incomplete; 2 wrong
flags; 3 some records have no manifest, see the comments in the manifests; 130 or 143 it was interrupted.
`;

/** What to import. */
export interface ImportOptions {
  readonly instance: ObjectKey;
  /** The namespace of the customers. */
  readonly namespace: string;
  readonly policy: ManagementPolicy;
}

/** Wrong flags. The message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** @returns undefined for the help @throws UsageError */
export function readOptions(args: readonly string[]): ImportOptions | undefined {
  const { instance, namespace, policy, help } = parse(args);
  if (help) return undefined;
  const [at = '', name = '', ...more] = (instance ?? '').split('/');
  if (more.length > 0 || !label.test(at) || !subdomain.test(name)) {
    throw new UsageError('--instance must be the namespace and the name of a GatewayInstance: --instance=ai/main.');
  }
  if (namespace !== undefined && !label.test(namespace)) {
    throw new UsageError('--namespace must be the name of a namespace.');
  }
  if (policy !== 'Manage' && policy !== 'Observe') {
    throw new UsageError('--management-policy must be Manage or Observe.');
  }
  return { instance: { namespace: at, name }, namespace: namespace ?? at, policy };
}

function parse(args: readonly string[]): {
  readonly instance: string | undefined;
  readonly namespace: string | undefined;
  readonly policy: string;
  readonly help: boolean;
} {
  const options = {
    instance: { type: 'string' },
    namespace: { type: 'string' },
    'management-policy': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
    const { instance, namespace, 'management-policy': policy = 'Manage', help = false } = values;
    return { instance, namespace, policy, help };
  } catch {
    throw new UsageError('The flags are wrong: see node operator/main.ts import --help.');
  }
}
