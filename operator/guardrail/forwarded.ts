/** Reaches a guardrail from outside the cluster, with the permissions of a user. */
import type { Duplex } from 'node:stream';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { pods, selectorOf } from '../cluster/cluster.ts';
import { type KubeClient, keyOf } from '../runtime/runtime.ts';
import { guardrailEndpoints, type GuardrailEndpoint, isReady, selectorText } from './erasure.ts';
import { portOf } from './settings.ts';

/**
 * One process of the guardrail of an instance, through the API server and the kubelet: no NetworkPolicy has to admit the user,
 * and what is sent is in no audit log of the API server.
 * @returns undefined if none runs
 * @throws ApiError; NoGuardrailError if the user may not list the pods of the gateway
 */
export async function forwardedEndpoint(
  client: Pick<KubeClient, 'get' | 'list' | 'portForward'>,
  instance: GatewayInstance,
): Promise<GuardrailEndpoint | undefined> {
  const endpoints = await guardrailEndpoints({ client, authorities: 'ConfigMap' }, instance);
  if (endpoints?.mode !== 'Deployment') return endpoints?.pods[0];
  const { namespace } = instance.metadata;
  const labelSelector = selectorText({ matchLabels: selectorOf(instance) });
  const pod = (await client.list(pods, { namespace, labelSelector })).find(isReady);
  if (pod === undefined) return undefined;
  const port = portOf(instance.spec.guardrail ?? {});
  const connect = (): Promise<Duplex> => client.portForward(keyOf(pod), port);
  const { protocol } = new URL(endpoints.service.url);
  return { ...endpoints.service, url: `${protocol}//127.0.0.1:${port}`, connect };
}
