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

/** The project's resources as they are now. */
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

/** What is not as it should be yet, a phrase for each resource; none when all is Ready and Synced. Pure. */
export function unready({ instances, customers }: Resources): string[] {
  return [
    ...instances.flatMap((instance) => lacking('instance', instance, 'Ready')),
    ...customers.flatMap((customer) => lacking('customer', customer, 'Synced')),
  ];
}

interface Conditioned {
  metadata: { name: string; generation: number };
  status?: { conditions?: Condition[] };
}

function lacking(what: string, { metadata, status }: Conditioned, type: string): string[] {
  const condition = status?.conditions?.find((candidate) => candidate.type === type);
  const current = condition && (condition.observedGeneration ?? 0) >= metadata.generation;
  if (!current) return [`${what} ${metadata.name} has not been looked at by the operator`];
  if (condition.status === 'True') return [];
  return [`${what} ${metadata.name} is not ${type} (${condition.reason}: ${condition.message})`];
}
