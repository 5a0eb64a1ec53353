/** Test support: an operator with the instance `main`, which is a real LiteLLM. */
import type { ControlPlane } from '../../../hack/harness/controlplane.ts';
import { GatewayClient, RateLimiter } from '../../gateway/gateway.ts';
import { startTestLiteLlm, type TestLiteLlm } from './litellm.ts';
import { connectionOf } from './testDependencies.ts';
import { eventually, KubectlUser, TestOperator } from './testOperator.ts';

export interface LitellmOperator {
  readonly litellm: TestLiteLlm;
  readonly admin: GatewayClient;
  /** In the namespace of the instance. */
  readonly user: KubectlUser;
  stop(): Promise<void>;
}

export async function startLitellmOperator(cluster: ControlPlane): Promise<LitellmOperator> {
  const litellm = await startTestLiteLlm();
  const connection = connectionOf(litellm.url, litellm.masterKey);
  const admin = new GatewayClient(connection, new RateLimiter(connection.rateLimit));
  const user = new KubectlUser(cluster.kubeConfig(), await cluster.createNamespace('litellm'));
  const operator = new TestOperator(cluster.kubeConfig(), [user.namespace]);
  await operator.start();
  await eventually(() => user.list());
  await user.secret('main', litellm.masterKey);
  await eventually(() => user.instance('main', { endpoint: litellm.url }));
  return {
    litellm,
    admin,
    user,
    async stop() {
      await operator.end();
      await admin.close();
      await litellm.stop();
    },
  };
}
