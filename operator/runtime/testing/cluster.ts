import type { KubeConfig } from '@kubernetes/client-node';
import { withControlPlane, type ControlPlane } from '../../../hack/harness/controlplane.ts';
import { RestClient } from '../client/client.ts';
import { FaultProxy } from './faultProxy.ts';
import { installWidgets, transportOptions } from './widgets.ts';
import { Transport } from '../client/transport.ts';

/** The environment of tests against the real API server. */
export interface TestCluster {
  readonly plane: ControlPlane;
  readonly kubeConfig: KubeConfig;
  /** Goes directly to the API server with admin permissions, as other clients do. */
  readonly direct: RestClient;
  /** A namespace for this test only. */
  readonly namespace: string;
  /** A proxy between the API server and the code under test. */
  readonly proxy: FaultProxy;
  /** Connects through the proxy. */
  readonly transport: Transport;
  readonly client: RestClient;
}

/**
 * Provides the shared API server with the Widget kind, and a namespace and a proxy for each test. Call it in the body of a
 * `describe`.
 */
export function withTestCluster(): () => TestCluster {
  const plane = withControlPlane();
  let cluster: TestCluster | undefined;
  let kubeConfig: KubeConfig;
  let directTransport: Transport;
  before(async () => {
    kubeConfig = plane().kubeConfig();
    directTransport = new Transport(kubeConfig, transportOptions());
    await installWidgets(new RestClient(directTransport));
  });
  after(() => directTransport.close());
  beforeEach(async () => {
    const proxy = await FaultProxy.start(kubeConfig);
    const transport = new Transport(proxy.kubeConfig(), transportOptions());
    cluster = {
      plane: plane(),
      kubeConfig,
      direct: new RestClient(directTransport),
      namespace: await plane().createNamespace(),
      proxy,
      transport,
      client: new RestClient(transport),
    };
  });
  afterEach(async () => {
    await cluster?.transport.close();
    await cluster?.proxy.stop();
  });
  return () => {
    if (cluster === undefined)
      throw new Error('The cluster is available only in tests and hooks, not while they are declared.');
    return cluster;
  };
}
