/** What an instance says: which customers it admits, whether it is reachable, and whether its guardrail enforces who may call. Pure. */
import { type GatewayInstance, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import type { ObjectKey } from '../runtime/runtime.ts';

/** Whether customers of a namespace may refer to an instance. The instance's own namespace is always allowed. */
export function allows(instance: GatewayInstance, customerNamespace: string): boolean {
  const allowed = instance.spec.allowedNamespaces ?? [];
  return (
    customerNamespace === instance.metadata.namespace || allowed.includes(customerNamespace) || allowed.includes('*')
  );
}

/**
 * Whether customers of a namespace may use a customer id. A prefix is reserved for the namespaces that list it: an id with
 * a reserved prefix belongs to the namespaces that list the longest of its prefixes. A namespace with listed prefixes may
 * use no other ids; one without may use every id that has no reserved prefix.
 */
export function permitsId({ spec }: GatewayInstance, customerNamespace: string, customerId: string): boolean {
  const reservations = spec.customerIdPrefixes ?? [];
  const longest = (prefixes: readonly string[]): number =>
    Math.max(-1, ...prefixes.filter((prefix) => customerId.startsWith(prefix)).map(({ length }) => length));
  const own = reservations.find(({ namespace }) => namespace === customerNamespace)?.prefixes;
  const reserved = longest(reservations.flatMap(({ prefixes }) => prefixes));
  return own === undefined ? reserved < 0 : longest(own) >= 0 && longest(own) === reserved;
}

/**
 * Whether resources of a namespace may adopt what the gateway of an instance has already. The instance decides: by
 * default, only resources of its own namespace may.
 * @param instance undefined: it was deleted
 */
export function mayAdopt(instance: GatewayInstance | undefined, key: ObjectKey, namespace: string): boolean {
  switch (instance?.spec.adoption ?? instanceDefaults.adoption) {
    case 'None':
      return false;
    case 'AllowedNamespaces':
      return true;
    case 'OwnNamespace':
      return namespace === key.namespace;
  }
}

/** Whether an instance admits a customer: its namespace and its id. */
export function admits(instance: GatewayInstance, customerNamespace: string, customerId: string): boolean {
  return allows(instance, customerNamespace) && permitsId(instance, customerNamespace, customerId);
}

/**
 * @returns why the guardrail of an instance cannot enforce who may call: what to do, as it follows "for blocked,";
 *   undefined: it can
 */
export function accessProblem(instance: GatewayInstance): string | undefined {
  const { metadata, spec, status } = instance;
  const isMonitoring = (status?.guardrail?.enforcement ?? spec.guardrail?.enforcement) === 'Monitor';
  if (spec.guardrail !== undefined && isMonitoring) {
    return `set spec.guardrail.enforcement of GatewayInstance ${metadata.name}, or enforcement of its policy, to Enforce`;
  }
  return callerProblem(instance);
}

/**
 * @returns why the guardrail of an instance does not learn for whom calls are: what to do, as it follows "Remedy:";
 *   undefined: it does
 */
export function callerProblem({ metadata, spec }: GatewayInstance): string | undefined {
  const { guardrail } = spec;
  if (guardrail === undefined) return `set spec.guardrail of GatewayInstance ${metadata.name}`;
  if (guardrail.callback === 'Full' && guardrail.integration !== 'Inline') {
    return `set spec.guardrail.callback of GatewayInstance ${metadata.name} to Generic, because Full does not tell who calls`;
  }
  return undefined;
}

/** Whether the last probe of an instance's gateway succeeded. */
export function isReachable(instance: GatewayInstance): boolean {
  return instance.status?.conditions?.some(({ type, status }) => type === 'Reachable' && status === 'True') === true;
}

/** Whether the gateway refused the instance's key at the last probe. */
export function isKeyRefused(instance: GatewayInstance): boolean {
  return (
    instance.status?.conditions?.some(
      ({ type, reason }) => type === 'Reachable' && reason === 'GatewayUnauthorized',
    ) === true
  );
}
