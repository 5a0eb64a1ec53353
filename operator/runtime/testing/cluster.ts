import type { KubeConfig } from '@kubernetes/client-node';
import { withControlPlane, type ControlPlane } from '../../../hack/testing/controlplane.ts';
import { RestClient } from '../client/client.ts';
import { FaultProxy } from './faultProxy.ts';
import { installWidgets, transportOptions } from './widgets.ts';
import { Transport } from '../client/transport.ts';

/** What tests against the real API server work with. */
export interface TestCluster {
  readonly plane: ControlPlane;
  readonly kubeConfig: KubeConfig;
  /** Straight to the API server, as an admin: what others do. */
  readonly direct: RestClient;
  /** A namespace of the test's own. */
  readonly namespace: string;
  /** Before the API server, for what is tested. */
  readonly proxy: FaultProxy;
  /** Through the proxy. */
  readonly transport: Transport;
  readonly client: RestClient;
}

/** For the body of a `describe`: the shared API server with widgets, and a namespace and a proxy of each test's own. */
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
    if (cluster === undefined) throw new Error('The cluster is there in tests and hooks, not while they are declared.');
    return cluster;
  };
}
