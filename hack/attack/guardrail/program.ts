/** The guardrail with the settings of its pod. */
import { guardrailContainer } from '../../../operator/guardrail/container.ts';
import { answersOk } from '../../harness/processes.ts';
import type { RedisServer } from '../../harness/redis.ts';
import { Program } from '../program.ts';

/** The API key of each tenant. */
export type Keys = Readonly<Record<'attacker' | 'other' | 'victim', string>>;

/** Starts the guardrail. @param redis undefined: it stores the mappings in memory */
export function startGuardrail(keys: Keys, sessionKey: string, redis: RedisServer | undefined): Promise<Program> {
  const { env: pod, resources } = guardrailContainer({}, 'litellm', 'Deployment', { defaultImage: 'guardrail' });
  const options = pod?.find(({ name }) => name === 'NODE_OPTIONS')?.value;
  if (options === undefined) throw new Error('The container of the guardrail has no NODE_OPTIONS.');
  return Program.start({
    name: 'the guardrail',
    script: 'guardrail/main.ts',
    nodeArguments: options.split(' '),
    memory: resources?.limits?.memory ?? '',
    env: ({ port, metricsPort }) => ({
      GUARDRAIL_HOST: '127.0.0.1',
      GUARDRAIL_PORT: String(port),
      GUARDRAIL_METRICS_PORT: String(metricsPort),
      GUARDRAIL_API_KEYS: Object.entries(keys)
        .map(([name, key]) => `${name}:${key}`)
        .join(','),
      GUARDRAIL_SESSION_KEY: sessionKey,
      ...(redis && { GUARDRAIL_STORE: redis.url, GUARDRAIL_ENCRYPTION_KEYS: 'a1'.repeat(32) }),
      // As in the image.
      MALLOC_MMAP_THRESHOLD_: '131072',
    }),
    foreign: /^GUARDRAIL_/,
    isReady: ({ url }) => answersOk(`${url}/readyz`),
    readyMs: 30_000,
  });
}
