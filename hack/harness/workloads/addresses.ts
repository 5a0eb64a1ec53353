/** The local addresses of the cluster's Services and pods, which DNS and kube-proxy provide in a real cluster. Pure. */
import type { Deployment, Service } from './kinds.ts';

/** The network addresses of a pod. */
export interface PodAddress {
  /** Its address in the cluster. No interface of this machine has it. */
  ip: string;
  /** The ports that its local process serves. */
  ports: readonly PodPort[];
  ready: boolean;
}

/** A port of a pod. */
export interface PodPort {
  name?: string | undefined;
  /** Its number in the cluster. */
  containerPort: number;
  /** The port of 127.0.0.1 of the local process. */
  localPort: number;
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

/** The ports of a Service that a pod serves, with the port of the pod to which each leads. */
export function servedPorts(
  service: Service,
  { ports }: Pick<PodAddress, 'ports'>,
): { readonly name?: string | undefined; readonly port: number; readonly target: PodPort }[] {
  return (service.spec?.ports ?? []).flatMap(({ name, port, targetPort = port }) => {
    const target = ports.find((one) => one.name === targetPort || one.containerPort === targetPort);
    return target === undefined ? [] : [{ name, port, target }];
  });
}

/** All addresses that currently have a ready process. */
export function addresses(
  services: readonly Service[],
  deployments: readonly Deployment[],
  pods: (deployment: Deployment) => readonly PodAddress[],
): Addresses {
  const found: Record<string, number> = {};
  for (const { ip, ports } of deployments.flatMap((deployment) => pods(deployment))) {
    for (const { containerPort, localPort } of ports) found[`${ip}:${containerPort}`] = localPort;
  }
  for (const service of services) {
    const ready = podsOf(service, deployments, pods).find((pod) => pod.ready);
    const { name = '', namespace = '' } = service.metadata ?? {};
    for (const { port, target } of ready ? servedPorts(service, ready) : []) {
      for (const host of [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`]) {
        found[`${host}:${port}`] = target.localPort;
      }
    }
  }
  return found;
}
