/** The Redis of the kustomize component, installed in a namespace as an administrator would. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { cluster, kustomization } from './environment.ts';
import { apply, available, soon } from './testbed.ts';

const NAME = 'guardrail-redis';

/** Installs Redis, and waits until it answers. */
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
  await available(`statefulset/${NAME}`, namespace);
}

/** @returns the names of all its keys. */
export async function redisKeys(namespace: string): Promise<string[]> {
  return (await redis(namespace, '--scan')).trim().split('\n').sort();
}

/** Waits until Redis has written all changes to its file, which outlives the process. */
export async function redisHasWritten(namespace: string): Promise<void> {
  await soon(async () => {
    expect(await redis(namespace, 'INFO persistence')).to.match(/^aof_buffer_length:0\r?$/m);
  });
}

function redis(namespace: string, command: string): Promise<string> {
  const shell = `REDISCLI_AUTH="$PASSWORD" redis-cli ${command}`;
  return cluster().kubectl(['exec', '-n', namespace, `${NAME}-0`, '--', 'sh', '-c', shell]);
}
