import { CustomObjectsApi, type KubeConfig } from '@kubernetes/client-node';
import {
  type Condition,
  type GatewayCustomer,
  gatewayCustomerNames,
  type GatewayInstance,
  gatewayInstanceNames,
  GROUP,
  VERSION,
} from '../../../operator/api/v1alpha1/v1alpha1.ts';

/** The resources of the project, as read from the API server. */
export interface Resources {
  instances: GatewayInstance[];
  customers: GatewayCustomer[];
}

export async function readResources(kubeConfig: KubeConfig): Promise<Resources> {
  const api = kubeConfig.makeApiClient(CustomObjectsApi);
  const list = async <T>(plural: string): Promise<T[]> => {
    const { items } = (await api.listCustomObjectForAllNamespaces({
      group: GROUP,
      version: VERSION,
      resourcePlural: plural,
    })) as {
      items: T[];
    };
    return items;
  };
  const [instances, customers] = await Promise.all([
    list<GatewayInstance>(gatewayInstanceNames.plural),
    list<GatewayCustomer>(gatewayCustomerNames.plural),
  ]);
  return { instances, customers };
}

/** One phrase for each resource that is not Ready or Synced; empty when all are. Pure. */
export function unready({ instances, customers }: Resources): string[] {
  return [
    ...instances.flatMap((instance) => lacking('instance', instance, 'Ready')),
    ...customers.flatMap((customer) => lacking('customer', customer, 'Synced')),
  ];
}

/**
 * The progress of the start, in one line. It omits the messages of conditions: they suggest remedies, and the states here are
 * temporary. Pure.
 */
export function awaited({ instances, customers }: Resources): string {
  const synced = customers.filter((customer) => current(customer, 'Synced')?.status === 'True');
  const waiting = instances.filter((instance) => current(instance, 'Ready')?.status !== 'True').map(awaitedOf);
  return [...waiting, `${synced.length} of ${customers.length} customers synced`].join(', ');
}

function awaitedOf(instance: GatewayInstance): string {
  const { metadata, spec, status } = instance;
  const ready = current(instance, 'Ready');
  if (!ready) return `waiting for the operator to reconcile instance ${metadata.name}`;
  if (spec.guardrail && current(instance, 'GuardrailReady')?.status !== 'True') {
    return `waiting for the ${status?.guardrail ? 'guardrail to start' : 'operator to create the guardrail'}`;
  }
  return `waiting for instance ${metadata.name} to be Ready (now ${ready.reason})`;
}

interface Conditioned {
  metadata: { name: string; generation: number };
  status?: { conditions?: Condition[] };
}

/** The condition of this type, unless it is about an earlier generation of the resource. */
function current({ metadata, status }: Conditioned, type: string): Condition | undefined {
  const condition = status?.conditions?.find((candidate) => candidate.type === type);
  return condition && (condition.observedGeneration ?? 0) >= metadata.generation ? condition : undefined;
}

function lacking(what: string, resource: Conditioned, type: string): string[] {
  const { name } = resource.metadata;
  const condition = current(resource, type);
  if (!condition) return [`${what} ${name} has not been reconciled by the operator`];
  if (condition.status === 'True') return [];
  return [`${what} ${name} is not ${type} (${condition.reason}: ${condition.message})`];
}
