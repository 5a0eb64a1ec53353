import { KubeConfig } from '@kubernetes/client-node';
import { GuardrailOperator } from '../../operator/operator.ts';
import { createLogger, type Permission } from '../../operator/runtime/runtime.ts';

/** What the operator needs, as it is wired. Nothing is connected to: the list is known before the first call. */
export async function operatorPermissions(): Promise<readonly Permission[]> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: 'none', server: 'https://127.0.0.1:1', skipTLSVerify: false },
    { name: 'none' },
  );
  const operator = new GuardrailOperator(
    {
      kubeConfig,
      namespace: 'none',
      watchNamespaces: [],
      leaderElect: true,
      http: { host: '127.0.0.1', port: 0 },
      installCrds: true,
      workers: 1,
      drainMs: 0,
      guardrailImage: undefined,
    },
    createLogger('fatal'),
  );
  await operator.start();
  const { permissions } = operator;
  operator.stop();
  await operator.finished();
  return permissions;
}
