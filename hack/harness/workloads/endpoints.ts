import { isDeepStrictEqual } from 'node:util';
import { DiscoveryV1Api, type KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { type PodAddress, servedPorts } from './addresses.ts';
import { asJson, type Service } from './kinds.ts';

const MANAGER = 'gateway-guardrail-workload-runner';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';

/** Writes one EndpointSlice for each Service, like the EndpointSlice controller. */
export async function writeEndpoints(
  config: KubeConfig,
  services: readonly { service: Service; pods: readonly PodAddress[] }[],
): Promise<void> {
  const api = config.makeApiClient(DiscoveryV1Api);
  const { items } = await api.listEndpointSliceForAllNamespaces({ labelSelector: `${MANAGED_BY}=${MANAGER}` });
  const present = new Map(
    asJson(items).map((slice) => [`${slice.metadata?.namespace ?? ''}/${slice.metadata?.name ?? ''}`, slice]),
  );
  for (const { service, pods } of services) {
    const { name: serviceName = '', namespace = '', uid = '', labels } = service.metadata ?? {};
    const name = `${serviceName}-local`;
    const content = {
      addressType: 'IPv4',
      ports: servedPorts(service, pods[0] ?? { ports: [] }).map(({ name: portName, target }) => ({
        ...(portName !== undefined && { name: portName }),
        port: target.containerPort,
        protocol: 'TCP',
      })),
      endpoints: pods.map(({ ip, ready }) => ({
        addresses: [ip],
        conditions: { ready, serving: ready, terminating: false },
      })),
    };
    const before = present.get(`${namespace}/${name}`);
    present.delete(`${namespace}/${name}`);
    if (before && isDeepStrictEqual(comparable(before), comparable(content))) continue;
    const body = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name,
        namespace,
        labels: { ...labels, 'kubernetes.io/service-name': serviceName, [MANAGED_BY]: MANAGER },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: serviceName, uid }],
      },
      ...content,
    };
    await api.patchNamespacedEndpointSlice(
      { namespace, name, body, fieldManager: MANAGER, force: true },
      setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
    );
  }
  for (const { metadata } of present.values()) {
    const { namespace = '', name = '' } = metadata ?? {};
    await api.deleteNamespacedEndpointSlice({ namespace, name });
  }
}

function comparable({ ports = [], endpoints = [] }: { ports?: object[]; endpoints?: object[] }): unknown {
  return JSON.parse(JSON.stringify({ ports, endpoints }));
}
