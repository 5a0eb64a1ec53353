/** The command lines of the commands for kubectl. Pure. */
import { parseArgs } from 'node:util';
import type { ObjectKey } from '../runtime/runtime.ts';

export const usage = `Commands for people, beside those of kubectl. As a plugin of kubectl: kubectl gcust COMMAND. They use your kubeconfig and
your permissions, and change nothing.

kubectl gcust top [-n NAMESPACE | -A] [--instance [NAMESPACE/]NAME] [-o table|json]
    Lists GatewayCustomers with what they have spent of their budgets, the highest share first. The spend is as new as the
    last sync of each customer.

kubectl gcust explain-call NAME [-n NAMESPACE] [--text TEXT] [--team TEAM] [-o table|json]
    Shows what the guardrail would hide in a text if a call of this GatewayCustomer had it, and whether it would refuse the
    call. Reads the text from standard input, or from --text, which other users of this machine can read in the list of
    processes. The guardrail stores nothing.

  -n, --namespace=NAMESPACE
      Default: the namespace of the current context.
  -A, --all-namespaces
      The customers of all namespaces.
  --instance=[NAMESPACE/]NAME
      Only the customers of this GatewayInstance. Default of NAMESPACE: any.
  --team=TEAM
      The id of the team that calls: a policy can have other rules for it.
  --context=NAME
      The context of the kubeconfig. Default: the current one.
  -o, --output=table|json
      Default: table.
  -h, --help
      Print this help.

Permissions: top lists GatewayCustomers, and GatewayInstances and GatewayBudgets of all namespaces if it may, for budgets
that several customers share. explain-call gets the GatewayCustomer, its GatewayInstance and the Secret with the API key of
the guardrail, lists pods, and creates pods/portforward. If the guardrail serves TLS, it also gets the ConfigMap with its
authorities and, if clients need certificates, the Secret with one.

Exit codes: 0 success; 1 failure; 2 wrong flags.
`;

/** What to do. */
export type KubectlCommand =
  | { readonly name: 'help' }
  | (CommonOptions & { readonly name: 'top'; readonly instance: Partial<ObjectKey> | undefined })
  | (CommonOptions & {
      readonly name: 'explain-call';
      readonly customer: string;
      /** undefined: standard input has it. */
      readonly text: string | undefined;
      readonly team: string | undefined;
    });

interface CommonOptions {
  /** undefined: that of the context; `all`: every one. */
  readonly namespace: string | undefined;
  readonly isAllNamespaces: boolean;
  readonly context: string | undefined;
  readonly output: 'table' | 'json';
}

/** Wrong flags. The message says what to do. */
export class KubectlUsageError extends Error {
  override readonly name = 'KubectlUsageError';
}

const FLAGS = {
  namespace: { type: 'string', short: 'n' },
  'all-namespaces': { type: 'boolean', short: 'A' },
  instance: { type: 'string' },
  text: { type: 'string' },
  team: { type: 'string' },
  context: { type: 'string' },
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
} as const;

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** @param args begin with the name of the command @throws KubectlUsageError */
export function readKubectlCommand(args: readonly string[]): KubectlCommand {
  const { values, positionals } = parse(args);
  const [name = '', ...names] = positionals;
  if (values.help === true) return { name: 'help' };
  const { output = 'table', namespace, context } = values;
  if (output !== 'table' && output !== 'json') throw new KubectlUsageError('--output must be table or json.');
  if (namespace !== undefined && !NAME.test(namespace)) {
    throw new KubectlUsageError('--namespace must be the name of a namespace.');
  }
  const isAllNamespaces = values['all-namespaces'] === true;
  const common = { namespace, isAllNamespaces, context, output } as const;
  if (name === 'top') {
    const only = values.text ?? values.team;
    if (names.length > 0 || only !== undefined) throw new KubectlUsageError('top takes neither a name nor a text.');
    return { ...common, name, instance: instanceOf(values.instance) };
  }
  const [customer = '', ...more] = names;
  if (name !== 'explain-call' || more.length > 0 || !NAME.test(customer)) {
    throw new KubectlUsageError('explain-call needs the name of one GatewayCustomer: explain-call acme.');
  }
  if (isAllNamespaces || values.instance !== undefined) {
    throw new KubectlUsageError('explain-call is about one customer: remove --all-namespaces and --instance.');
  }
  return { ...common, name, customer, text: values.text, team: values.team };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: true });
  } catch {
    // The message of Node repeats the arguments, which can be a text.
    throw new KubectlUsageError('The flags are wrong: see kubectl gcust --help.');
  }
}

function instanceOf(text: string | undefined): Partial<ObjectKey> | undefined {
  if (text === undefined) return undefined;
  const parts = text.split('/');
  const name = parts.pop() ?? '';
  const [namespace] = parts;
  if (parts.length > 1 || !NAME.test(name) || (namespace !== undefined && !NAME.test(namespace))) {
    throw new KubectlUsageError(
      '--instance must be the name of a GatewayInstance: --instance=main or --instance=ai/main.',
    );
  }
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}
