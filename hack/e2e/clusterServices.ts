import { API_PORT, DNS_ADDRESS, NODE_ADDRESS } from './addresses.ts';

/**
 * @returns the objects that installers create in every cluster: the two services, which lead to the node, and access to logs
 * and exec
 */
export function clusterServices(): object[] {
  const slice = (name: string, namespace: string, ports: object[]): object => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [NODE_ADDRESS], conditions: { ready: true } }],
    ports,
  });
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'e2e-kubelet-api' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:kubelet-api-admin' },
      // The name in the API server's certificate, which it presents to the kubelet for logs and exec.
      subjects: [{ kind: 'User', name: 'kube-apiserver' }],
    },
    slice('kubernetes', 'default', [{ name: 'https', port: API_PORT, protocol: 'TCP' }]),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: 'kube-system' },
      spec: {
        clusterIP: DNS_ADDRESS,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        ],
      },
    },
    slice('kube-dns', 'kube-system', [
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'dns-tcp', port: 53, protocol: 'TCP' },
    ]),
  ];
}
