/** Asks the guardrails which list is in force. */
import * as z from 'zod';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { guardrailDeployments, ignoreNotFound, namesOf } from '../cluster/cluster.ts';
import { callGuardrail, type GuardrailEndpoint, guardrailEndpoints, NoGuardrailError } from '../guardrail/guardrail.ts';
import type { KubeClient } from '../runtime/runtime.ts';

/** Whether every running pod of an instance's guardrail has a list. */
export type HasList = (instance: GatewayInstance, revision: string, signal: AbortSignal) => Promise<boolean>;

const TIMEOUT_MS = 5_000;
/** How many connections of a Service are tried for each of its pods: each connection leads to any of them. */
const ATTEMPTS_PER_POD = 6;

const answer = z.object({ process: z.string(), customer_list: z.object({ revision: z.string() }).nullable() });

/** Asks the pods themselves. A pod that cannot be asked does not have the list. */
export function askPods(
  source: { readonly client: Pick<KubeClient, 'get' | 'list' | 'portForward'> },
  resolve?: (url: string) => string,
): HasList {
  return async (instance, revision, signal) => {
    const endpoints = await guardrailEndpoints(source, instance, resolve).catch((error: unknown) => {
      // Sidecars can be asked only with the component for sidecars.
      if (!(error instanceof NoGuardrailError)) throw error;
      return undefined;
    });
    if (endpoints === undefined) return false;
    if (endpoints.mode === 'Deployment') {
      return await everyPodHas(endpoints.service, await replicasOf(source.client, instance), revision, signal);
    }
    const { pods } = endpoints;
    const answers = await Promise.all(pods.map((pod) => ask(pod, revision, signal)));
    return pods.length > 0 && answers.every((process) => process !== undefined);
  };
}

/** Asks through the Service until so many different pods have answered. */
async function everyPodHas(
  service: GuardrailEndpoint,
  pods: number,
  revision: string,
  signal: AbortSignal,
): Promise<boolean> {
  const having = new Set<string>();
  for (let attempt = 0; attempt < pods * ATTEMPTS_PER_POD && having.size < pods; attempt += 1) {
    const process = await ask(service, revision, signal);
    if (process === undefined) return false;
    having.add(process);
  }
  return pods > 0 && having.size >= pods;
}

/** The number of pods, those of a rollout included. */
async function replicasOf(client: Pick<KubeClient, 'get'>, instance: GatewayInstance): Promise<number> {
  const key = { namespace: instance.metadata.namespace, name: namesOf(instance).guardrail };
  const deployment = await client.get(guardrailDeployments, key).catch(ignoreNotFound);
  return deployment?.status?.readyReplicas ?? 0;
}

/** @returns the name of the process that has the list; undefined: it has another one, or none */
async function ask(endpoint: GuardrailEndpoint, revision: string, signal: AbortSignal): Promise<string | undefined> {
  const call = {
    method: 'GET',
    path: '/configuration',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  } as const;
  const { status, body } = await callGuardrail(endpoint, call).catch(() => ({ status: 0, body: '' }));
  if (status !== 200) return undefined;
  const { success, data } = answer.safeParse(parsed(body));
  return success && data.customer_list?.revision === revision ? data.process : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
