/** Where Services and pods of the cluster are reached on this machine: what DNS and kube-proxy do in a real one. Pure. */
import type { Deployment, Service } from './kinds.ts';

/** A pod as far as the network goes. */
export interface PodAddress {
  /** In the cluster; nothing on this machine has it. */
  ip: string;
  /** In the cluster. */
  containerPort: number;
  /** Of 127.0.0.1, what stands for it. */
  localPort: number;
  ready: boolean;
}

/** `host:port` in the cluster → port of 127.0.0.1. */
export type Addresses = Readonly<Record<string, number>>;

/** Pods get addresses of this range, which ends here: `10.1.0.1` and on. */
export const POD_NETWORK = '10.1.';

export function podIp(serial: number): string {
  return `${POD_NETWORK}${Math.floor(serial / 250) % 250}.${(serial % 250) + 1}`;
}

/** The pods that a Service sends to: those of the Deployments that its selector matches. */
export function podsOf(
  service: Service,
  deployments: readonly Deployment[],
  pods: (deployment: Deployment) => readonly PodAddress[],
): PodAddress[] {
  const selector = Object.entries(service.spec?.selector ?? {});
  if (selector.length === 0) return [];
  return deployments
    .filter(({ metadata, spec }) => {
      const labels = spec?.template.metadata?.labels ?? {};
      return (
        metadata?.namespace === service.metadata?.namespace && selector.every(([key, value]) => labels[key] === value)
      );
    })
    .flatMap((deployment) => pods(deployment));
}

/** The ports of a Service that a local process serves: the first, since it stands for the first port of its container. */
export function servedPorts(service: Service): NonNullable<NonNullable<Service['spec']>['ports']> {
  return (service.spec?.ports ?? []).slice(0, 1);
}

/** Every address under which something answers now. */
export function addresses(
  services: readonly Service[],
  deployments: readonly Deployment[],
  pods: (deployment: Deployment) => readonly PodAddress[],
): Addresses {
  const found: Record<string, number> = {};
  for (const { ip, containerPort, localPort } of deployments.flatMap((deployment) => pods(deployment))) {
    found[`${ip}:${containerPort}`] = localPort;
  }
  for (const service of services) {
    const ready = podsOf(service, deployments, pods).find((pod) => pod.ready);
    const { name = '', namespace = '' } = service.metadata ?? {};
    for (const { port } of ready ? servedPorts(service) : []) {
      for (const host of [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`]) {
        found[`${host}:${port}`] = ready?.localPort ?? 0;
      }
    }
  }
  return found;
}
