/** The local addresses of the cluster's Services and pods, which DNS and kube-proxy provide in a real cluster. Pure. */
import type { Deployment, Service } from './kinds.ts';

/** The network addresses of a pod. */
export interface PodAddress {
  /** Its address in the cluster. No interface of this machine has it. */
  ip: string;
  /** Its port in the cluster. */
  containerPort: number;
  /** The port of 127.0.0.1 of its local process. */
  localPort: number;
  ready: boolean;
}

/** `host:port` in the cluster → port of 127.0.0.1. */
export type Addresses = Readonly<Record<string, number>>;

/** The prefix of the pods' addresses: `10.1.0.1` and following. */
export const POD_NETWORK = '10.1.';

export function podIp(serial: number): string {
  return `${POD_NETWORK}${Math.floor(serial / 250) % 250}.${(serial % 250) + 1}`;
}

/** The pods of a Service: those of the Deployments that its selector matches. */
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

/** The ports of a Service that a local process serves: only the first, which maps to the first port of its container. */
export function servedPorts(service: Service): NonNullable<NonNullable<Service['spec']>['ports']> {
  return (service.spec?.ports ?? []).slice(0, 1);
}

/** All addresses that currently have a ready process. */
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
