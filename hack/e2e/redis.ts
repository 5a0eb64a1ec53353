/** The Redis of the kustomize component, as an admin brings it to a namespace. */
import { randomBytes } from 'node:crypto';
import { cluster, kustomization } from './environment.ts';
import { apply, POD_MS } from './stand.ts';

const NAME = 'guardrail-redis';

/** Installs it, and waits until it answers. */
export async function installRedis(namespace: string): Promise<void> {
  const password = randomBytes(24).toString('hex');
  await apply([
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: NAME, namespace },
      stringData: { password, url: `redis://:${password}@${NAME}:6379` },
    },
    ...cluster().volumesFor(`data-${NAME}-0`, namespace),
  ]);
  await cluster().kubectl(['apply', '-k', kustomization({ namespace, resources: [], components: ['redis'] })]);
  const status = ['rollout', 'status', `statefulset/${NAME}`, '-n', namespace];
  await cluster().kubectl([...status, `--timeout=${POD_MS / 1000}s`]);
}
